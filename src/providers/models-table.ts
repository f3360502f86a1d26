import { limitsOf, type ModelLimits } from "./model-limits.ts";
import { limitsTakenOn } from "./model-limits-data.ts";
import { type Vendor, vendors } from "./vendors.ts";

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
  readonly limits: ModelLimits | undefined;
  readonly prices: ModelPrices | undefined;
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
export async function modelsTable(query: string): Promise<ModelsTable> {
  const list = await import("@pydantic/genai-prices");
  const words = query.toLowerCase().split(/\s+/).filter(Boolean);
  const rows = vendors.filter(priced).flatMap((vendor) => rowsOf(vendor, words, list));
  return {
    rows,
    sources: { limits: `snapshot of ${limitsTakenOn}`, prices: "genai-prices (github.com/pydantic/genai-prices)" },
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
      limits: limitsOf(id),
      prices: pricesOf(id, providerId, list),
    }));
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
