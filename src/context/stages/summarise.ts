import type { ContextEdit } from "../../contracts/context.ts";
import { extractSummary } from "../extract-summary.ts";
import { foldNote, spineOf } from "../fold-note.ts";
import { typicalPrices } from "../pricing.ts";
import { isWorthwhile, type Stage, type StageContext } from "../stage.ts";
import { bookCall } from "./book-call.ts";
import { foldEstimate } from "./fold-estimate.ts";
import { type FoldLimits, fitted, hardLimit } from "./fold-limits.ts";
import { foldPoint } from "./fold-point.ts";
import { withoutDangling } from "./twins.ts";

export type SummariseParameters = FoldLimits & {
  /** Fold when the view has grown to this many tokens… */
  readonly atTokens?: number;
  /** …or to this many, or more where reading them costs less than usual, as soon as the session is good for it… */
  readonly fromTokens?: number;
  /** …or to this share of the window, or to a price tier, whichever comes first. */
  readonly atShare: number;
};

/** The conversation is folded into notes when it has grown too large, or when somebody asked for it. */
export const summarise: Stage<SummariseParameters> = (context, parameters) => {
  const isWanted = context.fit.force === "summarise";
  bookCall(context);
  if (!isWanted && !isTooLarge(context, parameters)) return undefined;
  // who asks for a fold wants one, also when all there is would fit into the usual tail
  const tailTokens = isWanted
    ? Math.min(parameters.tailTokens, Math.floor(context.view.tokens / 4))
    : parameters.tailTokens;
  return foldNow(context, { ...parameters, tailTokens });
};

function isTooLarge(context: StageContext, parameters: SummariseParameters): boolean {
  const { tokens, rent, isCold } = context;
  const { atTokens = Number.POSITIVE_INFINITY, atShare } = parameters;
  if (tokens < foldThreshold(context, parameters)) return false;
  if (tokens >= Math.min(atTokens, hardLimit(context, atShare))) return true;
  // without the cache a summary costs many times as much: it can wait for the next call
  return !isCold && !rent.hasMoved && rent.affords(foldEstimate(context, parameters).price);
}

/** Where a fold may come. */
export function foldThreshold(
  context: Pick<StageContext, "windowTokens" | "prices">,
  { atTokens, fromTokens, atShare }: Pick<SummariseParameters, "atTokens" | "fromTokens" | "atShare">,
): number {
  const never = Number.POSITIVE_INFINITY;
  const cheapness = Math.max(typicalPrices.cacheRead / context.prices.cacheRead, 1);
  return Math.min(atTokens ?? never, cheapness * (fromTokens ?? never), hardLimit(context, atShare));
}

/** Longest summary worth having. */
const longestSummary = 8_000;

/** A note is a message like any other. */
const noteOverhead = 10;

export async function foldNow(context: StageContext, given: FoldLimits): Promise<readonly ContextEdit[] | undefined> {
  const { transcript, view, estimate, windowTokens } = context;
  const limits = fitted(given, windowTokens);
  const through = foldPoint(context, limits.tailTokens);
  if (through === undefined) return undefined;
  const { keepBefore, keepAfter } = keptThrough(context, through);
  const kept = new Set([...keepBefore, ...keepAfter]);
  const note = (summary: string) =>
    foldNote({ transcript, estimate, through, summary, limits, kept, pinned: context.pinned() });
  const restored = withoutDangling(context, through);
  const grown = restored.reduce((sum, edit) => sum + estimate(edit.text), 0);
  const isWorth = (text: string) =>
    isWorthwhile(context, freedBy(context, through, kept) - grown - estimate(text) - noteOverhead);
  // before the model is asked: everything but its summary is known already
  if (!isWorth(note(extractSummary(transcript, through)))) return undefined;
  const limitTokens = Math.min(longestSummary, Math.floor(windowTokens * 0.15), Math.floor(view.tokens / 2));
  const summary = await context.summarise({ limitTokens });
  const text =
    summary === undefined || !isWorth(note(summary)) ? note(extractSummary(transcript, through)) : note(summary);
  // on a cold cache everything is written anew, fold or no fold
  if (!context.isCold) bookCall(context);
  context.rent.made("fold", context.isCold ? 0 : foldEstimate(context, given).price);
  return [
    ...restored,
    {
      type: "fold",
      through: transcript.entries[through]?.message.id ?? "",
      keepBefore,
      notes: [{ role: "user", text }],
      keepAfter,
    },
  ];
}

/** The first and the latest request stay as they are, wherever the fold is. */
export function keptThrough(
  { transcript }: Pick<StageContext, "transcript">,
  through: number,
): { keepBefore: string[]; keepAfter: string[] } {
  const { first, latest } = spineOf(transcript);
  const isFolded = (id: string | undefined) =>
    id !== undefined && (transcript.byId(id)?.index ?? Number.POSITIVE_INFINITY) <= through;
  return {
    keepBefore: first && isFolded(first.id) ? [first.id] : [],
    keepAfter: latest && latest.id !== first?.id && isFolded(latest.id) ? [latest.id] : [],
  };
}

/** Tokens that leave the view when everything through a message is folded. */
export function freedBy({ view }: StageContext, through: number, kept: ReadonlySet<string>): number {
  return view.items.reduce((sum, { index, message, tokens }) => {
    const goes = (index === undefined || index <= through) && !kept.has(message.id);
    return goes ? sum + tokens : sum;
  }, 0);
}
