import {
  type ModelSettings,
  type ModelSettingsTable,
  type ProviderSettings,
  type ProviderSettingsTable,
  wireNames,
} from "../contracts/model-settings.ts";
import { array, boolean, integer, number, object, oneOf, optional, type Schema, string } from "../contracts/schema.ts";

type Read<T> = { readonly value: T } | { readonly problem: string };

const rate = () => number(undefined, { min: 0 });

const modelSchema = object({
  window: optional(integer(undefined, { min: 2_000 })),
  output: optional(integer(undefined, { min: 1 })),
  images: optional(boolean()),
  thinking: optional(boolean()),
  tools: optional(boolean()),
  price: optional(object({ input: rate(), output: rate(), cacheRead: optional(rate()), cacheWrite: optional(rate()) })),
});

const headersSchema: Schema<Readonly<Record<string, string>>> = {
  json: { type: "object" },
  problems: (value, path = "headers") =>
    isTable(value) && Object.values(value).every((text) => typeof text === "string" && !/[\r\n\0]/.test(text))
      ? Object.keys(value)
          .filter((name) => !/^[\w!#$%&'*+.^`|~-]+$/.test(name))
          .map((name) => `${path} has the name "${name}", which no header can have`)
      : [`${path} must be an object of texts`],
};

const providerSchema = object({
  baseUrl: string(),
  protocol: optional(oneOf(wireNames)),
  keyVariables: optional(array(string())),
  headers: optional(headersSchema),
});

/** `{"my-model": {"window": 65536, "output": 8192, "images": true, "price": {"input": 1, "output": 5}}}` */
export function readModels(given: unknown): Read<ModelSettingsTable> {
  return readTable<ModelSettings>(given, {
    example: '{"my-model": {"window": 65536, "output": 8192, "price": {"input": 1, "output": 5}}}',
    problems: (_name, row) => modelSchema.problems(row),
  });
}

/** `{"mine": {"baseUrl": "https://llm.example/v1", "protocol": "openai-chat", "keyVariables": ["MINE_API_KEY"]}}` */
export function readProviders(given: unknown): Read<ProviderSettingsTable> {
  return readTable<ProviderSettings>(given, {
    example: '{"mine": {"baseUrl": "https://HOST/v1", "keyVariables": ["MINE_API_KEY"]}}',
    problems: (name, row) => [...nameProblems(name), ...providerSchema.problems(row), ...addressProblems(row)],
  });
}

type RowRule = {
  readonly example: string;
  readonly problems: (name: string, row: unknown) => readonly string[];
};

function readTable<T>(given: unknown, { example, problems }: RowRule): Read<Readonly<Record<string, T>>> {
  if (!isTable(given)) return { problem: `must be an object such as ${example}` };
  for (const [name, row] of Object.entries(given)) {
    const [problem] = problems(name, row);
    if (problem !== undefined) return { problem: `has a mistake under "${name}": ${problem}` };
  }
  return { value: given as Readonly<Record<string, T>> };
}

function nameProblems(name: string): readonly string[] {
  return /^[\w.-]+$/.test(name) ? [] : ["a provider's name has letters, digits, dots and dashes only"];
}

function addressProblems(row: unknown): readonly string[] {
  const given = isTable(row) ? row.baseUrl : undefined;
  if (typeof given !== "string") return [];
  const protocol = URL.canParse(given) ? new URL(given).protocol : "";
  return /^https?:$/.test(protocol) ? [] : [`baseUrl "${given}" is no http(s) address`];
}

function isTable(value: unknown): value is Readonly<Record<string, unknown>> {
  return value !== null && typeof value === "object" && !Array.isArray(value);
}
