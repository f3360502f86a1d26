import type { ContextEdit } from "../../contracts/context.ts";
import { firstUnseen, type Stage } from "../stage.ts";

export type SnipParameters = {
  readonly atShare: number;
  readonly minCharacters: number;
  readonly minLines: number;
  readonly keepLines: number;
};

/** three-layer, layer 1: long results keep their first and last lines. (Its ancestor also cut results the model had not seen; we do not.) */
export const snipLines: Stage<SnipParameters> = (context, { atShare, minCharacters, minLines, keepLines }) => {
  const { transcript, view, aged } = context;
  if (context.tokens < atShare * context.windowTokens) return undefined;
  return transcript.results.slice(0, firstUnseen(context)).flatMap(({ part, entry }): ContextEdit[] => {
    if (aged.archived.has(part.callId) || view.isFolded(entry.index) || part.text.length <= minCharacters) return [];
    const lines = part.text.split("\n");
    if (lines.length <= minLines) return [];
    const text = [
      ...lines.slice(0, keepLines),
      `[… ${lines.length - 2 * keepLines} lines snipped …]`,
      ...lines.slice(-keepLines),
    ].join("\n");
    return [{ type: "replace", messageId: entry.message.id, callId: part.callId, text, archived: true }];
  });
};
