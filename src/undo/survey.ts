import type { FileChange, FileState } from "../contracts/file-change.ts";
import type { FileRow } from "../platform/file-row.ts";
import {
  type Entry,
  entriesFrom,
  type FileEntry,
  type FolderEntry,
  type OpaqueEntry,
  type Spot,
  stateOf,
} from "./entry.ts";
import { isSameState } from "./file-states.ts";

/** What is known of the workspace: one tree a root. */
export type Roots = Map<string, Entry>;

/** A file whose content has to be read. */
export type Reading = { readonly spot: Spot; readonly row: FileRow; readonly known: FileEntry | undefined };

/** What one look finds, while it looks. */
export type Survey = {
  readonly roots: Roots;
  /** Is this no part of the workspace? */
  readonly isLeftOut: (path: string, name: string) => boolean;
  readonly startedMs: number;
  readonly toScan: Spot[];
  toRead: Reading[];
  /** Ignored folders that got something new. */
  readonly grown: Set<FolderEntry>;
  /** What is not covered and changed. */
  readonly opaque: Map<string, OpaqueEntry>;
  /** Folders where something happened to a name that is no UTF-8. */
  readonly undecodable: Set<string>;
  readonly touched: Map<string, Touched>;
  /** Parents before what is in them. */
  readonly added: Entry[];
  gone: number;
};

/** `before` is "unknown" for a path that was not covered until now. */
type Touched = { readonly before: FileState | undefined | "unknown"; entry: Entry | undefined };

export function startSurvey(roots: Roots, isLeftOut: Survey["isLeftOut"]): Survey {
  return {
    roots,
    isLeftOut,
    startedMs: Date.now(),
    toScan: [],
    toRead: [],
    grown: new Set(),
    opaque: new Map(),
    undecodable: new Set(),
    touched: new Map(),
    added: [],
    gone: 0,
  };
}

/** Remembers what was there before anything is done to an entry; the first call for a path counts. */
export function touch(survey: Survey, path: string, entry: Entry | undefined): void {
  if (survey.touched.has(path)) return;
  const before = entry?.type === "opaque" ? "unknown" : stateOf(entry);
  survey.touched.set(path, { before, entry });
  if (entry?.type === "opaque") survey.opaque.set(path, entry);
}

export function place(survey: Survey, entry: Entry): void {
  const siblings = entry.parent?.children ?? survey.roots;
  const key = entry.parent ? entry.name : entry.path;
  const replaced = siblings.get(key);
  if (replaced) for (const buried of entriesFrom(replaced)) bury(survey, buried);
  siblings.set(key, entry);
  touch(survey, entry.path, undefined);
  const touched = survey.touched.get(entry.path);
  if (touched) touched.entry = entry;
  if (entry.type === "opaque") survey.opaque.set(entry.path, entry);
  survey.added.push(entry);
}

export function forget(survey: Survey, entry: Entry): void {
  touch(survey, entry.path, entry);
  const touched = survey.touched.get(entry.path);
  if (touched) touched.entry = undefined;
  if (entry.parent) entry.parent.children.delete(entry.name);
  else survey.roots.delete(entry.path);
  bury(survey, entry);
}

function bury(survey: Survey, entry: Entry): void {
  entry.isGone = true;
  survey.gone++;
}

/** Sorted by path. */
export function changesOf({ touched }: Survey): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, { before, entry }] of touched) {
    if (before === "unknown" || entry?.type === "opaque") continue;
    const after = stateOf(entry);
    if (!isSameState(before, after)) changes.push({ path, ...(before ? { before } : {}), ...(after ? { after } : {}) });
  }
  return changes.sort((a, b) => (a.path < b.path ? -1 : 1));
}
