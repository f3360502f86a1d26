/**
 * A schema is two things at once: JSON Schema for the model, and a check for what comes back.
 * Small on purpose: it covers what tools and settings need, starts in no time, and its complaints are written for a model to act on.
 */

export type JsonSchema = { readonly [key: string]: unknown };

export interface Schema<T> {
  readonly json: JsonSchema;
  /** Complaints about `value`, each naming the place (`todos[2].status must be …`); empty when it fits. */
  problems(value: unknown, path?: string): readonly string[];
  /** Phantom: carries the type, never set. */
  readonly type?: T;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

/** A property that may be left out. */
export type Optional<T> = Schema<T> & { readonly optional: true };

type Shape = { readonly [key: string]: Schema<unknown> };
type RequiredKeys<S extends Shape> = { [K in keyof S]: S[K] extends { optional: true } ? never : K }[keyof S];
type ObjectOf<S extends Shape> = { readonly [K in RequiredKeys<S>]: Infer<S[K]> } & {
  readonly [K in Exclude<keyof S, RequiredKeys<S>>]?: Infer<S[K]>;
};

function typeName(value: unknown): string {
  if (value === null) return "null";
  return Array.isArray(value) ? "array" : typeof value;
}

function primitive<T>(json: JsonSchema, expected: string, fits: (value: unknown) => boolean): Schema<T> {
  return {
    json,
    problems: (value, path = "value") => (fits(value) ? [] : [`${path} must be ${expected}, got ${typeName(value)}`]),
  };
}

function withDescription(json: JsonSchema, description: string | undefined): JsonSchema {
  return description ? { ...json, description } : json;
}

export function string(description?: string): Schema<string> {
  return primitive(withDescription({ type: "string" }, description), "a string", (v) => typeof v === "string");
}

export function boolean(description?: string): Schema<boolean> {
  return primitive(withDescription({ type: "boolean" }, description), "true or false", (v) => typeof v === "boolean");
}

export type NumberLimits = { readonly min?: number; readonly max?: number };

function describeLimits({ min, max }: NumberLimits): string {
  if (min !== undefined && max !== undefined) return ` from ${min} to ${max}`;
  if (min !== undefined) return ` of at least ${min}`;
  return max === undefined ? "" : ` of at most ${max}`;
}

function numeric(kind: "number" | "integer", description: string | undefined, limits: NumberLimits): Schema<number> {
  const { min, max } = limits;
  const json = {
    type: kind,
    ...(min === undefined ? {} : { minimum: min }),
    ...(max === undefined ? {} : { maximum: max }),
  };
  const expected = `${kind === "integer" ? "a whole number" : "a number"}${describeLimits(limits)}`;
  return {
    json: withDescription(json, description),
    problems(value, path = "value") {
      if (typeof value !== "number" || !Number.isFinite(value))
        return [`${path} must be ${expected}, got ${typeName(value)}`];
      const fits = (kind === "number" || Number.isInteger(value)) && value >= (min ?? value) && value <= (max ?? value);
      return fits ? [] : [`${path} must be ${expected}, got ${value}`];
    },
  };
}

export function integer(description?: string, limits: NumberLimits = {}): Schema<number> {
  return numeric("integer", description, limits);
}

export function number(description?: string, limits: NumberLimits = {}): Schema<number> {
  return numeric("number", description, limits);
}

export function oneOf<const V extends string>(values: readonly V[], description?: string): Schema<V> {
  const expected = `one of ${values.join(", ")}`;
  return {
    json: withDescription({ type: "string", enum: values }, description),
    problems: (value, path = "value") =>
      values.includes(value as V)
        ? []
        : [`${path} must be ${expected}, got ${typeof value === "string" ? JSON.stringify(value) : typeName(value)}`],
  };
}

export function array<T>(items: Schema<T>, description?: string): Schema<readonly T[]> {
  return {
    json: withDescription({ type: "array", items: items.json }, description),
    problems(value, path = "value") {
      if (!Array.isArray(value)) return [`${path} must be an array, got ${typeName(value)}`];
      return value.flatMap((item, index) => items.problems(item, `${path}[${index}]`));
    },
  };
}

export function optional<T>(schema: Schema<T>): Optional<T> {
  return { ...schema, optional: true };
}

export function object<const S extends Shape>(shape: S, description?: string): Schema<ObjectOf<S>> {
  const required = Object.keys(shape).filter((key) => !("optional" in (shape[key] ?? {})));
  const properties = Object.fromEntries(Object.entries(shape).map(([key, schema]) => [key, schema.json]));
  return {
    json: withDescription({ type: "object", properties, ...(required.length > 0 ? { required } : {}) }, description),
    problems(value, path = "") {
      if (typeName(value) !== "object") return [`${path || "value"} must be an object, got ${typeName(value)}`];
      const given = value as Record<string, unknown>;
      const at = (key: string) => (path ? `${path}.${key}` : key);
      const missing = required.filter((key) => given[key] === undefined).map((key) => `${at(key)} is missing`);
      const unknown = Object.keys(given)
        .filter((key) => !Object.hasOwn(shape, key))
        .map((key) => `${at(key)} is not a parameter`);
      const wrong = Object.entries(shape).flatMap(([key, schema]) =>
        given[key] === undefined || (given[key] === null && "optional" in schema)
          ? []
          : schema.problems(given[key], at(key)),
      );
      return [...missing, ...wrong, ...unknown];
    },
  };
}
