import type { ContextEdit } from "../../contracts/context.ts";
import { extractSummary } from "../extract-summary.ts";
import { foldNote, type NoteLimits, spineOf } from "../fold-note.ts";
import { isWorthwhile, type Stage, type StageContext } from "../stage.ts";

export type SummariseParameters = NoteLimits & {
  /** Fold when the view has grown to this many tokens… */
  readonly atTokens: number;
  /** …or to this share of the window, or to a price tier, whichever comes first. */
  readonly atShare: number;
  /** The newest tokens stay as they are. */
  readonly tailTokens: number;
};

/** The conversation is folded into notes when it has grown too large, or when somebody asked for it. */
export const summarise: Stage<SummariseParameters> = (context, parameters) => {
  const isWanted = context.fit.force === "summarise";
  if (!isWanted && context.tokens < foldThreshold(context, parameters)) return undefined;
  // who asks for a fold wants one, also when all there is would fit into the usual tail
  const tailTokens = isWanted
    ? Math.min(parameters.tailTokens, Math.floor(context.view.tokens / 4))
    : parameters.tailTokens;
  return foldNow(context, { ...parameters, tailTokens });
};

export function foldThreshold(
  { windowTokens, prices }: Pick<StageContext, "windowTokens" | "prices">,
  { atTokens, atShare }: Pick<SummariseParameters, "atTokens" | "atShare">,
): number {
  return Math.min(atTokens, atShare * windowTokens, 0.97 * (prices.tierAt ?? Number.POSITIVE_INFINITY));
}

/** Longest summary worth having. */
const summaryTokens = 8_000;

/** A note is a message like any other. */
const noteOverhead = 10;

export async function foldNow(
  context: StageContext,
  given: NoteLimits & { readonly tailTokens: number },
): Promise<readonly ContextEdit[] | undefined> {
  const { transcript, view, estimate, windowTokens } = context;
  const limits = fitted(given, windowTokens);
  const through = foldPoint(context, limits.tailTokens);
  if (through === undefined) return undefined;
  const { keepBefore, keepAfter } = keptThrough(context, through);
  const kept = new Set([...keepBefore, ...keepAfter]);
  const note = (summary: string) =>
    foldNote({ transcript, estimate, through, summary, limits, kept, pinned: context.pinned() });
  const isWorth = (text: string) =>
    isWorthwhile(context, freedBy(context, through, kept) - estimate(text) - noteOverhead);
  // before the model is asked: everything but its summary is known already
  if (!isWorth(note(extractSummary(transcript, through)))) return undefined;
  const limitTokens = Math.min(summaryTokens, Math.floor(windowTokens * 0.15), Math.floor(view.tokens / 2));
  const summary = await context.summarise({ limitTokens });
  const text =
    summary === undefined || !isWorth(note(summary)) ? note(extractSummary(transcript, through)) : note(summary);
  return [
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

/** Small windows keep small notes: each part has its share at most. */
function fitted(
  limits: NoteLimits & { readonly tailTokens: number },
  windowTokens: number,
): NoteLimits & { readonly tailTokens: number } {
  const share = (most: number, part: number) => Math.min(most, Math.floor(windowTokens * part));
  return {
    tailTokens: share(limits.tailTokens, 0.2),
    userTokens: share(limits.userTokens, 0.15),
    proseTokens: share(limits.proseTokens, 0.06),
    indexTokens: share(limits.indexTokens, 0.05),
  };
}

/** Last message that may be folded: whole rounds only; the tail and the newest round stay. Undefined when there is nothing worth folding. */
export function foldPoint(
  { transcript, view }: Pick<StageContext, "transcript" | "view">,
  tailTokens: number,
): number | undefined {
  const { entries } = transcript;
  let index = entries.length - 1;
  // what the model has not answered yet, and the answer that led to it
  while (index > 0 && entries[index]?.message.role !== "assistant") index--;
  let tail = 0;
  for (; index > 0; index--) {
    tail += view.items[view.items.length - (entries.length - index)]?.tokens ?? 0;
    if (tail > tailTokens) break;
  }
  while (index > 0 && entries[index]?.message.role === "tool") index--;
  const through = index - 1;
  return through > 1 && through > view.foldedThrough ? through : undefined;
}
