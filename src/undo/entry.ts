import type { FileState } from "../contracts/file-change.ts";
import { type FileRow, type FileType, permissionsOf } from "../platform/file-row.ts";

/** A path of the workspace as the last look found it. */
export type Entry = FolderEntry | FileEntry | LinkEntry | OpaqueEntry;

/** A place where an entry is or may be. */
export type Spot = {
  readonly path: string;
  readonly name: string;
  /** Undefined for the root of a workspace. */
  readonly parent: FolderEntry | undefined;
};

type Common = Spot & {
  row: FileRow;
  /** False while a change could have happened without leaving a trace in the row: then it must be read again. */
  isSettled: boolean;
  /** Nothing of this entry is there any more; another may stand at its path. */
  isGone: boolean;
};

export type FolderEntry = Common & {
  readonly type: "folder";
  readonly children: Map<string, Entry>;
  /** The outermost ignored folder this one lies in, or is. */
  ignoredTop: FolderEntry | undefined;
  /** It holds ignore rules of its own. */
  hasRules: boolean;
  /** See FolderNames. */
  undecodable: string;
};

export type FileEntry = Common & { readonly type: "file"; hash: string; size: number };

export type LinkEntry = Common & { readonly type: "link"; target: string };

/** Known to be there, not captured. */
export type OpaqueEntry = Common & {
  readonly type: "opaque";
  readonly why: "large" | "ignored-large" | "too-much" | "unreadable" | "special" | "heavy";
  readonly nature: FileType;
  /** Of a heavy folder: what its own row does not tell. */
  fingerprint: string;
};

/** How an entry was found. */
export type Finding = { readonly row: FileRow; readonly isSettled: boolean };

// Written out field by field: a first look makes one for every file of a project, and copying objects would take longer than reading.

export function fileEntry(
  { path, name, parent }: Spot,
  { row, isSettled }: Finding,
  { hash, size }: Pick<FileEntry, "hash" | "size">,
): FileEntry {
  return { type: "file", path, name, parent, row, isSettled, isGone: false, hash, size };
}

export function linkEntry({ path, name, parent }: Spot, { row, isSettled }: Finding, target: string): LinkEntry {
  return { type: "link", path, name, parent, row, isSettled, isGone: false, target };
}

/** Empty, and in the same ignored folder as its parent, if any. */
export function folderEntry({ path, name, parent }: Spot, { row, isSettled }: Finding): FolderEntry {
  const ignoredTop = parent?.ignoredTop;
  const own = { children: new Map<string, Entry>(), ignoredTop, hasRules: false, undecodable: "" };
  return { type: "folder", path, name, parent, row, isSettled, isGone: false, ...own };
}

export function opaqueEntry(
  { path, name, parent }: Spot,
  row: FileRow,
  kind: Pick<OpaqueEntry, "why" | "nature" | "fingerprint">,
): OpaqueEntry {
  // A heavy folder is looked into every time.
  return { type: "opaque", path, name, parent, row, isSettled: kind.why !== "heavy", isGone: false, ...kind };
}

export function stateOf(entry: Entry | undefined): FileState | undefined {
  switch (entry?.type) {
    case "file":
      return { type: "file", hash: entry.hash, size: entry.size, mode: permissionsOf(entry.row) };
    case "link":
      return { type: "link", target: entry.target };
    case "folder":
      return { type: "folder", mode: permissionsOf(entry.row) };
    default:
      return undefined;
  }
}

/** Parents come before what is in them. */
export function* entriesFrom(entry: Entry): Generator<Entry> {
  const pending: Entry[] = [entry];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    yield next;
    if (next.type === "folder") for (const child of next.children.values()) pending.push(child);
  }
}

/** The clock of the kernel ticks at least this often; foreign file systems may know whole or even seconds only. */
const tickMs = 40;
const coarseTickMs = 2_100;

/**
 * A file written twice within one tick looks the same after both. So what was changed about when it was looked at counts as unknown.
 * The change time is the kernel's own: no program can set it back.
 */
export function isSettledAt(lookedMs: number, { ctimeMs }: FileRow): boolean {
  const tick = ctimeMs % 1000 === 0 ? coarseTickMs : tickMs;
  return Math.abs(lookedMs - ctimeMs) > tick;
}
