import type { ContextEdit } from "../../contracts/context.ts";
import type { ToolResultPart } from "../../contracts/message.ts";
import type { StageContext } from "../stage.ts";
import type { ResultEntry } from "../transcript.ts";
import { shownResult } from "./shown-result.ts";

/** Shorter texts are not worth a reference. */
const twinCharacters = 600;

/** An earlier result with exactly this text that the model still sees whole. */
export function twinOf(
  { part, twin }: ResultEntry,
  { transcript, view, firstFresh }: StageContext,
): ToolResultPart | undefined {
  if (part.text.length < twinCharacters || part.images) return undefined;
  const firstUnsent = transcript.results[firstFresh]?.entry.index ?? 0;
  let earlier = twin;
  while (earlier && (earlier.entry.index >= firstUnsent || !view.isWhole(earlier.entry.index))) earlier = earlier.twin;
  return earlier?.part;
}

/** What stands for a text that can be read further up. */
export function referenceTo({ handle, text }: ToolResultPart): string {
  return `[the same ${text.length} characters as ${handle} above]`;
}

/** The result that a reference in the view points to. */
function referred(context: StageContext, result: ResultEntry): ResultEntry | undefined {
  const shown = shownResult(context, result);
  if (shown === undefined || shown === result.part) return undefined;
  let earlier = result.twin;
  while (earlier && shown.text !== referenceTo(earlier.part)) earlier = earlier.twin;
  return earlier;
}

type Replacement = Extract<ContextEdit, { type: "replace" }>;

/** Before a fold: what stays and only refers to what goes gets its own text back. */
export function withoutDangling(context: StageContext, through: number): readonly Replacement[] {
  const { results } = context.transcript;
  const edits: Replacement[] = [];
  for (let at = results.length - 1; at >= 0; at--) {
    const result = results[at] as ResultEntry;
    if (result.entry.index <= through) break;
    const source = result.twin && referred(context, result);
    if (source === undefined || source.entry.index > through) continue;
    const { part, entry } = result;
    edits.push({ type: "replace", messageId: entry.message.id, callId: part.callId, text: part.text });
  }
  return edits;
}

/** Results with the same text; only the newest of them matters. */
type Family = { newest: ResultEntry };

const families = new WeakMap<ResultEntry, Family>();

/** To be told of every result, in order. */
export function joinFamily(result: ResultEntry): void {
  const family = result.twin && families.get(result.twin);
  if (family) family.newest = result;
  families.set(result, family ?? { newest: result });
}

/** The call that last brought a result's text to light: its own, or that of a later one which only refers to it. */
export function lastSeenAt(context: StageContext, result: ResultEntry): number {
  const newest = families.get(result)?.newest ?? result;
  const refersToIt = newest !== result && shownResult(context, newest)?.text === referenceTo(result.part);
  return refersToIt ? newest.entry.call : result.entry.call;
}
