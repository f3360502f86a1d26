import { rewritePrice, summaryPrice, summaryTokens } from "../pricing.ts";
import type { StageContext } from "../stage.ts";
import { type FoldLimits, fitted } from "./fold-limits.ts";
import { foldPoint } from "./fold-point.ts";
import { runningTotals } from "./running-totals.ts";

/** Heads, files and errors in a note; a line of its index. */
const noteBase = 800;
const indexLine = 30;

/** What a fold would free and what it would cost, without writing its note: looked at before every call. */
export function foldEstimate(
  context: StageContext,
  given: FoldLimits,
): { readonly freed: number; readonly price: number } {
  const { transcript, view, prices, windowTokens, rent, estimate } = context;
  const limits = fitted(given, windowTokens);
  const through = foldPoint(context, limits.tailTokens);
  if (through === undefined) return { freed: 0, price: Number.POSITIVE_INFINITY };
  const { users, prose, latest } = runningTotals(transcript, estimate);
  const note =
    noteBase +
    Math.min(summaryTokens, windowTokens * 0.15) +
    Math.min(limits.userTokens, users) +
    Math.min(limits.proseTokens, prose) +
    Math.min(limits.indexTokens, indexLine * transcript.results.length);
  const kept = view.tokensFrom(through + 1) + (latest.index > 0 && latest.index <= through ? latest.tokens : 0);
  const price =
    prices.cacheWrite * note +
    rewritePrice(prices, kept - rent.fresh) +
    summaryPrice(prices, context.tokens, rent.fresh);
  return { freed: Math.max(view.tokens - kept - note, 0), price };
}
