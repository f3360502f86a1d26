import { contentAt } from "../platform/file-row.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { fileEntry, isSettledAt, type OpaqueEntry, opaqueEntry } from "./entry.ts";
import type { UndoLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import { forget, place, type Reading, type Survey, touch } from "./survey.ts";

export type ReadTools = { readonly store: ObjectStore; readonly limits: UndoLimits; readonly pace: Pace };

/** Reads what is new or changed and keeps it. */
export async function readContents(survey: Survey, { store, limits, pace }: ReadTools): Promise<void> {
  const { toRead } = survey;
  const limitBytes = affordable(toRead, limits);
  let done = 0;
  for (const reading of toRead) {
    readOne(survey, reading, { store, limitBytes, why: limitBytes < limits.fileBytes ? "too-much" : "large" });
    done++;
    await store.catchUp();
    if (pace.isDue()) await pace.pause(() => `Saving the project for undo: ${done} of ${toRead.length} files`);
  }
  await store.flush();
}

type Keeping = { readonly store: ObjectStore; readonly limitBytes: number; readonly why: OpaqueEntry["why"] };

function readOne(survey: Survey, { spot, row, known }: Reading, { store, limitBytes, why }: Keeping): void {
  const { path } = spot;
  const content = row.size > limitBytes ? "too-large" : contentAt(path, limitBytes);
  if (content === "gone") {
    if (known) forget(survey, known);
    return;
  }
  if (content === "too-large" || content === "unreadable") {
    if (known) touch(survey, path, known);
    const reason = content === "unreadable" ? content : why;
    place(survey, opaqueEntry(spot, row, { why: reason, nature: "file", fingerprint: "" }));
    return;
  }
  const hash = store.put(content.bytes);
  const size = content.bytes.length;
  const isSettled = size === content.row.size && isSettledAt(survey.startedMs, content.row);
  if (known === undefined) {
    place(survey, fileEntry(spot, { row: content.row, isSettled }, { hash, size }));
    return;
  }
  touch(survey, path, known);
  known.hash = hash;
  known.size = size;
  known.row = content.row;
  known.isSettled = isSettled;
}

/** The size up to which all files together stay within what one look takes in. */
function affordable(toRead: readonly Reading[], { fileBytes, lookBytes }: UndoLimits): number {
  let limitBytes = fileBytes;
  const total = () => toRead.reduce((sum, { row }) => sum + (row.size <= limitBytes ? row.size : 0), 0);
  while (total() > lookBytes) limitBytes /= 4;
  return limitBytes;
}
