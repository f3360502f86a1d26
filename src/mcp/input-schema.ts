import { schemaProblems } from "../contracts/json-schema.ts";
import type { JsonSchema, Schema } from "../contracts/schema.ts";

/** A server's schema as the loop checks arguments by it. A regular expression of a stranger could run for hours, so none is tried. */
export function schemaFrom(json: JsonSchema): Schema<Readonly<Record<string, unknown>>> {
  const check = { patterns: "ignored", nulls: "left-out" } as const;
  return { json, problems: (value, path = "") => schemaProblems(value, json, { check, path }) };
}
