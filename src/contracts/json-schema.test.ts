import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { schemaProblems, strictly } from "./json-schema.ts";
import { schemaDefects } from "./schema-defects.ts";

const problems = (value: unknown, schema: Record<string, unknown>) => schemaProblems(value, schema);

describe("a value and its schema", () => {
  it.each([
    [{ type: "string" }, "a", 1, /value must be a string, got number/],
    [{ type: ["string", "null"] }, null, 1, /a string or null/],
    [{ type: "integer" }, 3, 3.5, /a whole number/],
    [{ enum: ["a", { b: 1, c: 2 }] }, { c: 2, b: 1 }, "x", /one of "a", .* got "x"/],
    [{ const: 4 }, 4, 5, /must be 4, got 5/],
    [{ minimum: 2 }, 2, 1, /at least 2/],
    [{ exclusiveMaximum: 2 }, 1.9, 2, /less than 2/],
    [{ multipleOf: 0.1 }, 0.3, 0.35, /multiple of 0.1/],
    [{ minLength: 2 }, "日本", "日", /at least 2 characters/],
    [{ pattern: "^a+$" }, "aa", "b", /match \^a\+\$/],
    [{ items: { type: "number" } }, [1, 2], [1, "x"], /value\[1\] must be a number/],
    [{ prefixItems: [{ type: "string" }], items: false }, ["a"], ["a", 1], /value\[1\] is not allowed/],
    [{ uniqueItems: true }, [{ a: 1 }, { a: 2 }], [{ a: 1 }, { a: 1 }], /same item twice/],
    [{ contains: { const: 1 } }, [0, 1], [0], /must contain/],
    [{ maxItems: 1 }, [1], [1, 2], /at most 1 items/],
    [{ required: ["a"] }, { a: 1 }, {}, /a is missing/],
    [{ properties: { a: { type: "number" } } }, { a: 1 }, { a: "x" }, /a must be a number/],
    [{ properties: { a: {} }, additionalProperties: false }, { a: 1 }, { b: 1 }, /b is not allowed/],
    [{ patternProperties: { "^x": { type: "number" } } }, { x1: 1, y: "" }, { x1: "" }, /x1 must be a number/],
    [{ propertyNames: { maxLength: 2 } }, { ab: 1 }, { abc: 1 }, /the name abc must have at most 2/],
    [{ minProperties: 1 }, { a: 1 }, {}, /at least 1 properties/],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, 1, true, /must be a string/],
    [{ oneOf: [{ minimum: 1 }, { maximum: 5 }] }, 0, 3, /exactly one of 2/],
    [{ allOf: [{ minimum: 1 }, { maximum: 5 }] }, 3, 6, /at most 5/],
    [{ not: { type: "string" } }, 1, "x", /not allowed here/],
    [{ $ref: "#/$defs/a", $defs: { a: { type: "number" } } }, 1, "x", /must be a number/],
  ])("fits %j or is told where not", (schema, good, bad, words) => {
    expect(problems(good, schema)).toEqual([]);
    expect(problems(bad, schema).join("; ")).toMatch(words);
  });

  it("may depend on what the value is", () => {
    const schema = JSON.parse('{"if":{"type":"string"},"then":{"minLength":2},"else":{"minimum":5}}');
    expect([problems("ab", schema), problems(5, schema)]).toEqual([[], []]);
    expect([...problems("a", schema), ...problems(4, schema)].join()).toMatch(/at least 2 .*at least 5/);
  });

  it("may refer to itself", () => {
    const tree = { type: "object", properties: { next: { $ref: "#" } }, required: ["name"] };
    expect(problems({ name: "a", next: { name: "b" } }, tree)).toEqual([]);
    expect(problems({ name: "a", next: {} }, tree)).toEqual(["next.name is missing"]);
  });

  it("ends also when a schema refers to itself without end", () => {
    expect(problems(1, { $ref: "#" })).toEqual([]);
  });

  it("ends soon when a schema refers to itself in ways that multiply", () => {
    const each = { $ref: "#" };
    expect(problems(1, { anyOf: [each, each, each] })).toEqual([]);
  });

  it("takes null for left out only where arguments of a call are checked", () => {
    const schema = { properties: { a: { type: "string" } } };
    expect(problems({ a: null }, schema)).toHaveLength(1);
    expect(schemaProblems({ a: null }, schema, { check: { ...strictly, nulls: "left-out" } })).toEqual([]);
  });

  it("never throws, whatever stands in the schema", () => {
    fc.assert(
      fc.property(
        fc.jsonValue(),
        fc.dictionary(
          fc.constantFrom(
            "type",
            "enum",
            "items",
            "required",
            "$ref",
            "anyOf",
            "pattern",
            "properties",
            "minimum",
            "not",
          ),
          fc.jsonValue(),
        ),
        (value, schema) => {
          expect(Array.isArray(schemaProblems(value, schema))).toBe(true);
        },
      ),
    );
  });
});

describe("schemaDefects", () => {
  it("names what would let anything pass, and nothing in what is only data or a name", () => {
    const bad = {
      type: "klingon",
      items: { $ref: "#/$defs/none" },
      anyOf: [{ pattern: "(" }, { patternProperties: { "[": {} } }],
    };
    expect(schemaDefects(bad)).toEqual([
      'there is no type "klingon"',
      "#/$defs/none leads to nothing in it",
      "( is no regular expression",
      "[ is no regular expression",
    ]);
    const good = {
      type: ["object", "null"],
      properties: { type: { type: "string" }, pattern: { $ref: "#/$defs/a~1b" } },
      $defs: { "a/b": { const: { type: "any", $ref: "x" } } },
      additionalProperties: false,
    };
    expect(schemaDefects(good)).toEqual([]);
  });
});
