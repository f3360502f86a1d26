import type { ContextEdit } from "../../contracts/context.ts";
import { foldNote, type NoteLimits, spineOf } from "../fold-note.ts";
import type { StageContext } from "../stage.ts";
import type { Estimate } from "../transcript.ts";

export type SummariseParameters = NoteLimits & {
  /** Fold when the view has grown to this many tokens… */
  readonly atTokens: number;
  /** …or to this share of the window, whichever comes first. */
  readonly atShare: number;
  /** The newest tokens stay as they are. */
  readonly tailTokens: number;
};

/** Last message that may be folded: whole rounds only, the tail stays. Undefined when there is nothing worth folding. */
export function foldPoint(
  { transcript, view }: Pick<StageContext, "transcript" | "view">,
  tailTokens: number,
): number | undefined {
  const { entries } = transcript;
  let tail = 0;
  let index = entries.length - 1;
  for (; index > 0; index--) {
    const item = view.items[view.items.length - (entries.length - index)];
    tail += item?.tokens ?? 0;
    if (tail > tailTokens) break;
  }
  // a round begins with an assistant message or a request; results belong to the message before them
  while (index < entries.length && entries[index]?.message.role === "tool") index++;
  const through = index - 1;
  return through > 1 && !view.isFolded(through) ? through : undefined;
}

export function foldEdit(
  context: Pick<StageContext, "transcript">,
  input: { through: number; summary: string; limits: NoteLimits; estimate: Estimate },
): ContextEdit {
  const { transcript } = context;
  const { first, latest } = spineOf(transcript);
  const isFolded = (id: string | undefined) =>
    id !== undefined && (transcript.byId(id)?.index ?? Number.POSITIVE_INFINITY) <= input.through;
  const keepBefore = first && isFolded(first.id) ? [first.id] : [];
  const keepAfter = latest && latest.id !== first?.id && isFolded(latest.id) ? [latest.id] : [];
  const kept = new Set([...keepBefore, ...keepAfter]);
  const text = foldNote({
    transcript,
    estimate: input.estimate,
    through: input.through,
    summary: input.summary,
    limits: input.limits,
    kept,
  });
  const through = transcript.entries[input.through]?.message.id ?? "";
  return { type: "fold", through, keepBefore, notes: [{ role: "user", text }], keepAfter };
}
