import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { array, boolean, integer, object, oneOf, optional, string } from "../../contracts/schema.ts";
import { geminiSchema } from "./gemini-schema.ts";

const known = new Set([
  ...["type", "format", "title", "description", "nullable", "enum", "items", "maxItems", "minItems", "properties"],
  ...["required", "minProperties", "maxProperties", "minLength", "maxLength", "pattern", "anyOf", "propertyOrdering"],
  ...["default", "minimum", "maximum"],
]);
const types = new Set(["STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT"]);

/** What Gemini would complain about. */
function complaints(node: unknown, at = "schema"): string[] {
  const schema = node as Record<string, unknown>;
  const { type, properties, required, items, anyOf, enum: values } = schema;
  return [
    ...Object.keys(schema).flatMap((key) => (known.has(key) ? [] : [`${at}: unknown name ${key}`])),
    ...(type === undefined || types.has(type as string) ? [] : [`${at}: type ${String(type)}`]),
    ...(type === "ARRAY" && items === undefined ? [`${at}: items missing`] : []),
    ...(properties !== undefined && Object.keys(properties as object).length === 0 ? [`${at}: empty properties`] : []),
    ...(values !== undefined && (type !== "STRING" || (values as unknown[]).includes("")) ? [`${at}: enum`] : []),
    ...((required as string[]) ?? []).flatMap((key) =>
      key in ((properties as object) ?? {}) ? [] : [`${at}: ${key}`],
    ),
    ...Object.entries((properties as object) ?? {}).flatMap(([key, value]) => complaints(value, `${at}.${key}`)),
    ...(items === undefined ? [] : complaints(items, `${at}[]`)),
    ...((anyOf as unknown[]) ?? []).flatMap((one, n) => complaints(one, `${at}|${n}`)),
  ];
}

describe("a schema for Gemini", () => {
  it("says the same as ours", () => {
    const input = object({
      file_path: string("where"),
      mode: optional(oneOf(["a", "b"])),
      todos: array(object({ done: boolean(), count: integer("how many", { min: 1 }) })),
    });
    expect(geminiSchema(input.json)).toEqual({
      type: "OBJECT",
      properties: {
        file_path: { type: "STRING", description: "where" },
        mode: { type: "STRING", enum: ["a", "b"] },
        todos: {
          type: "ARRAY",
          items: {
            type: "OBJECT",
            properties: {
              done: { type: "BOOLEAN" },
              count: { type: "INTEGER", description: "how many", minimum: 1 },
            },
            required: ["done", "count"],
          },
        },
      },
      required: ["file_path", "todos"],
    });
  });

  it("is left out where there is nothing to say", () => {
    expect(geminiSchema({ type: "object" })).toBeUndefined();
    expect(geminiSchema({ type: "object", properties: {} })).toBeUndefined();
  });

  it("has references put in place, variants named and the rest left out", () => {
    const schema = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "object",
      additionalProperties: false,
      $defs: { place: { type: "object", properties: { line: { type: ["integer", "null"], exclusiveMinimum: 0 } } } },
      properties: {
        at: { $ref: "#/$defs/place", description: "where" },
        size: {
          oneOf: [
            { type: "string", format: "uri" },
            { type: "number", multipleOf: 2 },
          ],
        },
        kind: { const: "x" },
        maybe: { anyOf: [{ type: "string" }, { type: "null" }] },
        both: {
          allOf: [{ type: "object", properties: { a: { type: "string" } } }, { properties: { b: { type: "string" } } }],
        },
        list: { type: "array" },
        level: { enum: [1, 2] },
      },
      required: ["at", "gone"],
    };
    const translated = geminiSchema(schema);
    expect(complaints(translated)).toEqual([]);
    expect(translated).toMatchObject({
      required: ["at"],
      properties: {
        at: { type: "OBJECT", description: "where", properties: { line: { type: "INTEGER", nullable: true } } },
        size: { anyOf: [{ type: "STRING" }, { type: "NUMBER" }] },
        kind: { type: "STRING", enum: ["x"] },
        maybe: { type: "STRING", nullable: true },
        both: { type: "OBJECT", properties: { a: { type: "STRING" }, b: { type: "STRING" } } },
        list: { type: "ARRAY", items: { type: "STRING" } },
      },
    });
  });

  it("ends where a schema refers to itself", () => {
    const tree = {
      $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } },
      $ref: "#/$defs/node",
    };
    expect(complaints(geminiSchema(tree))).toEqual([]);
  });

  it("holds nothing that is refused, whatever it is made from", () => {
    const leaf = fc.record(
      {
        type: fc.constantFrom("string", "number", "integer", "boolean", "null", ["string", "null"], ["number"]),
        format: fc.constantFrom("uri", "date-time"),
        enum: fc.array(fc.oneof(fc.string(), fc.integer())),
        const: fc.oneof(fc.string(), fc.integer(), fc.constant(null)),
        exclusiveMinimum: fc.integer(),
        title: fc.string(),
      },
      { requiredKeys: [] },
    );
    const { schema } = fc.letrec<{ schema: Record<string, unknown> }>((tie) => ({
      schema: fc.oneof(
        { maxDepth: 4 },
        leaf,
        fc.record(
          {
            type: fc.constantFrom("object", ["object", "null"]),
            properties: fc.dictionary(fc.string(), tie("schema"), { maxKeys: 3 }),
            required: fc.array(fc.string(), { maxLength: 2 }),
            additionalProperties: fc.boolean(),
          },
          { requiredKeys: ["type"] },
        ),
        fc.record({ type: fc.constant("array"), items: tie("schema") }, { requiredKeys: ["type"] }),
        fc.record({ anyOf: fc.array(tie("schema"), { maxLength: 3 }) }),
        fc.record({ allOf: fc.array(tie("schema"), { maxLength: 3 }) }),
      ),
    }));
    fc.assert(
      fc.property(schema, (given) => {
        const translated = geminiSchema({ type: "object", properties: { given } });
        expect(complaints(translated)).toEqual([]);
      }),
    );
  });
});
