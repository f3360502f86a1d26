import type { ContextEdit } from "../../contracts/context.ts";
import { firstErrorLine } from "../placeholder.ts";
import type { Stage } from "../stage.ts";
import type { Estimate, ResultEntry } from "../transcript.ts";
import { referenceTo, twinOf } from "./twins.ts";

export type ShapeParameters = {
  /** What is left of a result that is too long… */
  readonly resultTokens: number;
  /** …and what is too long. More than the above: cutting must save more than the call that may have to fetch it again. */
  readonly wholeTokens: number;
  /** All results of one round together. */
  readonly roundTokens: number;
};

/** A result too long for the window keeps its head, its tail and its errors; the whole of it stays one recall away. */
export const shape: Stage<ShapeParameters> = (context, parameters) => {
  const { transcript, firstFresh, estimate, windowTokens } = context;
  const fresh = transcript.results.slice(firstFresh);
  const edits: ContextEdit[] = [];
  // in a small window one result must leave room for the rest
  const share = (most: number) => Math.min(most, Math.floor(windowTokens * 0.15));
  const most = share(parameters.resultTokens);
  const whole = share(parameters.wholeTokens);
  let left = Math.min(parameters.roundTokens, Math.floor(windowTokens * 0.3));
  const caps = new Map<ResultEntry, number>();
  // the smallest are served first: many small results are worth more than one long one
  // images cannot be shortened; only the text is looked at
  const textTokens = new Map(fresh.map((result) => [result, estimate(result.part.text)]));
  const sizeOf = (result: ResultEntry) => textTokens.get(result) ?? 0;
  for (const result of fresh.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const size = sizeOf(result);
    const shown = size <= Math.min(whole, left) ? size : Math.min(most, Math.max(left, 200));
    caps.set(result, shown);
    left -= Math.min(size, shown);
  }
  for (const result of fresh) {
    const twin = twinOf(result, context);
    if (twin !== undefined) {
      edits.push({ ...editOf(result), text: referenceTo(twin) });
      continue;
    }
    const cap = caps.get(result) ?? most;
    if (sizeOf(result) <= cap) continue;
    const text = shorten(result, cap, estimate);
    // a little over the cap, the note would cost more than it saves
    if (text.length < result.part.text.length) edits.push({ ...editOf(result), text, keepImages: true });
  }
  return edits;
};

function editOf({ part, entry }: ResultEntry) {
  return { type: "replace", messageId: entry.message.id, callId: part.callId } as const;
}

function shorten({ part }: ResultEntry, cap: number, estimate: Estimate): string {
  const perCharacter = estimate(part.text) / Math.max(part.text.length, 1);
  const characters = Math.max(Math.floor((cap * 0.92) / Math.max(perCharacter, 0.05)), 200);
  const head = part.text.slice(0, Math.floor(characters * 0.6));
  const tail = part.text.slice(-Math.floor(characters * 0.4));
  const middle = part.text.slice(head.length, part.text.length - tail.length);
  const error = firstErrorLine(middle);
  const note = `[… ${middle.length} characters (about ${estimate(middle)} tokens) left out; recall("${part.handle}") has all of it …]`;
  return [head, note, ...(error === undefined ? [] : [error]), tail].join("\n");
}
