import { putRow, rowInTable, rowWidth } from "../platform/file-row.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import { type Entry, type Finding, type FolderEntry, fileEntry, folderEntry, linkEntry, type Spot } from "./entry.ts";
import { emptyTree, listOf, type Tree } from "./look.ts";

/**
 * What the last look knew, in columns: a look of the next session reads only what changed since. Nothing here is needed to bring
 * anything back.
 */
type SavedTree = {
  readonly version: 1;
  /** Whole paths for roots. */
  readonly names: readonly string[];
  /** Position of the folder an entry lies in; -1 for roots. Parents come first. */
  readonly parents: Int32Array;
  readonly types: Uint8Array;
  /** Mode, size, mtime, ctime, inode. */
  readonly rows: Float64Array;
  /** Hash of a file, target of a link. */
  readonly texts: readonly string[];
};

const file = 0;
const link = 1;
const folder = 2;
const typeMask = 3;
const withRules = 4;
const ignoredTop = 8;
const settled = 16;

/** Entries that are not covered are left out: the next session judges them anew. */
export function savedForm(tree: Tree): SavedTree {
  const entries = tree.list.entries.filter(({ isGone, type }) => !isGone && type !== "opaque");
  const positions = new Map(entries.map((entry, index) => [entry, index]));
  const rows = new Float64Array(entries.length * rowWidth);
  for (const [index, { row }] of entries.entries()) putRow(rows, index, row);
  return {
    version: 1,
    names: entries.map(({ name }) => name),
    parents: Int32Array.from(entries, ({ parent }) => (parent ? (positions.get(parent) ?? -1) : -1)),
    types: Uint8Array.from(entries, typeBits),
    rows,
    texts: entries.map((entry) => (entry.type === "file" ? entry.hash : entry.type === "link" ? entry.target : "")),
  };
}

function typeBits(entry: Entry): number {
  const isKnown = entry.isSettled ? settled : 0;
  if (entry.type === "file") return file | isKnown;
  if (entry.type !== "folder") return link | isKnown;
  const holdsOpaque = [...entry.children.values()].some(({ type }) => type === "opaque");
  const bits = (entry.hasRules ? withRules : 0) | (entry.ignoredTop === entry ? ignoredTop : 0);
  return folder | bits | (holdsOpaque ? 0 : isKnown);
}

/** The contents of the files in it. */
export function namedInCache(saved: unknown): Set<string> {
  if (!isSavedTree(saved)) return new Set();
  return new Set(saved.texts.filter((_text, index) => ((saved.types[index] ?? link) & typeMask) === file));
}

function isSavedTree(saved: unknown): saved is SavedTree {
  return (saved as SavedTree | undefined)?.version === 1;
}

/** Files whose content is no longer in the store are left out; their folders are looked through again. */
export function treeFrom(saved: unknown, store: ObjectStore): Tree {
  if (!isSavedTree(saved)) return emptyTree();
  const { names, parents, types, rows, texts } = saved;
  const tree = emptyTree();
  const entries: (Entry | undefined)[] = [];
  names.forEach((name, index) => {
    const position = parents[index] ?? -1;
    const parent = position < 0 ? undefined : (entries[position] as FolderEntry | undefined);
    const bits = types[index] ?? 0;
    const text = texts[index] ?? "";
    if (position >= 0 && parent === undefined) return;
    if ((bits & typeMask) === file && !store.has(text)) {
      if (parent) parent.isSettled = false;
      return;
    }
    const row = rowInTable(rows, index);
    const path = parent ? `${parent.path}/${name}` : name;
    const entry = entryFrom({ path, name, parent }, { row, isSettled: (bits & settled) !== 0 }, { bits, text });
    entries[index] = entry;
    if (parent) parent.children.set(name, entry);
    else tree.roots.set(path, entry);
  });
  tree.list = listOf(tree.roots);
  return tree;
}

function entryFrom(
  spot: Spot,
  found: Finding,
  { bits, text }: { readonly bits: number; readonly text: string },
): Entry {
  switch (bits & typeMask) {
    case file:
      return fileEntry(spot, found, { hash: text, size: found.row.size });
    case link:
      return linkEntry(spot, found, text);
    default: {
      const entry = folderEntry(spot, found);
      entry.hasRules = (bits & withRules) !== 0;
      if (bits & ignoredTop) entry.ignoredTop = entry;
      return entry;
    }
  }
}
