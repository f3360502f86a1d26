import { outputFactor } from "../pricing.ts";
import type { StageContext } from "../stage.ts";
import { runningTotals } from "./running-totals.ts";

/**
 * Puts the call that is being prepared into the books, as it would go out without further cuts: its own cost, and that of keeping everything.
 * Done once a call, by whichever stage needs the books first; cuts that follow add their price.
 */
export function bookCall(context: StageContext): void {
  const { rent, transcript, view, prices, isCold, tokens, scaled, estimate } = context;
  const { entries } = transcript;
  if (rent.booked === entries.length) return;
  let fresh = 0;
  let wholeFresh = 0;
  let output = 0;
  for (const entry of entries.slice(rent.booked)) {
    fresh += view.tokensAt(entry.index);
    wholeFresh += entry.tokens;
    if (entry.message.role === "assistant") output += entry.tokens;
  }
  const fixed = tokens / (scaled(million) / million) - view.tokens;
  const whole = runningTotals(transcript, estimate).tokens;
  const isUncached = isCold || rent.booked === 0;
  const { cacheRead, cacheWrite } = prices;
  const costOf = (all: number, isNew: number) =>
    isUncached ? cacheWrite * (all + fixed) : cacheRead * (all - isNew + fixed) + cacheWrite * isNew;
  rent.book({
    own: costOf(view.tokens, fresh) + output * outputFactor(prices),
    whole: costOf(whole, wholeFresh) + output * outputFactor(prices),
    fresh: isUncached ? view.tokens : fresh,
    entries: entries.length,
  });
}

/** Large, so that rounding does not matter. */
const million = 1e6;
