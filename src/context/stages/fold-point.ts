import type { StageContext } from "../stage.ts";

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
