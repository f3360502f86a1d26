import type { ContextEdit } from "../../contracts/context.ts";
import { firstErrorLine } from "../placeholder.ts";
import type { Stage } from "../stage.ts";
import type { Estimate, ResultEntry } from "../transcript.ts";

export type ShapeParameters = {
  /** Longest result that enters the view whole. */
  readonly resultTokens: number;
  /** All results of one round together. */
  readonly roundTokens: number;
};

/** A result too long for the window keeps its head, its tail and its errors; the whole of it stays one recall away. */
export const shape: Stage<ShapeParameters> = ({ transcript, firstFresh, estimate, windowTokens }, parameters) => {
  const fresh = transcript.results.slice(firstFresh);
  const edits: ContextEdit[] = [];
  // in a small window one result must leave room for the rest
  const most = Math.min(parameters.resultTokens, Math.floor(windowTokens * 0.15));
  let left = Math.min(parameters.roundTokens, Math.floor(windowTokens * 0.3));
  const caps = new Map<ResultEntry, number>();
  // the smallest are served first: many small results are worth more than one long one
  // images cannot be shortened; only the text is looked at
  const textTokens = new Map(fresh.map((result) => [result, estimate(result.part.text)]));
  const sizeOf = (result: ResultEntry) => textTokens.get(result) ?? 0;
  for (const result of fresh.toSorted((a, b) => sizeOf(a) - sizeOf(b))) {
    const cap = Math.min(most, Math.max(left, 200));
    caps.set(result, cap);
    left -= Math.min(sizeOf(result), cap);
  }
  for (const result of fresh) {
    const cap = caps.get(result) ?? most;
    if (sizeOf(result) <= cap) continue;
    const { part, entry } = result;
    edits.push({
      type: "replace",
      messageId: entry.message.id,
      callId: part.callId,
      text: shorten(result, cap, estimate),
      keepImages: true,
    });
  }
  return edits;
};

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
