import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { array, boolean, integer, number, object, oneOf, optional, type Schema, string } from "./schema.ts";

describe("the JSON Schema for the model", () => {
  it.each([
    ["a text", string("why"), { type: "string", description: "why" }],
    ["a text without a description", string(), { type: "string" }],
    ["a switch", boolean(), { type: "boolean" }],
    [
      "a whole number with limits",
      integer("n", { min: 1, max: 5 }),
      { type: "integer", minimum: 1, maximum: 5, description: "n" },
    ],
    ["a limit of zero", number(undefined, { min: 0 }), { type: "number", minimum: 0 }],
    ["a choice", oneOf(["a", "b"], "which"), { type: "string", enum: ["a", "b"], description: "which" }],
    [
      "a list",
      array(string("item"), "all"),
      { type: "array", items: { type: "string", description: "item" }, description: "all" },
    ],
    [
      "an object without required keys",
      object({ a: optional(string()) }),
      { type: "object", properties: { a: { type: "string" } } },
    ],
    [
      "an object",
      object({ path: string(), limit: optional(integer()), inner: object({ x: boolean() }) }),
      {
        type: "object",
        properties: {
          path: { type: "string" },
          limit: { type: "integer" },
          inner: { type: "object", properties: { x: { type: "boolean" } }, required: ["x"] },
        },
        required: ["path", "inner"],
      },
    ],
  ] as const)("of %s", (_name, schema: Schema<unknown>, json) => {
    expect(schema.json).toEqual(json);
  });
});

describe("complaints", () => {
  const schema = object({
    file_path: string(),
    limit: optional(integer("", { min: 1, max: 9 })),
    ratio: optional(number("", { min: 0 })),
    todos: optional(array(object({ content: string(), status: oneOf(["open", "done"]) }))),
  });

  it.each([
    ["nothing but what is required", { file_path: "a" }],
    ["everything", { file_path: "", limit: 9, ratio: 0.5, todos: [{ content: "x", status: "open" }] }],
    ["null for what may be left out", { file_path: "a", limit: null, todos: null }],
    ["undefined for what may be left out", { file_path: "a", limit: undefined }],
  ])("there are none about %s", (_name, value) => {
    expect(schema.problems(value)).toEqual([]);
  });

  it.each([
    ["a missing key", {}, ["file_path is missing"]],
    ["null for a required key", { file_path: null }, ["file_path must be a string, got null"]],
    ["a wrong type", { file_path: 5 }, ["file_path must be a string, got number"]],
    ["a list for a text", { file_path: ["a"] }, ["file_path must be a string, got array"]],
    ["a number out of range", { file_path: "a", limit: 10 }, ["limit must be a whole number from 1 to 9, got 10"]],
    ["a broken number", { file_path: "a", limit: 1.5 }, ["limit must be a whole number from 1 to 9, got 1.5"]],
    ["a number as a text", { file_path: "a", limit: "5" }, ["limit must be a whole number from 1 to 9, got string"]],
    ["a number below its limit", { file_path: "a", ratio: -1 }, ["ratio must be a number of at least 0, got -1"]],
    ["an unknown key", { file_path: "a", path: "b" }, ["path is not a parameter"]],
    [
      "a place deep inside",
      {
        file_path: "a",
        todos: [
          { content: "x", status: "open" },
          { content: "y", status: "later" },
        ],
      },
      ['todos[1].status must be one of open, done, got "later"'],
    ],
    ["a missing key deep inside", { file_path: "a", todos: [{ status: "open" }] }, ["todos[0].content is missing"]],
    ["no list where one should be", { file_path: "a", todos: {} }, ["todos must be an array, got object"]],
    [
      "several things at once",
      { limit: 0, x: 1 },
      ["file_path is missing", "limit must be a whole number from 1 to 9, got 0", "x is not a parameter"],
    ],
    ["no object at all", [], ["value must be an object, got array"]],
    ["nothing at all", undefined, ["value must be an object, got undefined"]],
  ])("name the place of %s", (_name, value, problems) => {
    expect(schema.problems(value)).toEqual(problems);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY])("there is one about %d, which JSON cannot write", (value) => {
    expect(number().problems(value)).toHaveLength(1);
  });

  it("name the limit there is when there is only one", () => {
    expect(number(undefined, { max: 2 }).problems(3, "x")).toEqual(["x must be a number of at most 2, got 3"]);
  });
});

describe("any schema", () => {
  type Case = { readonly schema: Schema<unknown>; readonly value: fc.Arbitrary<unknown> };
  const key = fc.stringMatching(/^[a-z_]{1,6}$/).filter((name) => !(name in {}));

  const limits = fc
    .tuple(fc.integer({ min: -50, max: 50 }), fc.nat(50))
    .map(([min, span]) => ({ min, max: min + span }));
  const leaf: fc.Arbitrary<Case> = fc.oneof(
    fc.constant({ schema: string(), value: fc.string() }),
    fc.constant({ schema: boolean(), value: fc.boolean() }),
    limits.map(({ min, max }) => ({ schema: integer("", { min, max }), value: fc.integer({ min, max }) })),
    limits.map(({ min, max }) => ({ schema: number("", { min, max }), value: fc.double({ min, max, noNaN: true }) })),
    fc
      .uniqueArray(fc.string(), { minLength: 1, maxLength: 4 })
      .map((values) => ({ schema: oneOf(values), value: fc.constantFrom(...values) })),
  );
  const fields = (inner: fc.Arbitrary<Case>) => fc.dictionary(key, fc.tuple(inner, fc.boolean()), { maxKeys: 4 });
  const objectOf = (shape: Record<string, [Case, boolean]>): Case => ({
    schema: object(
      Object.fromEntries(
        Object.entries(shape).map(([name, [{ schema }, isOptional]]) => [name, isOptional ? optional(schema) : schema]),
      ),
    ),
    value: fc.record(Object.fromEntries(Object.entries(shape).map(([name, [{ value }]]) => [name, value])), {
      requiredKeys: Object.entries(shape).flatMap(([name, [, isOptional]]) => (isOptional ? [] : [name])),
    }),
  });
  const { node } = fc.letrec<{ node: Case }>((tie) => ({
    node: fc.oneof(
      { maxDepth: 3 },
      leaf,
      tie("node").map(({ schema, value }) => ({ schema: array(schema), value: fc.array(value, { maxLength: 3 }) })),
      fields(tie("node")).map(objectOf),
    ),
  }));
  const anyObject = fields(node).map(objectOf);
  const sample = (cases: fc.Arbitrary<Case>) =>
    cases.chain(({ schema, value }) => fc.record({ schema: fc.constant(schema), value }));

  it("has nothing to say about a value made for it", () => {
    fc.assert(
      fc.property(sample(node), ({ schema, value }) => {
        expect(schema.problems(value)).toEqual([]);
      }),
    );
  });

  it("misses a required key that is taken away, and says which", () => {
    fc.assert(
      fc.property(sample(anyObject), fc.nat(), ({ schema, value }, pick) => {
        const required = (schema.json.required ?? []) as string[];
        fc.pre(required.length > 0);
        const name = required[pick % required.length] as string;
        const { [name]: _taken, ...rest } = value as Record<string, unknown>;
        expect(schema.problems(rest)).toEqual([`${name} is missing`]);
      }),
    );
  });

  it("does not know a key that was added, whatever it is called", () => {
    const strange = fc.oneof(
      fc.constantFrom("toString", "constructor", "valueOf", "hasOwnProperty"),
      key.map((name) => `${name}!`),
    );
    fc.assert(
      fc.property(sample(anyObject), strange, ({ schema, value }, name) => {
        expect(schema.problems({ ...(value as object), [name]: 1 })).toEqual([`${name} is not a parameter`]);
      }),
    );
  });

  it("never throws, whatever it is given", () => {
    fc.assert(
      fc.property(node, fc.anything(), ({ schema }, value) => {
        for (const problem of schema.problems(value)) expect(problem).toMatch(/must be|is missing|is not a parameter/);
      }),
    );
  });
});
