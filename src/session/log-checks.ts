import type { ContextEdit, Receipt } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";

/** A log is a file that anything may have written to: what is read from it is checked before it is believed. */

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const roles: ReadonlySet<unknown> = new Set(["user", "assistant", "tool"]);

/** The fields that must be texts, for each kind of part. */
const textFields: Readonly<Record<string, readonly string[]>> = {
  text: ["text"],
  thinking: ["text"],
  image: ["mediaType", "base64"],
  "tool-call": ["callId", "tool", "rawInput"],
  "tool-result": ["callId", "tool", "text", "handle"],
};

export function isMessage(value: unknown): value is Message {
  return (
    isObject(value) &&
    typeof value.id === "string" &&
    roles.has(value.role) &&
    Array.isArray(value.parts) &&
    value.parts.every(isPart) &&
    (value.usage === undefined || isUsage(value.usage))
  );
}

function isPart(value: unknown): boolean {
  if (!isObject(value) || typeof value.type !== "string" || !Object.hasOwn(textFields, value.type)) return false;
  return (textFields[value.type] ?? []).every((field) => typeof value[field] === "string");
}

function isUsage(value: unknown): boolean {
  return isObject(value) && typeof value.inputTokens === "number" && typeof value.outputTokens === "number";
}

export function isEdit(value: unknown): value is ContextEdit {
  if (!isObject(value)) return false;
  if (value.type === "replace")
    return [value.messageId, value.callId, value.text].every((field) => typeof field === "string");
  return (
    value.type === "fold" &&
    typeof value.through === "string" &&
    isTexts(value.keepBefore) &&
    isTexts(value.keepAfter) &&
    Array.isArray(value.notes) &&
    value.notes.every((note) => isObject(note) && typeof note.text === "string" && roles.has(note.role))
  );
}

export function isReceipt(value: unknown): value is Receipt {
  return (
    isObject(value) &&
    isTexts(value.stages) &&
    isTexts(value.archived) &&
    [value.tokensBefore, value.tokensAfter, value.folded, value.savesUsd].every((field) => typeof field === "number")
  );
}

function isTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((element) => typeof element === "string");
}
