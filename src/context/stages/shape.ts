import type { ContextEdit } from "../../contracts/context.ts";
import type { ToolResultPart } from "../../contracts/message.ts";
import { firstErrorLine } from "../placeholder.ts";
import type { Stage, StageContext } from "../stage.ts";
import type { Estimate, ResultEntry } from "../transcript.ts";

export type ShapeParameters = {
  /** Longest result that enters the view whole. */
  readonly resultTokens: number;
  /** All results of one round together. */
  readonly roundTokens: number;
};

/** A result too long for the window keeps its head, its tail and its errors; the whole of it stays one recall away. */
export const shape: Stage<ShapeParameters> = (context, parameters) => {
  const { transcript, firstFresh, estimate, windowTokens } = context;
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
    const twin = twinOf(result, context);
    if (twin !== undefined) {
      edits.push({
        ...editOf(result),
        text: `[the same ${result.part.text.length} characters as ${twin.handle} above]`,
      });
      continue;
    }
    const cap = caps.get(result) ?? most;
    if (sizeOf(result) <= cap) continue;
    edits.push({ ...editOf(result), text: shorten(result, cap, estimate), keepImages: true });
  }
  return edits;
};

function editOf({ part, entry }: ResultEntry) {
  return { type: "replace", messageId: entry.message.id, callId: part.callId } as const;
}

/** Shorter texts are not worth a reference. */
const twinCharacters = 600;

/** An earlier result with exactly this text that the model still sees whole. */
function twinOf(
  { part, twin }: ResultEntry,
  { transcript, view, firstFresh }: StageContext,
): ToolResultPart | undefined {
  if (part.text.length < twinCharacters || part.images) return undefined;
  const firstUnsent = transcript.results[firstFresh]?.entry.index ?? 0;
  let earlier = twin;
  while (earlier && (earlier.entry.index >= firstUnsent || !view.isWhole(earlier.entry.index))) earlier = earlier.twin;
  return earlier?.part;
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
