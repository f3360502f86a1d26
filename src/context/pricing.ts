import type { PriceRow } from "../contracts/context.ts";

/** When a model's price is not known: ratios that hold for most vendors. */
export const typicalPrices: PriceRow = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 300_000 };

/** How much more rent than rewriting costs before a batch is worth it; costs are flat between 0.5 and 5. */
const patience = 1.5;

/** Cache reads so cheap that carrying text costs less than any rewrite. */
export const cheapRead = 0.03;

/**
 * Carrying text that could go costs its tokens at the read price on every call: rent. Letting it go costs writing anew everything that
 * follows it, once. Nobody knows how many calls are left, so it goes when the rent paid so far has reached the price of the move.
 */
export type Rent = {
  /** Another call carries these. */
  accrue(evictableTokens: number): void;
  /** Is the rent paid so far worth rewriting this many tokens? */
  isDue(rewrittenTokens: number): boolean;
  reset(): void;
  /** All there is to know, as numbers; set when a conversation is taken up again. */
  state: readonly number[];
};

export function createRent({ cacheRead, cacheWrite }: PriceRow): Rent {
  let paid = 0;
  return {
    accrue: (tokens) => void (paid += cacheRead * tokens),
    isDue: (rewritten) =>
      paid > 0 && cacheRead > cheapRead && paid >= patience * Math.max(cacheWrite - cacheRead, 0) * rewritten,
    reset: () => void (paid = 0),
    get state() {
      return [paid];
    },
    set state([restored = 0]) {
      paid = restored;
    },
  };
}

export type CallTokens = { readonly cached: number; readonly fresh: number; readonly output: number };

/** One call in USD. */
export function callCost({ cached, fresh, output }: CallTokens, prices: PriceRow): number {
  const inTier = prices.tierAt !== undefined && cached + fresh > prices.tierAt;
  const factor = inTier ? (prices.tierFactor ?? 1) : 1;
  return (
    (factor *
      (cached * prices.input * prices.cacheRead + fresh * prices.input * prices.cacheWrite + output * prices.output)) /
    1e6
  );
}
