import type { ContextEdit } from "../../contracts/context.ts";
import { placeholderFor } from "../placeholder.ts";
import { firstUnseen, isWorthwhile, type Stage, type StageContext } from "../stage.ts";
import type { FoldLimits } from "./fold-limits.ts";
import { shownTokens } from "./shown-result.ts";
import { foldNow } from "./summarise.ts";

export type CollapseParameters = FoldLimits & {
  /** Of the window. */
  readonly atShare: number;
};

/** The last resort, one rung at a time: every result the model has seen, then a fold with a short tail, then the spine alone. */
export const collapse: Stage<CollapseParameters> = async (context, parameters) => {
  const isForced = context.fit.force === "collapse";
  const limit = parameters.atShare * context.windowTokens;
  if (!isForced && context.tokens < limit) return undefined;
  const { edits: archived, freed } = allSeenResults(context);
  if (!isForced && isWorthwhile(context, freed)) return archived;
  const folded = (await foldNow(context, parameters)) ?? (await foldNow(context, spineOnly));
  if (folded) return folded;
  return isForced || isWorthwhile(context, freed) ? archived : undefined;
};

const spineOnly = { tailTokens: 0, userTokens: 0, proseTokens: 0, indexTokens: 500 };

/** What is left of a message besides its text. */
const messageOverhead = 10;

type Archived = { readonly edits: readonly ContextEdit[]; readonly freed: number };

function allSeenResults(context: StageContext): Archived {
  const { transcript, view, aged, estimate } = context;
  let freed = 0;
  const edits = transcript.results.slice(0, firstUnseen(context)).flatMap((result) => {
    const { part, entry } = result;
    const text = placeholderFor(result);
    if (aged.archived.has(part.callId) || view.isFolded(entry.index) || text.length >= part.text.length) return [];
    freed += shownTokens(context, result) - estimate(text) - messageOverhead;
    return [{ type: "replace", messageId: entry.message.id, callId: part.callId, text, archived: true } as const];
  });
  return { edits, freed };
}
