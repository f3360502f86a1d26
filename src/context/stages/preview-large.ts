import type { ContextEdit } from "../../contracts/context.ts";
import type { Stage } from "../stage.ts";

export type PreviewParameters = {
  readonly roundCharacters: number;
  readonly eachCharacters: number;
  readonly previewCharacters: number;
};

/** four-layer, budget: when the newest round is too large, its largest results keep a preview; the rest is one recall away. */
export const previewLarge: Stage<PreviewParameters> = (
  { transcript, firstFresh },
  { roundCharacters, eachCharacters, previewCharacters },
) => {
  const fresh = transcript.results.slice(firstFresh).toSorted((a, b) => b.part.text.length - a.part.text.length);
  let total = fresh.reduce((sum, { part }) => sum + part.text.length, 0);
  const edits: ContextEdit[] = [];
  for (const { part, entry } of fresh) {
    if (total <= roundCharacters || part.text.length <= eachCharacters) break;
    total -= part.text.length - previewCharacters;
    const text = `[${part.text.length} characters kept as ${part.handle}; this is their beginning]\n${part.text.slice(0, previewCharacters)}`;
    edits.push({ type: "replace", messageId: entry.message.id, callId: part.callId, text });
  }
  return edits;
};
