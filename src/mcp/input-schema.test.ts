import { describe, expect, it } from "vitest";
import { cleanSchema } from "./clean-schema.ts";
import { schemaFrom } from "./input-schema.ts";

const person = {
  type: "object",
  properties: {
    name: { type: "string", minLength: 2, maxLength: 5 },
    age: { type: "integer", minimum: 0, maximum: 150 },
    share: { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 1 },
    kind: { enum: ["a", "b"] },
    fixed: { const: 7 },
    maybe: { type: ["string", "null"] },
    tags: { type: "array", items: { type: "string" }, minItems: 1, maxItems: 2 },
    either: {
      anyOf: [{ type: "string" }, { type: "object", properties: { id: { type: "number" } }, required: ["id"] }],
    },
    place: { $ref: "#/$defs/place" },
    free: { type: "object", additionalProperties: { type: "number" } },
  },
  required: ["name"],
  additionalProperties: false,
  $defs: { place: { type: "object", properties: { town: { type: "string" } }, required: ["town"] } },
};

describe("arguments for a server's tool", () => {
  const problems = schemaFrom(person).problems;

  it.each([
    [{ name: "Ann", age: 3, share: 0.5, kind: "a", fixed: 7, tags: ["x"], either: { id: 1 }, place: { town: "Bern" } }],
    [{ name: "Ann", maybe: null, free: { x: 1 } }],
    // what a model leaves out it writes as null
    [{ name: "Ann", age: null }],
  ])("that fit are let through: %j", (input) => {
    expect(problems(input)).toEqual([]);
  });

  it.each([
    [{}, ["name is missing"]],
    [[], ["value must be an object, got array"]],
    [{ name: 3 }, ["name must be a string, got number"]],
    [{ name: "A" }, ["name must have at least 2 characters, got 1"]],
    [{ name: "Annette" }, ["name must have at most 5 characters, got 7"]],
    [{ name: "Ann", age: 1.5 }, ["age must be a whole number, got number"]],
    [{ name: "Ann", age: 151 }, ["age must be at most 150, got 151"]],
    [{ name: "Ann", share: 1 }, ["share must be less than 1, got 1"]],
    [{ name: "Ann", kind: "c" }, ['kind must be one of "a", "b", got "c"']],
    [{ name: "Ann", fixed: 8 }, ["fixed must be 7, got 8"]],
    [{ name: "Ann", maybe: 1 }, ["maybe must be a string or null, got number"]],
    [{ name: "Ann", tags: [] }, ["tags must have at least 1 items, got 0"]],
    [{ name: "Ann", tags: ["x", 2] }, ["tags[1] must be a string, got number"]],
    [{ name: "Ann", either: { id: "x" } }, ["either.id must be a number, got string"]],
    [{ name: "Ann", place: {} }, ["place.town is missing"]],
    [{ name: "Ann", free: { x: "1" } }, ["free.x must be a number, got string"]],
    [{ name: "Ann", other: 1 }, ["other is not allowed"]],
  ])("that do not fit are named with their place: %j", (input, expected) => {
    expect(problems(input)).toEqual(expected);
  });

  it("are not checked by keywords nobody here knows, nor by a stranger's regular expression", () => {
    const { problems: found } = schemaFrom({ type: "object", properties: { x: { pattern: "^(a+)+$", "x-odd": 1 } } });
    expect(found({ x: `${"a".repeat(50)}!` })).toEqual([]);
  });

  it("survive a schema that refers to itself", () => {
    const loop = { type: "object", properties: { next: { $ref: "#" } }, $ref: "#/properties/next" };
    expect(schemaFrom(loop).problems({ next: { next: {} } })).toEqual([]);
  });
});

describe("a server's schema", () => {
  it("loses hidden and control characters and what makes it endless", () => {
    const deep: Record<string, unknown> = {};
    let at = deep;
    for (let depth = 0; depth < 50; depth++)
      at = (at.properties = { x: {} } as Record<string, object>).x as typeof deep;
    const clean = cleanSchema({ ...deep, description: "plain\u001b[31m\u200b\u{E0041} text" });
    expect(clean).toMatchObject({ type: "object", description: "plain text" });
    expect(JSON.stringify(clean).length).toBeLessThan(500);
  });

  it("of megabytes becomes the names of its parameters", () => {
    const properties = Object.fromEntries(
      Array.from({ length: 300 }, (_, at) => [
        `p${at}`,
        { enum: Array.from({ length: 400 }, (_item, n) => `value-${n}`) },
      ]),
    );
    const clean = cleanSchema({ type: "object", properties });
    expect(JSON.stringify(clean).length).toBeLessThan(24_000);
    expect(clean.properties).toHaveProperty("p0");
  });

  it.each([[undefined], [null], [3], ["x"], [[]]])("that is none (%j) takes any object", (given) => {
    expect(cleanSchema(given)).toEqual({ type: "object", properties: {} });
  });
});
