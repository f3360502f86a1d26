import type { ContextEdit } from "../../contracts/context.ts";
import { firstErrorLine } from "../placeholder.ts";
import type { Estimate, ResultEntry } from "../transcript.ts";

export type ShapeParameters = {
  /** Longest result that enters the view whole. */
  readonly resultTokens: number;
  /** All results of one round together. */
  readonly roundTokens: number;
};

export type ShapeInput = {
  /** Results that no request has carried yet: changing them costs nothing. */
  readonly fresh: readonly ResultEntry[];
  readonly parameters: ShapeParameters;
  readonly estimate: Estimate;
};

/** A result too long for the window keeps its head, its tail and its errors; the whole of it stays one recall away. */
export function shape({ fresh, parameters, estimate }: ShapeInput): ContextEdit[] {
  const edits: ContextEdit[] = [];
  let left = parameters.roundTokens;
  // the largest first: many small results are worth more than one long one
  const caps = new Map<ResultEntry, number>();
  for (const result of fresh.toSorted((a, b) => a.tokens - b.tokens)) {
    const cap = Math.min(parameters.resultTokens, Math.max(left, 500));
    caps.set(result, cap);
    left -= Math.min(result.tokens, cap);
  }
  for (const result of fresh) {
    const cap = caps.get(result) ?? parameters.resultTokens;
    if (result.tokens <= cap) continue;
    edits.push({
      type: "replace",
      messageId: result.entry.message.id,
      callId: result.part.callId,
      text: shorten(result, cap, estimate),
    });
  }
  return edits;
}

function shorten({ part, tokens }: ResultEntry, cap: number, estimate: Estimate): string {
  const perCharacter = tokens / Math.max(part.text.length, 1);
  const characters = Math.max(Math.floor((cap * 0.92) / Math.max(perCharacter, 0.05)), 200);
  const head = part.text.slice(0, Math.floor(characters * 0.6));
  const tail = part.text.slice(-Math.floor(characters * 0.4));
  const middle = part.text.slice(head.length, part.text.length - tail.length);
  const error = firstErrorLine(middle);
  const note = `[… ${middle.length} characters (about ${estimate(middle)} tokens) left out; recall("${part.handle}") has all of it …]`;
  return [head, note, ...(error === undefined ? [] : [error]), tail].join("\n");
}
