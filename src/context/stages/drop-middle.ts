import { spineOf } from "../fold-note.ts";
import type { Stage } from "../stage.ts";

export type DropParameters = { readonly maxMessages: number; readonly head: number; readonly tail: number };

/** four-layer, snip: of too many messages the first few and the last many stay. Whole rounds only, which its ancestor did not heed. */
export const dropMiddle: Stage<DropParameters> = ({ transcript, view }, { maxMessages, head, tail }) => {
  if (view.items.length <= maxMessages) return undefined;
  const { entries } = transcript;
  let through = entries.length - tail - 1;
  while (through >= 0 && entries[through + 1]?.message.role === "tool") through--;
  if (through < head || through <= view.foldedThrough) return undefined;
  // what another fold has taken away does not come back
  const opening = entries
    .slice(0, head)
    .filter(({ message, index }) => message.role === "user" && !view.isFolded(index));
  const { first, latest } = spineOf(transcript);
  const before = [...new Set([...(first ? [first.id] : []), ...opening.map(({ message }) => message.id)])];
  const latestIndex = latest ? (transcript.byId(latest.id)?.index ?? 0) : 0;
  const after = latest && latestIndex <= through && !before.includes(latest.id) ? [latest.id] : [];
  const note = `[${through + 1 - before.length - after.length} earlier messages were left out]`;
  const edit = {
    type: "fold",
    through: entries[through]?.message.id ?? "",
    keepBefore: before,
    notes: [{ role: "user", text: note }],
    keepAfter: after,
  } as const;
  return [edit];
};
