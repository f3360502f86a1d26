import type { JsonSchema } from "../../contracts/schema.ts";

type Node = { readonly [key: string]: unknown };

/** Words of a schema that Gemini knows; one that it does not know costs the whole request. */
const knownWords = [
  ...["title", "description", "default", "minimum", "maximum", "minItems", "maxItems"],
  ...["minLength", "maxLength", "minProperties", "maxProperties", "pattern", "nullable", "propertyOrdering"],
];
const knownFormats = ["date-time", "enum", "float", "double", "int32", "int64"];
const deepest = 12;

/** A JSON schema in the words that Gemini takes: references put in place, variants as `anyOf`, the rest left out. Undefined: no parameters at all. */
export function geminiSchema(schema: JsonSchema): Node | undefined {
  const read = translate(schema, { root: schema, depth: 0 });
  return isEmptyObject(read) ? undefined : read;
}

/** An object without properties is refused. */
function isEmptyObject({ type, properties }: Node): boolean {
  return type === "OBJECT" && (properties === undefined || Object.keys(properties as Node).length === 0);
}

type Place = { readonly root: Node; readonly depth: number };

function translate(given: unknown, { root, depth }: Place): Node {
  const node = resolve(given, root);
  const at = { root, depth: depth + 1 };
  if (depth >= deepest) return { type: "OBJECT" };
  const result: Record<string, unknown> = {};
  for (const word of knownWords) if (node[word] !== undefined) result[word] = node[word];
  if (typeof node.format === "string" && knownFormats.includes(node.format)) result.format = node.format;
  Object.assign(result, typeOf(node), choicesOf(node), variantsOf(node, at));
  if (result.type !== "STRING") delete result.enum;
  if (node.properties !== undefined && Object.keys(node.properties as Node).length > 0) {
    result.properties = mapValues(node.properties as Node, (value) => translate(value, at));
    if (Array.isArray(node.required))
      result.required = node.required.filter((key) => Object.hasOwn(node.properties as Node, key));
  }
  if (node.items !== undefined || result.type === "ARRAY")
    result.items = translate(Array.isArray(node.items) ? node.items[0] : (node.items ?? { type: "string" }), at);
  return result;
}

/** `$ref` inside the document, and the parts of `allOf` as one. */
function resolve(given: unknown, root: Node): Node {
  let node = (given !== null && typeof given === "object" ? given : {}) as Node;
  for (let step = 0; typeof node.$ref === "string" && step < deepest; step++) {
    const { $ref, ...rest } = node;
    const path = ($ref as string).replace(/^#\/?/, "").split("/").filter(Boolean);
    const target = path.reduce<unknown>((at, key) => (at as Node | undefined)?.[unescaped(key)], root);
    node = { ...(target as Node | undefined), ...rest };
  }
  if (!Array.isArray(node.allOf)) return node;
  const { allOf, ...rest } = node;
  return (allOf as Node[]).map((part) => resolve(part, root)).reduce(merged, rest);
}

function unescaped(key: string): string {
  return key.replaceAll("~1", "/").replaceAll("~0", "~");
}

function merged(a: Node, b: Node): Node {
  const required = [...((a.required as string[]) ?? []), ...((b.required as string[]) ?? [])];
  return {
    ...b,
    ...a,
    ...(a.properties || b.properties ? { properties: { ...(b.properties as Node), ...(a.properties as Node) } } : {}),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** One type each; null is a property of its own. */
function typeOf({ type, properties, items }: Node): Node {
  const given = (Array.isArray(type) ? type : [type]).filter((one) => typeof one === "string");
  const real = given.filter((one) => one !== "null");
  const nullable = real.length < given.length ? { nullable: true } : {};
  if (given.length > 0) return { type: (real[0] ?? "string").toUpperCase(), ...nullable };
  if (properties !== undefined) return { type: "OBJECT" };
  return items === undefined ? {} : { type: "ARRAY" };
}

/** A list of values is for texts alone. */
function choicesOf({ enum: values, const: only, type }: Node): Node {
  const given = Array.isArray(values) ? values : only === undefined ? [] : [only];
  const texts = given.filter((value) => typeof value === "string" && value !== "");
  const isText = type === undefined || type === "string" || (Array.isArray(type) && type.includes("string"));
  return texts.length > 0 && isText ? { type: "STRING", enum: texts } : {};
}

function variantsOf({ anyOf, oneOf }: Node, at: Place): Node {
  const variants = (Array.isArray(anyOf) ? anyOf : Array.isArray(oneOf) ? oneOf : []) as Node[];
  const real = variants.filter(({ type }) => type !== "null");
  const nullable = real.length < variants.length ? { nullable: true } : {};
  if (real.length === 1) return { ...translate(real[0], at), ...nullable };
  return real.length === 0 ? nullable : { anyOf: real.map((variant) => translate(variant, at)), ...nullable };
}

function mapValues(node: Node, change: (value: unknown) => Node): Node {
  return Object.fromEntries(Object.entries(node).map(([key, value]) => [key, change(value)]));
}
