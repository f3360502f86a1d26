import type { FileChange } from "../contracts/file-change.ts";
import type { ObjectStore } from "../platform/object-store.ts";
import type { StatCrew } from "../platform/stat-crew.ts";
import { compareKnown } from "./compare-known.ts";
import { type Entry, entriesFrom, type OpaqueEntry } from "./entry.ts";
import { type UndoLimits, versionControl } from "./limits.ts";
import { createPace, type PaceOptions } from "./pace.ts";
import { readContents } from "./read-contents.ts";
import { scanNew } from "./scan-new.ts";
import { changesOf, type Roots, type Survey, startSurvey } from "./survey.ts";

/** Every entry, parents before what is in them. Only ever grows at its end, until the gone ones are too many. */
type EntryList = { readonly entries: Entry[]; readonly paths: string[]; gone: number };

export type Tree = {
  readonly roots: Roots;
  list: EntryList;
  /** Entries that differ from what was last saved. */
  unsaved: number;
};

export type LookTools = {
  readonly store: ObjectStore;
  readonly crew: StatCrew;
  readonly limits: UndoLimits;
  /** Paths that are no part of the workspace: our own state. */
  readonly excluded: readonly string[];
};

export type LookResult = {
  changes(): FileChange[];
  readonly opaque: readonly OpaqueEntry[];
  readonly undecodable: readonly string[];
};

export function emptyTree(): Tree {
  return { roots: new Map(), list: { entries: [], paths: [], gone: 0 }, unsaved: 0 };
}

/**
 * Brings the tree up to what is there now and keeps the contents of what is new. When it throws, the tree is worth nothing any more.
 * Content is read only where size, times, number or mode of a file differ from what they were.
 */
export async function look(
  tree: Tree,
  wanted: readonly string[],
  { tools, pacing }: { readonly tools: LookTools; readonly pacing: PaceOptions },
): Promise<LookResult> {
  const { store, crew, limits } = tools;
  const pace = createPace(pacing);
  const leftOut = new Set(tools.excluded);
  const isLeftOut = (path: string, name: string) => versionControl.includes(name) || leftOut.has(path);
  if ([...tree.roots.keys()].some((root) => !wanted.includes(root))) keepRoots(tree, wanted);
  const survey = startSurvey(tree.roots, isLeftOut);
  const { entries, paths, gone } = tree.list;
  compareKnown(survey, entries, await crew.rows(paths));
  for (const root of wanted)
    if (!tree.roots.has(root)) survey.toScan.push({ path: root, name: root, parent: undefined });
  await scanNew(survey, { limits, pace, knownEntries: entries.length - gone });
  await readContents(survey, { store, limits, pace });
  extendList(tree, survey);
  tree.unsaved += survey.touched.size;
  return {
    changes: () => changesOf(survey),
    opaque: [...survey.opaque.values()],
    undecodable: [...survey.undecodable],
  };
}

function keepRoots(tree: Tree, wanted: readonly string[]): void {
  for (const root of tree.roots.keys()) if (!wanted.includes(root)) tree.roots.delete(root);
  tree.list = listOf(tree.roots);
}

export function listOf(roots: Roots): EntryList {
  const entries = [...roots.values()].flatMap((root) => [...entriesFrom(root)]);
  return { entries, paths: entries.map(({ path }) => path), gone: 0 };
}

/** So many may be gone for each that is there before the list is made anew. */
const goneShare = 0.25;

function extendList(tree: Tree, { added, gone }: Survey): void {
  const { list } = tree;
  list.gone += gone;
  for (const entry of added) {
    list.entries.push(entry);
    list.paths.push(entry.path);
  }
  if (list.gone > list.entries.length * goneShare) tree.list = listOf(tree.roots);
}
