import type { ContextEdit, FitOptions, PriceRow } from "../contracts/context.ts";
import type { Rent } from "./pricing.ts";
import type { Estimate, ResultEntry, Transcript } from "./transcript.ts";
import type { View } from "./view.ts";

/** What a stage may look at. A stage proposes edits; the engine applies them. */
export type StageContext = {
  readonly transcript: Transcript;
  readonly view: View;
  readonly prices: PriceRow;
  readonly rent: Rent;
  readonly estimate: Estimate;
  /** Tokens of the next request, system and tools included. */
  readonly tokens: number;
  /** Estimated tokens as the vendor would count them. */
  scaled(estimatedTokens: number): number;
  readonly windowTokens: number;
  /** Longer silence than the vendor keeps a prefix: every edit is free. */
  readonly isCold: boolean;
  /** The window is so full that a summary would come next. */
  readonly isTight: boolean;
  /** Where that is. */
  readonly foldAtTokens: number;
  readonly fit: FitOptions;
  /** First result that no request has carried yet: changing it and all after it costs nothing. */
  readonly firstFresh: number;
  /** Results that are old enough to go, carried from call to call. */
  readonly aged: AgedResults;
  /** By handle: the call at which it was last recalled. */
  readonly recalledAt: ReadonlyMap<string, number>;
  /** Lines that survive every fold, such as open tasks. */
  pinned(): readonly string[];
  /** A summary of everything but what is new, written while the prefix was cached. */
  readonly preparedSummary: string | undefined;
  /** Asks the model for a summary; undefined when it gives none worth having. */
  summarise(request: { readonly prompt?: string; readonly limitTokens: number }): Promise<string | undefined>;
};

export type AgedResults = {
  /** Results not looked at yet start here. */
  next: number;
  /** By the call at which they come of age. */
  readonly due: Map<number, ResultEntry[]>;
  ready: ResultEntry[];
  /** Calls whose results have left. */
  readonly archived: Set<string>;
  lastCall: number;
};

/** Pure but for its bookkeeping in the context; undefined when there is nothing to do. */
export type Stage<Parameters> = (
  context: StageContext,
  parameters: Parameters,
) => readonly ContextEdit[] | undefined | Promise<readonly ContextEdit[] | undefined>;

/** Every batch frees at least a tenth: less would cost the cache, and soon again. */
export function isWorthwhile(
  { scaled, tokens }: Pick<StageContext, "scaled" | "tokens">,
  freedTokens: number,
): boolean {
  return scaled(freedTokens) >= 0.1 * tokens;
}

/** Results from this place in the list on belong to the newest round: the model has not seen them, so they stay. */
export function firstUnseen({ transcript }: Pick<StageContext, "transcript">): number {
  const { results, calls } = transcript;
  let first = results.length;
  while (first > 0 && (results[first - 1] as ResultEntry).entry.call === calls) first--;
  return first;
}
