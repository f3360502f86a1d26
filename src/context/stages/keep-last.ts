import type { FoldNote } from "../../contracts/context.ts";
import { textOf } from "../../contracts/message.ts";
import { extractSummary } from "../extract-summary.ts";
import type { Stage, StageContext } from "../stage.ts";
import { freedBy, keptThrough } from "./summarise.ts";

export type KeepLastParameters = {
  /** Acts from this many tokens, or this share of the window, on. */
  readonly atTokens?: number;
  readonly atShare?: number;
  readonly minMessages: number;
  /** Messages that stay; whole rounds, so it may be more. */
  readonly keep: number;
  /** The summary is asked for with a prompt of its own: so much of each message, so much in all, from which end. */
  readonly perMessage: number;
  readonly inAll: number;
  readonly from: "start" | "end";
  /** Words of the agent behind the summary. */
  readonly acknowledgement?: string;
};

/** The seeds' summaries: everything but the last few messages becomes one message. The summary's prompt is not a prefix of anything, so it is never cached. */
export const keepLast: Stage<KeepLastParameters> = async (context, parameters) => {
  const { transcript, view, windowTokens, fit } = context;
  const limit = Math.min(
    parameters.atTokens ?? Number.POSITIVE_INFINITY,
    (parameters.atShare ?? Number.POSITIVE_INFINITY) * windowTokens,
  );
  const isWanted = fit.force !== undefined;
  if (!isWanted && (context.tokens < limit || view.items.length <= parameters.minMessages)) return undefined;
  const through = lastFolded(context, parameters.keep);
  if (through === undefined) return undefined;
  const summary =
    (await context.summarise({ prompt: promptOf(context, parameters), limitTokens: 4_000 })) ??
    extractSummary(transcript, through);
  const { keepBefore, keepAfter } = keptThrough(context, through);
  const notes: readonly FoldNote[] = [
    { role: "user", text: `[Context compressed - conversation summary]\n${summary}` },
    ...(parameters.acknowledgement ? [{ role: "assistant", text: parameters.acknowledgement } as const] : []),
  ];
  const grown = notes.reduce((sum, { text }) => sum + context.estimate(text) + 10, 0);
  if (grown >= freedBy(context, through, new Set([...keepBefore, ...keepAfter]))) return undefined;
  return [{ type: "fold", through: transcript.entries[through]?.message.id ?? "", keepBefore, notes, keepAfter }];
};

function lastFolded({ transcript, view }: StageContext, keep: number): number | undefined {
  const { entries } = transcript;
  let start = entries.length - 1;
  while (start > 0 && entries[start]?.message.role !== "assistant") start--;
  start = Math.min(start, Math.max(entries.length - keep, 0));
  while (start > 0 && entries[start]?.message.role === "tool") start--;
  const through = start - 1;
  return through > 1 && through > view.foldedThrough ? through : undefined;
}

function promptOf({ view }: StageContext, { perMessage, inAll, from }: KeepLastParameters): string {
  const texts = view.messages.map((message) => {
    const results = message.parts.map((part) => (part.type === "tool-result" ? part.text : ""));
    return `[${message.role}] ${[textOf(message), ...results].join(" ").slice(0, perMessage)}`;
  });
  const joined = texts.join("\n");
  return from === "start" ? joined.slice(0, inAll) : joined.slice(-inAll);
}
