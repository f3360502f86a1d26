import type { ContextEdit } from "../../contracts/context.ts";
import { placeholderFor } from "../placeholder.ts";
import { rewritePrice } from "../pricing.ts";
import { isWorthwhile, type Stage, type StageContext } from "../stage.ts";
import type { ResultEntry } from "../transcript.ts";
import { bookCall } from "./book-call.ts";
import { hardLimit } from "./fold-limits.ts";
import { shownTokens } from "./shown-result.ts";
import { joinFamily, lastSeenAt } from "./twins.ts";

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
  /** Age at which a result may go on a cold cache. */
  readonly coldAge: number;
  /** A result recalled this many calls ago stays. */
  readonly recalledAge: number;
  /** From this share of the window on it must free room, whatever it costs. */
  readonly atShare: number;
};

/** Results that have done their work leave the view in one batch, when carrying them has cost more than the rewrite will. */
export const archive: Stage<ArchiveParameters> = (context, parameters) => {
  const { rent, view, isCold } = context;
  bookCall(context);
  const waiting = agedResults(context, parameters);
  const freed = waiting.reduce((sum, result) => sum + savedBy(context, result), 0);
  const first = waiting[0];
  if (first === undefined) return undefined;
  // what is new is written in any case
  const price = rewritePrice(context.prices, view.tokensFrom(first.entry.index) - freed - rent.fresh);
  rent.carry("archive", freed);
  const isFree = isCold && freed > parameters.coldTokens;
  const isDue = rent.isDue("archive", price) || isFree || makesRoom(context, parameters, { freed, price });
  if (!isDue || !isWorthwhile(context, freed)) return undefined;
  rent.made("archive", isCold ? 0 : price);
  return waiting.map((result): ContextEdit => {
    const { part, entry } = result;
    return {
      type: "replace",
      messageId: entry.message.id,
      callId: part.callId,
      text: placeholderFor(result),
      archived: true,
    };
  });
};

/** At the soft limit archiving must buy real room; if it would be full again in a few calls, a fold is cheaper now. */
const roomShare = 0.6;

function makesRoom(
  context: StageContext,
  { atShare }: ArchiveParameters,
  { freed, price }: { readonly freed: number; readonly price: number },
): boolean {
  const { isTight, tokens, scaled, foldAtTokens, rent } = context;
  return (
    isTight &&
    tokens - scaled(freed) <= roomShare * foldAtTokens &&
    price <= rent.foldPrice &&
    (rent.affords(price) || tokens >= hardLimit(context, atShare))
  );
}

/** About what the placeholder itself costs. */
const placeholderTokens = 40;

function savedBy(context: StageContext, result: ResultEntry): number {
  return Math.max(shownTokens(context, result) - placeholderTokens, 0);
}

/** Of a small window the tail is a small part. */
const tailShare = 0.2;

/** All results old enough to go, oldest first. The list is kept between calls: a call only looks at what comes of age with it. */
function agedResults(context: StageContext, parameters: ArchiveParameters): readonly ResultEntry[] {
  const { transcript, view, aged, recalledAt, windowTokens } = context;
  const now = transcript.calls;
  const tailTokens = Math.min(parameters.tailTokens, tailShare * windowTokens);
  const wait = (result: ResultEntry) => {
    const due = dueAt(result, context, parameters);
    if (due <= now) aged.ready.push(result);
    else aged.due.set(due, [...(aged.due.get(due) ?? []), result]);
  };
  for (; aged.next < transcript.results.length; aged.next++) {
    const result = transcript.results[aged.next] as ResultEntry;
    joinFamily(result);
    if (result.tokens > parameters.minTokens) wait(result);
  }
  for (let call = aged.lastCall + 1; call <= now; call++) {
    const due = aged.due.get(call) ?? [];
    aged.due.delete(call);
    for (const result of due) wait(result);
  }
  aged.lastCall = now;
  if (context.isCold) {
    for (const waiting of aged.due.values()) aged.ready.push(...waiting);
    aged.due.clear();
  }
  aged.ready = aged.ready.filter(({ part, entry }) => !aged.archived.has(part.callId) && !view.isFolded(entry.index));
  return aged.ready
    .filter((result) => {
      const recalled = recalledAt.get(result.part.handle) ?? Number.NEGATIVE_INFINITY;
      return (
        dueAt(result, context, parameters) <= now &&
        view.tokensFrom(result.entry.index) > tailTokens &&
        now - recalled > parameters.recalledAge &&
        savedBy(context, result) > 0
      );
    })
    .toSorted((a, b) => a.entry.index - b.entry.index);
}

/** The call at which a result has done its work. Letting it go is free on a cold cache, so it goes sooner there. */
function dueAt(result: ResultEntry, context: StageContext, parameters: ArchiveParameters): number {
  const { age, smallAge, smallTokens, coldAge } = parameters;
  return lastSeenAt(context, result) + (context.isCold ? coldAge : result.tokens < smallTokens ? smallAge : age);
}
