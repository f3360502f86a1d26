import type { ContextEdit } from "../../contracts/context.ts";
import { placeholderFor } from "../placeholder.ts";
import type { Stage, StageContext } from "../stage.ts";
import type { ResultEntry } from "../transcript.ts";

export type ArchiveParameters = {
  /** Calls after which a result may go. */
  readonly age: number;
  /** For results under `smallTokens`, which cost little to carry. */
  readonly smallAge: number;
  readonly smallTokens: number;
  /** Results this small stay. */
  readonly minTokens: number;
  /** The newest tokens stay whatever their age. */
  readonly tailTokens: number;
  /** On a cold cache every edit is free, but not worth a batch below this. */
  readonly coldTokens: number;
  /** A result recalled this many calls ago stays. */
  readonly recalledAge: number;
};

/** Results that have done their work leave the view in one batch, when carrying them has cost more than the rewrite will. */
export const archive: Stage<ArchiveParameters> = (context, parameters) => {
  const waiting = agedResults(context, parameters);
  const freed = waiting.reduce((sum, result) => sum + savedBy(result), 0);
  const first = waiting[0];
  if (first === undefined) return undefined;
  const rewritten = context.view.tokensFrom(first.entry.index) - freed;
  context.rent.accrue(freed);
  const isDue = context.rent.isDue(rewritten) || (context.isCold && freed > parameters.coldTokens) || context.isTight;
  if (!isDue || freed < parameters.coldTokens / 2) return undefined;
  return waiting.map((result): ContextEdit => ({ type: "replace", messageId: result.entry.message.id, callId: result.part.callId, text: placeholderFor(result) }));
};

/** About what the placeholder itself costs. */
const placeholderTokens = 35;

function savedBy({ tokens }: ResultEntry): number {
  return Math.max(tokens - placeholderTokens, 0);
}

/**
 * All results old enough to go, oldest first. The list is kept between calls: a call only looks at what has come of age since the last.
 */
function agedResults({ transcript, view, aged, recalledAt }: StageContext, parameters: ArchiveParameters): readonly ResultEntry[] {
  const { age, smallAge, smallTokens, minTokens, tailTokens, recalledAge } = parameters;
  const now = transcript.calls;
  for (; aged.next < transcript.results.length; aged.next++) {
    const result = transcript.results[aged.next] as ResultEntry;
    if (now - result.entry.call < age) break;
    if (result.tokens > minTokens) (result.tokens < smallTokens ? aged.small : aged.ready).push(result);
  }
  while (aged.small[0] !== undefined && now - aged.small[0].entry.call >= smallAge) aged.ready.push(aged.small.shift() as ResultEntry);
  aged.ready = aged.ready.filter(({ part, entry }) => view.shownAs(part.callId) === undefined && !view.isFolded(entry.index));
  return aged.ready
    .filter(({ part, entry }) => view.tokensFrom(entry.index) > tailTokens && now - (recalledAt.get(part.handle) ?? Number.NEGATIVE_INFINITY) > recalledAge)
    .toSorted((a, b) => a.entry.index - b.entry.index);
}
