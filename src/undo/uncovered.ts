import { displayPath } from "../platform/paths.ts";
import { countFiles } from "../platform/survey-folder.ts";
import { showControl } from "../platform/terminal-text.ts";
import type { OpaqueEntry } from "./entry.ts";
import type { UndoLimits } from "./limits.ts";

/** More lines than this say no more. */
const shownNotes = 8;
const countedFiles = 100_000;

export type UncoveredFindings = {
  readonly opaque: Iterable<OpaqueEntry>;
  /** Folders. */
  readonly undecodable: Iterable<string>;
};

/** What changed and cannot be taken back, for a person. Paths are shown from `root` on. */
export function describeUncovered(found: UncoveredFindings, root: string, limits: UndoLimits): string[] {
  const show = (path: string) => showControl(displayPath(path, root));
  const notes = [
    ...[...found.opaque].map((entry) => describe(entry, show(entry.path), limits)),
    ...[...found.undecodable].map((folder) => `A name in ${show(folder)} is not UTF-8: undo does not cover it.`),
  ];
  if (notes.length <= shownNotes) return notes;
  return [...notes.slice(0, shownNotes - 1), `${notes.length - shownNotes + 1} more are not covered by undo.`];
}

function describe({ why, nature, row, path }: OpaqueEntry, shown: string, limits: UndoLimits): string {
  switch (why) {
    case "heavy":
      return `${shown} (${describeCount(path)}) is not covered by undo.`;
    case "large":
      return `${shown} (${inMegabytes(row.size)}) is too large for undo, which covers files up to ${inMegabytes(limits.fileBytes)}.`;
    case "ignored-large":
      return `${shown} (${inMegabytes(row.size)}) is too large for undo, which covers ignored files up to ${inMegabytes(limits.ignoredFileBytes)}.`;
    case "too-much":
      return `${shown} (${inMegabytes(row.size)}) is not covered by undo: too much is new at once.`;
    case "unreadable":
      return `${shown} cannot be read, so undo does not cover it.`;
    case "special":
      return `${shown} is a ${nature}, so undo does not cover it.`;
  }
}

function describeCount(folder: string): string {
  const count = countFiles(folder, countedFiles);
  if (count === 0) return "an ignored folder, now empty or gone";
  return `${count > countedFiles ? "more than " : ""}${Math.min(count, countedFiles).toLocaleString("en-US")} files`;
}

export function inMegabytes(bytes: number): string {
  const megabytes = bytes / 1024 / 1024;
  return `${megabytes >= 10 ? Math.round(megabytes) : Math.max(0.1, Math.round(megabytes * 10) / 10)} MB`;
}
