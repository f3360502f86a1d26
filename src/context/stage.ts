import type { ContextEdit, PriceRow } from "../contracts/context.ts";
import type { Rent } from "./pricing.ts";
import type { ResultEntry, Transcript } from "./transcript.ts";
import type { View } from "./view.ts";

/** What a stage may look at. A stage proposes edits; the engine applies them. */
export type StageContext = {
  readonly transcript: Transcript;
  readonly view: View;
  readonly prices: PriceRow;
  readonly rent: Rent;
  /** Tokens of the next request, system and tools included. */
  readonly tokens: number;
  readonly windowTokens: number;
  /** Longer silence than the vendor keeps a prefix: every edit is free. */
  readonly isCold: boolean;
  /** The window is so full that a summary would come next. */
  readonly isTight: boolean;
  /** Results that are old enough to go, carried from call to call. */
  readonly aged: AgedResults;
  /** By handle: the call at which it was last recalled. */
  readonly recalledAt: ReadonlyMap<string, number>;
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
export type Stage<Parameters> = (context: StageContext, parameters: Parameters) => readonly ContextEdit[] | undefined;
