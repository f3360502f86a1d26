import type { JsonSchema } from "./schema.ts";

/**
 * Checks a value against JSON Schema (2020-12, the part that describes data; `format` is a remark there and is not checked). Complaints name
 * the place, so that a model can act on them.
 */
export type SchemaCheck = {
  /** Regular expressions of a stranger could run for hours. */
  readonly patterns: "checked" | "ignored";
  /** Models write null for an argument that they leave out. */
  readonly nulls: "values" | "left-out";
};

export const strictly: SchemaCheck = { patterns: "checked", nulls: "values" };

const maxDepth = 60;
/** A schema may refer to itself in ways that multiply; what is left unchecked then counts as fitting. */
const maxSteps = 20_000;
const maxProblems = 10;

export function schemaProblems(
  value: unknown,
  schema: JsonSchema,
  { check = strictly, path = "" }: { readonly check?: SchemaCheck; readonly path?: string } = {},
): readonly string[] {
  return problemsOf(value, schema, { path, root: schema, depth: 0, check, steps: { left: maxSteps } }).slice(
    0,
    maxProblems,
  );
}

type Place = {
  readonly path: string;
  readonly root: JsonSchema;
  readonly depth: number;
  readonly check: SchemaCheck;
  readonly steps: { left: number };
};

type Fields = Readonly<Record<string, unknown>>;

function isObject(value: unknown): value is Fields {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}

const nameOf = ({ path }: Place) => path || "value";

function problemsOf(value: unknown, schema: unknown, place: Place): readonly string[] {
  if (schema === false) return [`${nameOf(place)} is not allowed`];
  if (!isObject(schema) || place.depth > maxDepth || place.steps.left-- <= 0) return [];
  const inner = { ...place, depth: place.depth + 1 };
  const misfit = typeProblem(value, schema, place);
  if (misfit !== undefined) return [misfit];
  const { $ref } = schema;
  return [
    ...(typeof $ref === "string" ? problemsOf(value, resolveReference($ref, place.root), inner) : []),
    ...choiceProblems(value, schema, place),
    ...combinationProblems(value, schema, inner),
    ...(typeof value === "number" ? numberProblems(value, schema, place) : []),
    ...(typeof value === "string" ? textProblems(value, schema, place) : []),
    ...(Array.isArray(value) ? listProblems(value, schema, inner) : []),
    ...(isObject(value) ? objectProblems(value, schema, inner) : []),
  ];
}

/** Only places inside the schema itself; nothing is ever fetched. */
export function resolveReference(reference: string, root: JsonSchema): unknown {
  if (reference === "#") return root;
  if (!reference.startsWith("#/")) return undefined;
  let found: unknown = root;
  for (const part of reference.slice(2).split("/")) {
    const key = decodeURIComponent(part).replaceAll("~1", "/").replaceAll("~0", "~");
    const holder = found as Fields;
    found = found !== null && typeof found === "object" && Object.hasOwn(holder, key) ? holder[key] : undefined;
  }
  return found;
}

const articles: Readonly<Record<string, string>> = {
  string: "a string",
  number: "a number",
  integer: "a whole number",
  boolean: "true or false",
  array: "an array",
  object: "an object",
  null: "null",
};

function typeProblem(value: unknown, { type }: Fields, place: Place): string | undefined {
  const types = (Array.isArray(type) ? type : [type]).filter((name) => typeof name === "string" && name in articles);
  if (types.length === 0) return undefined;
  const actual = value === null ? "null" : Array.isArray(value) ? "array" : typeof value;
  if (types.some((name) => name === actual || (name === "integer" && Number.isInteger(value)))) return undefined;
  return `${nameOf(place)} must be ${types.map((name) => articles[name]).join(" or ")}, got ${actual}`;
}

/** Equal as JSON: the order of keys does not matter. */
function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (Array.isArray(a) && Array.isArray(b))
    return a.length === b.length && a.every((item, index) => sameJson(item, b[index]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return (
    keys.length === Object.keys(b).length && keys.every((key) => Object.hasOwn(b, key) && sameJson(a[key], b[key]))
  );
}

const shownChoices = 20;

function choiceProblems(value: unknown, schema: Fields, place: Place): readonly string[] {
  const choices = Array.isArray(schema.enum)
    ? schema.enum
    : Object.hasOwn(schema, "const")
      ? [schema.const]
      : undefined;
  if (choices === undefined || choices.some((choice) => sameJson(choice, value))) return [];
  const shown = choices.slice(0, shownChoices).map((choice) => JSON.stringify(choice));
  const more = choices.length > shownChoices ? ", …" : "";
  const got = (JSON.stringify(value) ?? "nothing").slice(0, 100);
  return [`${nameOf(place)} must be ${choices.length === 1 ? "" : "one of "}${shown.join(", ")}${more}, got ${got}`];
}

function combinationProblems(value: unknown, schema: Fields, place: Place): readonly string[] {
  const fits = (part: unknown) => problemsOf(value, part, place).length === 0;
  const problems: string[] = [];
  for (const part of listOf(schema.allOf)) problems.push(...problemsOf(value, part, place));
  for (const key of ["anyOf", "oneOf"]) {
    const parts = listOf(schema[key]);
    if (parts.length === 0) continue;
    const found = parts.map((part) => problemsOf(value, part, place));
    const matches = found.filter((list) => list.length === 0).length;
    if (matches === 0) problems.push(...nearest(found, nameOf(place)));
    else if (key === "oneOf" && matches > 1)
      problems.push(`${nameOf(place)} must fit exactly one of ${parts.length} shapes, but fits ${matches}`);
  }
  if (schema.not !== undefined && fits(schema.not))
    problems.push(`${nameOf(place)} is of a shape that is not allowed here`);
  if (schema.if !== undefined) {
    const then = fits(schema.if) ? schema.then : schema.else;
    if (then !== undefined) problems.push(...problemsOf(value, then, place));
  }
  return problems;
}

/** Of several shapes none of which fits, what is wrong with the likeliest: one of the right type, with the fewest complaints. */
function nearest(found: readonly (readonly string[])[], name: string): readonly string[] {
  const isOtherType = (list: readonly string[]) => Number(list[0]?.startsWith(`${name} must be a`) ?? false);
  return found.toSorted((a, b) => isOtherType(a) - isOtherType(b) || a.length - b.length)[0] ?? [];
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

type Bound = {
  readonly key: string;
  readonly words: string;
  readonly holds: (actual: number, limit: number) => boolean;
};

const numberBounds: readonly Bound[] = [
  { key: "minimum", words: "at least", holds: (actual, limit) => actual >= limit },
  { key: "maximum", words: "at most", holds: (actual, limit) => actual <= limit },
  { key: "exclusiveMinimum", words: "more than", holds: (actual, limit) => actual > limit },
  { key: "exclusiveMaximum", words: "less than", holds: (actual, limit) => actual < limit },
  {
    key: "multipleOf",
    words: "a multiple of",
    holds: (actual, limit) => Math.abs(actual / limit - Math.round(actual / limit)) < 1e-9,
  },
];

function numberProblems(value: number, schema: Fields, place: Place): readonly string[] {
  return numberBounds.flatMap(({ key, words, holds }) => {
    const limit = schema[key];
    if (typeof limit !== "number" || holds(value, limit)) return [];
    return [`${nameOf(place)} must be ${words} ${limit}, got ${value}`];
  });
}

function sizeProblems(
  size: number,
  schema: Fields,
  { keys, unit, place }: { keys: readonly [string, string]; unit: string; place: Place },
): readonly string[] {
  const [least, most] = keys.map((key) => schema[key]);
  if (typeof least === "number" && size < least)
    return [`${nameOf(place)} must have at least ${least} ${unit}, got ${size}`];
  if (typeof most === "number" && size > most)
    return [`${nameOf(place)} must have at most ${most} ${unit}, got ${size}`];
  return [];
}

function textProblems(value: string, schema: Fields, place: Place): readonly string[] {
  const { pattern } = schema;
  const problems = [
    ...sizeProblems([...value].length, schema, { keys: ["minLength", "maxLength"], unit: "characters", place }),
  ];
  if (typeof pattern === "string" && !matches(pattern, value, place))
    problems.push(`${nameOf(place)} must match ${pattern}, got ${JSON.stringify(value.slice(0, 100))}`);
  return problems;
}

/** A pattern that is none is nobody's problem here. */
function matches(pattern: string, value: string, { check }: Place): boolean {
  if (check.patterns === "ignored") return true;
  try {
    return new RegExp(pattern, "u").test(value);
  } catch {
    return true;
  }
}

function listProblems(value: readonly unknown[], schema: Fields, place: Place): readonly string[] {
  const at = (index: number) => ({ ...place, path: `${place.path || "value"}[${index}]` });
  // before 2020-12, items was what prefixItems is now
  const first = listOf(schema.prefixItems ?? (Array.isArray(schema.items) ? schema.items : undefined));
  const rest = Array.isArray(schema.items) ? schema.additionalItems : schema.items;
  const problems = [...sizeProblems(value.length, schema, { keys: ["minItems", "maxItems"], unit: "items", place })];
  for (const [index, item] of value.entries()) {
    const part = index < first.length ? first[index] : rest;
    if (part !== undefined) problems.push(...problemsOf(item, part, at(index)));
  }
  if (
    schema.uniqueItems === true &&
    value.some((item, index) => value.slice(0, index).some((other) => sameJson(item, other)))
  )
    problems.push(`${nameOf(place)} must not hold the same item twice`);
  if (schema.contains !== undefined && !value.some((item) => problemsOf(item, schema.contains, place).length === 0))
    problems.push(`${nameOf(place)} lacks an item that it must contain`);
  return problems;
}

function objectProblems(value: Fields, schema: Fields, place: Place): readonly string[] {
  const at = (key: string): Place => ({ ...place, path: place.path ? `${place.path}.${key}` : key });
  const needed = listOf(schema.required).filter((key): key is string => typeof key === "string");
  const isGiven = (key: string) =>
    value[key] !== undefined && (place.check.nulls === "values" || value[key] !== null || needed.includes(key));
  const given = Object.keys(value).filter(isGiven);
  return [
    ...needed.filter((key) => !Object.hasOwn(value, key)).map((key) => `${at(key).path} is missing`),
    ...given.flatMap((key) => partsFor(key, schema, place).flatMap((part) => problemsOf(value[key], part, at(key)))),
    ...sizeProblems(given.length, schema, { keys: ["minProperties", "maxProperties"], unit: "properties", place }),
    ...(schema.propertyNames === undefined
      ? []
      : given.flatMap((key) => problemsOf(key, schema.propertyNames, { ...at(key), path: `the name ${key}` }))),
  ];
}

/** Every part of the schema that speaks about this key. */
function partsFor(key: string, schema: Fields, place: Place): readonly unknown[] {
  const named = isObject(schema.properties) && Object.hasOwn(schema.properties, key) ? [schema.properties[key]] : [];
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : [];
  const matched = patterns.filter(([pattern]) => matches(pattern, key, place)).map(([, part]) => part);
  const parts = [...named, ...matched];
  return parts.length === 0 && schema.additionalProperties !== undefined ? [schema.additionalProperties] : parts;
}
