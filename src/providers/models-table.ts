import type { ModelSettings, ModelSettingsTable } from "../contracts/model-settings.ts";
import { knownLimits, limitsOf, type ModelLimits } from "./model-limits.ts";
import { limitsSource, limitsTakenOn } from "./model-limits-data.ts";
import type { Vendor } from "./vendor.ts";
import { vendorOfModel, vendors } from "./vendors.ts";

/** USD for a million tokens. */
export type ModelPrices = {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number | undefined;
  readonly cacheWrite: number | undefined;
};

export type ModelRow = {
  readonly vendor: string;
  /** As `--model` takes it. */
  readonly model: string;
  readonly limits: Partial<ModelLimits> | undefined;
  readonly prices: ModelPrices | undefined;
  /** What the person's settings say here, by field; left out: nothing. */
  readonly fromSettings?: readonly string[];
};

export type ModelsTable = {
  readonly rows: readonly ModelRow[];
  /** Where the figures come from. */
  readonly sources: { readonly limits: string; readonly prices: string };
};

type PriceList = typeof import("@pydantic/genai-prices");

/** Smaller windows hold no session worth speaking of. */
const leastWindow = 100_000;
/** Kin of the models that do other work. */
const otherKinds =
  /image|audio|realtime|transcribe|tts|search|live|research|instruct|embed|ocr|vision-preview|[:.](?:free|ft|ext)/;

/** Vendors whose prices are in the list; gateways last, since they sell everybody's models. */
const priced = (vendor: Vendor) => vendor.needsKey && vendor.name !== "openai-responses" && vendor.name !== "azure";

/**
 * Models with what they take, can do and cost. Without a query those that an agent can work with, of the vendors that make them; with one
 * everything whose `vendor/model` holds all its words, gateways included.
 */
export async function modelsTable(query: string, settings: ModelSettingsTable = {}): Promise<ModelsTable> {
  const list = await import("@pydantic/genai-prices");
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const listed = vendors.filter(priced).flatMap((vendor) => rowsOf(vendor, words, list));
  return {
    rows: withSettings(listed, settings, words),
    sources: {
      limits: `snapshot of ${limitsTakenOn} (${limitsSource})`,
      prices: "genai-prices (github.com/pydantic/genai-prices)",
    },
  };
}

function rowsOf(vendor: Vendor, words: readonly string[], list: PriceList): ModelRow[] {
  const providerId = vendor.priceId ?? vendor.name;
  const models = list.findProvider({ providerId })?.models ?? [];
  const isGateway = vendor.models === undefined;
  return models
    .filter(({ deprecated }) => words.length > 0 || !deprecated)
    .map(({ id }) => (isGateway ? id : id.toLowerCase()))
    .filter((id) =>
      words.length > 0 ? holdsAll(`${vendor.name}/${id}`, words) : !isGateway && isForAgents(id, vendor),
    )
    .map((id) => ({
      vendor: vendor.name,
      model: isGateway ? `${vendor.name}/${id}` : id,
      limits: unpriced(limitsOf(id)),
      prices: pricesOf(id, providerId, list),
    }));
}

/** What the person says comes first; models that only the person knows come at the top. */
function withSettings(rows: readonly ModelRow[], table: ModelSettingsTable, words: readonly string[]): ModelRow[] {
  const used = new Set<string>();
  const merged = rows.map((row) => {
    const key = [`${row.vendor}/${row.model}`, row.model].find((name) => Object.hasOwn(table, name));
    if (key === undefined) return row;
    used.add(key);
    return withOwn(row, table[key] as ModelSettings);
  });
  const others = Object.keys(table)
    .filter((name) => !used.has(name) && holdsAll(name, words))
    .map((name) => {
      const limits = unpriced(limitsOf(name));
      const row = { vendor: vendorOfModel(name)?.vendor.name ?? "", model: name, limits, prices: undefined };
      return withOwn(row, table[name] as ModelSettings);
    });
  return [...others, ...merged];
}

function withOwn(row: ModelRow, settings: ModelSettings): ModelRow {
  const { input, output, cacheRead, cacheWrite } = settings.price ?? {};
  const prices =
    input === undefined || output === undefined
      ? row.prices
      : { input, output, cacheRead: cacheRead ?? input, cacheWrite: cacheWrite ?? input };
  return {
    ...row,
    limits: unpriced(knownLimits({ model: row.model, settings })),
    prices,
    fromSettings: Object.keys(settings),
  };
}

/** What a model costs is said once, by the price list. */
function unpriced(limits: Partial<ModelLimits> | undefined): Partial<ModelLimits> | undefined {
  if (limits === undefined) return undefined;
  const { price: _price, ...rest } = limits;
  return rest;
}

function holdsAll(name: string, words: readonly string[]): boolean {
  return words.every((word) => name.toLowerCase().includes(word));
}

function isForAgents(id: string, vendor: Vendor): boolean {
  const limits = limitsOf(id);
  const isLarge = limits?.tools === true && limits.windowTokens >= leastWindow;
  return isLarge && vendor.models?.test(id) === true && !otherKinds.test(id);
}

/** Tiers and dates are the list's business: asked for a small amount it answers with the ordinary rate. */
function pricesOf(model: string, providerId: string, { calcPrice }: PriceList): ModelPrices | undefined {
  const sample = 1_000;
  const rate = (usage: Parameters<PriceList["calcPrice"]>[0]): number | undefined => {
    try {
      const price = calcPrice(usage, model, { providerId })?.total_price;
      return price === undefined ? undefined : Number(((price / sample) * 1e6).toPrecision(10));
    } catch {
      return undefined;
    }
  };
  const input = rate({ input_tokens: sample });
  const output = rate({ output_tokens: sample });
  if (input === undefined || output === undefined) return undefined;
  return {
    input,
    output,
    cacheRead: rate({ input_tokens: sample, cache_read_tokens: sample }),
    cacheWrite: rate({ input_tokens: sample, cache_write_tokens: sample }),
  };
}
