import type { ContextEdit } from "../../contracts/context.ts";
import type { NoteLimits } from "../fold-note.ts";
import { placeholderFor } from "../placeholder.ts";
import { firstUnseen, type Stage, type StageContext } from "../stage.ts";
import { foldNow } from "./summarise.ts";

export type CollapseParameters = NoteLimits & {
  /** Of the window. */
  readonly atShare: number;
  readonly tailTokens: number;
};

/** The last resort, one rung at a time: every result the model has seen, then a fold with a short tail, then the spine alone. */
export const collapse: Stage<CollapseParameters> = async (context, parameters) => {
  const isForced = context.fit.force === "collapse";
  const limit = parameters.atShare * context.windowTokens;
  if (!isForced && context.tokens < limit) return undefined;
  const archived = allSeenResults(context);
  if (archived.length > 0 && !isForced) return archived;
  const folded = await foldNow(context, parameters);
  if (folded) return [...archived, ...folded];
  const spine = await foldNow(context, { tailTokens: 0, userTokens: 0, proseTokens: 0, indexTokens: 500 });
  return spine ? [...archived, ...spine] : archived;
};

function allSeenResults(context: StageContext): ContextEdit[] {
  const { transcript, view, aged } = context;
  return transcript.results.slice(0, firstUnseen(context)).flatMap((result): ContextEdit[] => {
    const { part, entry } = result;
    const text = placeholderFor(result);
    if (aged.archived.has(part.callId) || view.isFolded(entry.index) || text.length >= part.text.length) return [];
    aged.archived.add(part.callId);
    return [{ type: "replace", messageId: entry.message.id, callId: part.callId, text }];
  });
}
