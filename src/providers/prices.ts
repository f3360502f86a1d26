import type { Usage } from "../contracts/message.ts";
import type { ModelPrice, ModelSettingsTable } from "../contracts/model-settings.ts";
import type { PriceOf } from "../contracts/provider.ts";
import type { Vendor } from "./vendor.ts";

export type PricedVendor = Pick<Vendor, "name" | "priceId"> & Partial<Pick<Vendor, "needsKey" | "needsAddress">>;

/**
 * Money for one call by what the person's settings say, else by the public price list; undefined for a model neither knows, and for one that
 * a server without keys runs, whatever others take for it. The list is large: it is loaded when first asked.
 */
export function createPriceOf(vendorOf: (model: string) => PricedVendor, models: ModelSettingsTable = {}): PriceOf {
  return async (model: string, usage: Usage) => {
    const vendor = vendorOf(model);
    const own = ownPrice(models, vendor.name, model);
    if (own) return priceBy(own, usage);
    if (vendor.needsKey === false && !vendor.needsAddress) return undefined;
    const priceId = vendor.priceId ?? vendor.name;
    const { calcPrice } = await import("@pydantic/genai-prices");
    const counts = {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    };
    try {
      return (calcPrice(counts, model, { providerId: priceId }) ?? calcPrice(counts, model))?.total_price;
    } catch {
      // the list has no rate for one of these kinds of token
      return undefined;
    }
  };
}

function ownPrice(models: ModelSettingsTable, vendor: string, model: string): ModelPrice | undefined {
  const key = [`${vendor}/${model}`, model].find((name) => Object.hasOwn(models, name));
  return key === undefined ? undefined : models[key]?.price;
}

/** `inputTokens` counts everything read, from the cache or not. */
function priceBy({ input, output, cacheRead = input, cacheWrite = input }: ModelPrice, usage: Usage): number {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = usage;
  const plain = Math.max(inputTokens - cacheReadTokens - cacheWriteTokens, 0);
  return (
    (plain * input + cacheReadTokens * cacheRead + cacheWriteTokens * cacheWrite + outputTokens * output) / 1_000_000
  );
}
