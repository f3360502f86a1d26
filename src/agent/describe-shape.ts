import type { JsonSchema } from "../contracts/schema.ts";

/** A schema as a model reads it fastest: `{file_path: string, offset?: integer}`. */
export function describeShape(schema: JsonSchema): string {
  const options = schema.enum;
  if (Array.isArray(options)) return options.map((option) => JSON.stringify(option)).join(" | ");
  if (schema.type === "array") return `[${describeShape((schema.items ?? {}) as JsonSchema)}, …]`;
  if (schema.type !== "object") return String(schema.type ?? "any");
  const required = new Set((schema.required ?? []) as string[]);
  const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>);
  return `{${properties.map(([name, value]) => `${name}${required.has(name) ? "" : "?"}: ${describeShape(value)}`).join(", ")}}`;
}
