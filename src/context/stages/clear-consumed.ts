import type { ContextEdit } from "../../contracts/context.ts";
import { firstUnseen, type Stage } from "../stage.ts";

export type ClearParameters = {
  /** The newest results stay. */
  readonly keep: number;
  readonly minCharacters: number;
  /** Tools whose results stay for ever. */
  readonly except: readonly string[];
};

/** micro-auto and four-layer: on every call, all but the last few results make way for a placeholder. This is what breaks prompt caches. */
export const clearConsumed: Stage<ClearParameters> = (context, { keep, minCharacters, except }) => {
  const { transcript, view, aged } = context;
  return transcript.results
    .slice(0, Math.min(firstUnseen(context), Math.max(transcript.results.length - keep, 0)))
    .flatMap(({ part, entry }): ContextEdit[] => {
      const stays = aged.archived.has(part.callId) || view.isFolded(entry.index) || part.text.length <= minCharacters;
      if (stays || except.some((name) => name.toLowerCase() === part.tool.toLowerCase())) return [];
      const text = `[Previous: used ${part.tool}]`;
      return [{ type: "replace", messageId: entry.message.id, callId: part.callId, text, archived: true }];
    });
};
