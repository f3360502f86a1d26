import { readHooks } from "./hook-settings.ts";
import { readModels, readProviders } from "./model-settings.ts";
import { readRules } from "./rule-settings.ts";
import { readServers } from "./server-settings.ts";
import type { Setting } from "./settings-table.ts";

/** The value as its kind, or what is wrong with it. `file`: where it stands, for values that remember it. */
export function readValue(setting: Setting, given: unknown, file = ""): { value: unknown } | { problem: string } {
  const { kind } = setting;
  if (kind === "string") return typeof given === "string" ? { value: given } : { problem: "must be a text" };
  if (kind === "boolean") {
    const word = String(given).toLowerCase();
    return word === "true" || word === "false" ? { value: word === "true" } : { problem: "must be true or false" };
  }
  if (kind === "list") return readList(given);
  if (kind === "rules") return readRules(given, file);
  if (kind === "hooks") return readHooks(given, file);
  if (kind === "models") return readModels(given);
  if (kind === "providers") return readProviders(given);
  if (kind === "servers") return readServers(given, file);
  if (kind === "number" || kind === "integer") return readNumber(setting, given);
  return kind.oneOf.includes(given as string)
    ? { value: given }
    : { problem: `must be one of ${kind.oneOf.join(", ")}` };
}

function readNumber({ kind, min, max }: Setting, given: unknown): { value: number } | { problem: string } {
  const value = typeof given === "string" && given.trim() !== "" ? Number(given) : given;
  const expected = `must be a ${kind === "integer" ? "whole " : ""}number${min === undefined ? "" : ` of at least ${min}`}${max === undefined ? "" : ` and at most ${max}`}`;
  const fits =
    typeof value === "number" &&
    Number.isFinite(value) &&
    (kind === "number" || Number.isInteger(value)) &&
    value >= (min ?? value) &&
    value <= (max ?? value);
  return fits ? { value } : { problem: expected };
}

function readList(given: unknown): { value: readonly string[] } | { problem: string } {
  if (typeof given === "string") return { value: splitList(given) };
  const fits = Array.isArray(given) && given.every((item) => typeof item === "string");
  return fits ? { value: given } : { problem: "must be a list of texts" };
}

/** Splits at commas and blanks that are not inside brackets: `bash(git log *),edit_file` is two rules. */
export function splitList(text: string): string[] {
  const items: string[] = [];
  let depth = 0;
  let item = "";
  for (const char of text) {
    if (char === "(") depth++;
    if (char === ")") depth--;
    if (depth <= 0 && (char === "," || char === " ")) {
      if (item) items.push(item);
      item = "";
    } else item += char;
  }
  return item ? [...items, item] : items;
}
