import { type FileRow, fileMode, rowAt, targetAt, typeOf } from "../platform/file-row.ts";
import { countFiles, shallowFingerprint } from "../platform/survey-folder.ts";
import { revisitFolder } from "./compare-known.ts";
import {
  entriesFrom,
  type FolderEntry,
  folderEntry,
  isSettledAt,
  linkEntry,
  type OpaqueEntry,
  opaqueEntry,
  type Spot,
} from "./entry.ts";
import { createIgnoreRules, type IgnoreRules } from "./ignore-rules.ts";
import type { UndoLimits } from "./limits.ts";
import type { Pace } from "./pace.ts";
import { place, type Survey } from "./survey.ts";

export type ScanTools = {
  readonly limits: UndoLimits;
  readonly pace: Pace;
  /** Entries that were known before. */
  readonly knownEntries: number;
};

/** There are more entries than undo takes on. */
export class TooManyEntries extends Error {}

/** Enters into the tree what is new, with everything below. Files are only noted: their content is read when it is known how much there is. */
export async function scanNew(survey: Survey, tools: ScanTools): Promise<void> {
  const { limits, pace } = tools;
  const ruled = { ...tools, rules: createIgnoreRules() };
  let entries = tools.knownEntries;
  for (let spot = survey.toScan.pop(); spot !== undefined; spot = survey.toScan.pop()) {
    const row = rowAt(spot.path);
    if (row === "gone") continue;
    if (++entries > limits.entries) throw new TooManyEntries();
    if (row === "unreadable") place(survey, opaque(spot, unknownRow, "unreadable"));
    else if (typeOf(row) === "folder") await enterFolder(survey, { spot, row }, ruled);
    else if (row.size > limits.ignoredFileBytes) await enterLargeFile(survey, { spot, row }, ruled);
    else enter(survey, { spot, row });
    if (pace.isDue()) await pace.pause(() => `Looking at the project for undo: ${entries} files`);
  }
  for (const top of heavyFolders(survey, limits)) leaveOut(survey, top);
}

type EnterTools = ScanTools & { readonly rules: IgnoreRules };
type Sight = { readonly spot: Spot; readonly row: FileRow };

/** Of what cannot even be looked at; nobody knows that it is a file. */
const unknownRow: FileRow = { mode: fileMode, size: 0, mtimeMs: 0, ctimeMs: 0, ino: 0 };

function enter(survey: Survey, { spot, row }: Sight): void {
  const type = typeOf(row);
  if (type === "file") {
    survey.toRead.push({ spot, row, known: undefined });
  } else if (type === "link") {
    const target = targetAt(spot.path);
    const isSettled = isSettledAt(survey.startedMs, row);
    if (target !== undefined) place(survey, linkEntry(spot, { row, isSettled }, target));
  } else {
    place(survey, opaque(spot, row, "special"));
  }
}

async function enterLargeFile(survey: Survey, { spot, row }: Sight, { limits, rules }: EnterTools): Promise<void> {
  const { path, parent } = spot;
  if (typeOf(row) !== "file") enter(survey, { spot, row });
  else if (row.size > limits.fileBytes) place(survey, opaque(spot, row, "large"));
  else if (parent && (parent.ignoredTop || (await rules.isIgnoredFile(path, parent))))
    place(survey, opaque(spot, row, "ignored-large"));
  else enter(survey, { spot, row });
}

function opaque(spot: Spot, row: FileRow, why: OpaqueEntry["why"]): OpaqueEntry {
  const fingerprint = why === "heavy" ? shallowFingerprint(spot.path) : "";
  return opaqueEntry(spot, row, { why, nature: typeOf(row), fingerprint });
}

async function enterFolder(survey: Survey, { spot, row }: Sight, { limits, rules }: EnterTools): Promise<void> {
  const { path, name, parent } = spot;
  const isTop = parent !== undefined && !parent.ignoredTop && (await rules.isIgnoredFolder(path, name, parent));
  if (isTop && countFiles(path, limits.ignoredFolderFiles) > limits.ignoredFolderFiles) {
    place(survey, opaque(spot, row, "heavy"));
    return;
  }
  const entry = folderEntry(spot, { row, isSettled: false });
  if (isTop) entry.ignoredTop = entry;
  place(survey, entry);
  revisitFolder(survey, entry, row);
}

function heavyFolders({ grown, toRead }: Survey, limits: UndoLimits): FolderEntry[] {
  const totals = new Map([...grown].map((top) => [top, { files: 0, bytes: 0 }]));
  const count = (top: FolderEntry | undefined, bytes: number) => {
    const total = top && totals.get(top);
    if (total === undefined) return;
    total.files++;
    total.bytes += bytes;
  };
  for (const { spot, row, known } of toRead) if (!known) count(spot.parent?.ignoredTop, row.size);
  for (const top of grown)
    for (const entry of entriesFrom(top))
      if (entry.type !== "folder") count(top, entry.type === "file" ? entry.size : 0);
  return [...totals]
    .filter(([, { files, bytes }]) => files > limits.ignoredFolderFiles || bytes > limits.ignoredFolderBytes)
    .map(([top]) => top);
}

/** What was known in it is compared one last time; what is new in it is not covered. */
function leaveOut(survey: Survey, top: FolderEntry): void {
  const isInside = (path: string) => path.startsWith(`${top.path}/`);
  for (const [path, { before }] of survey.touched)
    if (before === undefined && isInside(path)) survey.touched.delete(path);
  survey.toRead = survey.toRead.filter(({ spot, known }) => known || !isInside(spot.path));
  for (const path of survey.opaque.keys()) if (isInside(path)) survey.opaque.delete(path);
  place(survey, opaque(top, top.row, "heavy"));
}
