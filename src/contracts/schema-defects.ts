import { resolveReference } from "./json-schema.ts";
import type { JsonSchema } from "./schema.ts";

const types = ["string", "number", "integer", "boolean", "array", "object", "null"];
/** Their values are schemas by a name of the author's choice. */
const holders = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];
/** Their values are data, in which nothing is a schema. */
const data = ["const", "enum", "default", "examples"];

/** What of a schema could not be checked, and would let anything pass: unknown types, broken patterns, references to nothing. */
export function schemaDefects(root: JsonSchema): readonly string[] {
  const defects: string[] = [];
  const look = (part: unknown): void => {
    if (part === null || typeof part !== "object") return;
    if (Array.isArray(part)) {
      for (const each of part) look(each);
      return;
    }
    const schema = part as Readonly<Record<string, unknown>>;
    for (const name of [schema.type ?? []].flat())
      if (!types.includes(name as string)) defects.push(`there is no type ${JSON.stringify(name)}`);
    const { $ref, pattern, patternProperties } = schema;
    if (typeof $ref === "string" && resolveReference($ref, root) === undefined)
      defects.push(`${$ref} leads to nothing in it`);
    const patterns = [...(typeof pattern === "string" ? [pattern] : []), ...Object.keys(patternProperties ?? {})];
    for (const each of patterns) if (!isPattern(each)) defects.push(`${each} is no regular expression`);
    for (const [key, value] of Object.entries(schema)) {
      if (holders.includes(key) && value !== null) look(Object.values(value as object));
      else if (!data.includes(key)) look(value);
    }
  };
  look(root);
  return defects;
}

function isPattern(text: string): boolean {
  try {
    new RegExp(text, "u");
    return true;
  } catch {
    return false;
  }
}
