import type { JsonSchema } from "../contracts/schema.ts";
import { cleanText } from "./clean-text.ts";

const maxDepth = 12;
const maxDescription = 600;
/** Longer schemas lose their descriptions, and what is still longer all but its outermost names. */
const maxChars = 24_000;

/** A server's JSON Schema as the model may be sent it: an object, of bounded size, with clean texts. */
export function cleanSchema(given: unknown): JsonSchema {
  const whole = asObject(cleanValue(given, { depth: 0, texts: "kept" }));
  if (JSON.stringify(whole).length <= maxChars) return whole;
  const bare = asObject(cleanValue(given, { depth: 0, texts: "dropped" }));
  if (JSON.stringify(bare).length <= maxChars) return bare;
  const names = Object.keys((bare.properties ?? {}) as object).slice(0, 100);
  return { type: "object", properties: Object.fromEntries(names.map((name) => [name.slice(0, 64), {}])) };
}

function asObject(value: unknown): JsonSchema {
  const schema = isObject(value) ? value : {};
  return { ...schema, type: "object", properties: isObject(schema.properties) ? schema.properties : {} };
}

type Cleaning = { readonly depth: number; readonly texts: "kept" | "dropped" };

function cleanValue(value: unknown, { depth, texts }: Cleaning): unknown {
  if (typeof value === "string") return cleanText(value, maxDescription);
  if (value === null || typeof value !== "object") return value;
  if (depth > maxDepth) return Array.isArray(value) ? [] : {};
  const inner = { depth: depth + 1, texts };
  if (Array.isArray(value)) return value.slice(0, 500).map((item) => cleanValue(item, inner));
  return Object.fromEntries(
    Object.entries(value)
      .filter(
        ([key, item]) => !(dropped.has(key) && typeof item === "string" && (key === "$schema" || texts === "dropped")),
      )
      .slice(0, 500)
      .map(([key, item]) => [cleanText(key, 128), cleanValue(item, inner)]),
  );
}

const dropped = new Set(["$schema", "description", "title", "$comment"]);

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
