import type { PriceRow } from "../contracts/context.ts";
import type { ModelChoice } from "./choose-vendor.ts";
import { limitsOf } from "./model-limits.ts";

/** Where a prompt above the tier costs more, it costs about twice as much. */
const usualTierFactor = 2;
/** Staying below a smaller tier would cost more work than it saves money. */
const leastTier = 200_000;

/**
 * What the context engine weighs its cuts by: the person's prices, else those of the snapshot, else what the vendor's cache usually costs. The bill
 * itself comes from the price list, which is too large to be loaded before the first request.
 */
export function priceRowOf({ vendor, model, settings }: ModelChoice, typical: PriceRow): PriceRow {
  const { cache } = vendor;
  const usual = cache ? { ...typical, cacheRead: cache.read, cacheWrite: cache.write, cacheMs: cache.keptMs } : typical;
  const limits = vendor.needsKey ? limitsOf(model) : undefined;
  const price = settings?.price ?? limits?.price;
  const tierAt = atLeast(leastTier, limits?.dearerAboveTokens);
  return {
    ...usual,
    ...(price && price.input > 0 ? ratesOf(price, usual) : {}),
    ...(tierAt === undefined ? {} : { tierAt, tierFactor: usualTierFactor }),
  };
}

const atLeast = (least: number, tokens: number | undefined) =>
  tokens !== undefined && tokens >= least ? tokens : undefined;

type Rates = NonNullable<NonNullable<ModelChoice["settings"]>["price"]>;

function ratesOf({ input, output, cacheRead, cacheWrite }: Rates, usual: PriceRow): Partial<PriceRow> {
  return {
    input,
    output,
    cacheRead: cacheRead === undefined ? usual.cacheRead : cacheRead / input,
    cacheWrite: cacheWrite === undefined ? usual.cacheWrite : cacheWrite / input,
  };
}
