import type { Usage } from "../contracts/message.ts";
import type { PriceOf } from "../contracts/provider.ts";

/** Money for one call by the public price list; undefined for a model it does not know. The list is large: it is loaded when first asked. */
export function createPriceOf(priceId: string | undefined): PriceOf {
  return async (model: string, usage: Usage) => {
    const { calcPrice } = await import("@pydantic/genai-prices");
    const counts = {
      input_tokens: usage.inputTokens,
      output_tokens: usage.outputTokens,
      cache_read_tokens: usage.cacheReadTokens,
      cache_write_tokens: usage.cacheWriteTokens,
    };
    try {
      const price =
        calcPrice(counts, model, priceId === undefined ? {} : { providerId: priceId }) ?? calcPrice(counts, model);
      return price?.total_price;
    } catch {
      // the list has no rate for one of these kinds of token
      return undefined;
    }
  };
}
