import { type FileRow, targetAt, typeOf } from "../platform/file-row.ts";
import type { RowTable } from "../platform/stat-crew.ts";
import { hasDependableFolderTimes, namesInFolder, shallowFingerprint } from "../platform/survey-folder.ts";
import { type Entry, type FolderEntry, isSettledAt, type LinkEntry, type OpaqueEntry } from "./entry.ts";
import { namesRules } from "./ignore-rules.ts";
import { forget, type Survey, touch } from "./survey.ts";

/** Holds the entries, parents before what is in them, against what is there now. */
export function compareKnown(survey: Survey, entries: readonly Entry[], rows: RowTable): void {
  entries.forEach((entry, index) => {
    if (entry.isGone) return;
    // What lay in a folder that is none any more is gone, whatever a path through its successor may show.
    if (entry.parent?.isGone) {
      forget(survey, entry);
      return;
    }
    if (entry.isSettled && rows.isSame(index, entry.row)) return;
    const row = rows.at(index);
    // Nothing can be said about it: it stays as it was.
    if (row === "unreadable") return;
    if (row === "gone" || typeOf(row) !== natureOf(entry)) {
      forget(survey, entry);
      if (row !== "gone") survey.toScan.push(entry);
      return;
    }
    revisit(survey, entry, row);
  });
}

function natureOf(entry: Entry) {
  return entry.type === "opaque" ? entry.nature : entry.type;
}

function revisit(survey: Survey, entry: Entry, row: FileRow): void {
  switch (entry.type) {
    case "file":
      survey.toRead.push({ spot: entry, row, known: entry });
      return;
    case "link":
      revisitLink(survey, entry, row);
      return;
    case "folder":
      revisitFolder(survey, entry, row);
      return;
    case "opaque":
      revisitOpaque(survey, entry, row);
  }
}

function revisitLink(survey: Survey, entry: LinkEntry, row: FileRow): void {
  const target = targetAt(entry.path);
  if (target === undefined) return;
  touch(survey, entry.path, entry);
  entry.target = target;
  settle(survey, entry, row);
}

/** Fills a folder's entry from what it holds now; new names are to be scanned. */
export function revisitFolder(survey: Survey, entry: FolderEntry, row: FileRow): void {
  touch(survey, entry.path, entry);
  settle(survey, entry, row);
  const listing = namesInFolder(entry.path);
  if (listing === undefined || !hasDependableFolderTimes(entry.path)) entry.isSettled = false;
  if (listing === undefined) return;
  const { names, undecodable } = listing;
  entry.hasRules = namesRules(names);
  if (undecodable !== entry.undecodable) survey.undecodable.add(entry.path);
  entry.undecodable = undecodable;
  // Such an entry can change without its folder's time changing.
  if (undecodable !== "") entry.isSettled = false;
  // Where case does not count, another name leads to the same file: a name that is not listed is gone, although it can be looked at.
  const listed = new Set(names);
  for (const child of entry.children.values()) if (!listed.has(child.name)) forget(survey, child);
  for (const name of names) {
    const path = entry.path === "/" ? `/${name}` : `${entry.path}/${name}`;
    if (!entry.children.has(name) && !survey.isLeftOut(path, name)) {
      survey.toScan.push({ path, name, parent: entry });
      if (entry.ignoredTop) survey.grown.add(entry.ignoredTop);
    }
  }
}

function revisitOpaque(survey: Survey, entry: OpaqueEntry, row: FileRow): void {
  if (entry.why !== "heavy") {
    // It may fit now.
    forget(survey, entry);
    survey.toScan.push(entry);
    return;
  }
  const fingerprint = shallowFingerprint(entry.path);
  if (fingerprint !== entry.fingerprint) touch(survey, entry.path, entry);
  entry.fingerprint = fingerprint;
  entry.row = row;
}

function settle(survey: Survey, entry: Entry, row: FileRow): void {
  entry.row = row;
  entry.isSettled = isSettledAt(survey.startedMs, row);
}
