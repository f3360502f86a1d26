import type { FileChange, RestorePlan } from "../contracts/file-change.ts";
import { loadChecked, saveChecked } from "../platform/checked-file.ts";
import { rowAt } from "../platform/file-row.ts";
import { type ObjectStore, openObjectStore } from "../platform/object-store.ts";
import { createStatCrew } from "../platform/stat-crew.ts";
import { describeChanges } from "./diff.ts";
import { packsOf, treeCacheOf } from "./layout.ts";
import type { UndoLimits } from "./limits.ts";
import { emptyTree, type LookResult, look, type Tree } from "./look.ts";
import type { PaceOptions } from "./pace.ts";
import { type Direction, planRestore } from "./plan.ts";
import { restoreChanges } from "./restore.ts";
import { rootProblem } from "./root-problem.ts";
import { TooManyEntries } from "./scan-new.ts";
import { savedForm, treeFrom } from "./tree-cache.ts";
import { describeUncovered } from "./uncovered.ts";

/** Plain data, so that it can be handed to a thread. */
export type EngineOptions = {
  readonly folder: string;
  /** Real paths, none inside another; the first is the workspace. */
  readonly roots: readonly string[];
  readonly restorable: readonly string[];
  readonly home: string;
  readonly excluded: readonly string[];
  readonly limits: UndoLimits;
};

export type Begun = { readonly isCovered: boolean; readonly uncovered: readonly string[] };
export type Ended = { readonly changes: readonly FileChange[]; readonly uncovered: readonly string[] };
export type Restored = {
  readonly changes: readonly FileChange[];
  readonly problems: readonly { readonly path: string; readonly problem: string }[];
};
export type Wanted = { readonly changes: readonly FileChange[]; readonly direction: Direction };

/** The part that looks, keeps and restores. It can live in a thread of its own: everything goes in and out as data. */
export type UndoEngine = {
  /** Before a piece of work. `isCovered` false: nothing was captured, and `end` must not be called. */
  begin(pacing: PaceOptions): Promise<Begun>;
  /** After it. Of pieces of work that overlap, the first to end is told what happened until then. */
  end(pacing: PaceOptions): Promise<Ended>;
  plan(wanted: Wanted): Promise<RestorePlan>;
  restore(wanted: Wanted): Promise<Restored>;
  diff(changes: readonly FileChange[]): Promise<string>;
  close(): Promise<void>;
};

/** After so many new entries the tree is saved at once; fewer can be read again. */
const worthSaving = 1_000;

export function createUndoEngine(options: EngineOptions): UndoEngine {
  const { folder, home, limits } = options;
  const crew = createStatCrew();
  let store: Promise<ObjectStore> | undefined;
  let tree: Tree | undefined;
  /** What the next changes are measured from. */
  let baseline: { readonly tree: Tree; readonly roots: readonly string[]; readonly gitMark: string } | undefined;
  let isEnormous = false;
  let running = 0;
  let queue: Promise<unknown> = Promise.resolve();

  function inTurn<T>(work: () => Promise<T>): Promise<T> {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  }

  function objects(): Promise<ObjectStore> {
    store ??= openObjectStore(packsOf(folder));
    return store;
  }

  async function lookAt(roots: readonly string[], pacing: PaceOptions): Promise<LookResult> {
    const store = await objects();
    if (store.check() === "lost") tree = emptyTree();
    tree ??= treeFrom(await loadChecked(treeCacheOf(folder)), store);
    const current = tree;
    try {
      return await look(current, roots, { tools: { store, crew, limits, excluded: options.excluded }, pacing });
    } catch (error) {
      tree = undefined;
      throw error;
    }
  }

  async function save(): Promise<void> {
    if (tree === undefined || tree.unsaved === 0) return;
    tree.unsaved = 0;
    await saveChecked(treeCacheOf(folder), savedForm(tree)).catch(() => {});
  }

  async function begin(pacing: PaceOptions): Promise<Begun> {
    const problems = options.roots.map((root) => rootProblem(root, home));
    const uncovered = problems.filter((problem) => problem !== undefined);
    const roots = options.roots.filter((_root, index) => problems[index] === undefined);
    if (roots.length === 0) return { isCovered: false, uncovered };
    if (running === 0) {
      try {
        if (isEnormous) throw new TooManyEntries();
        await lookAt(roots, pacing);
      } catch (error) {
        if (!(error instanceof TooManyEntries)) throw error;
        isEnormous = true;
        return { isCovered: false, uncovered: [...uncovered, tooMany(limits)] };
      }
      setBaseline(roots);
      // The work goes on meanwhile.
      if ((tree?.unsaved ?? 0) > worthSaving) setImmediate(() => void inTurn(save));
    }
    running++;
    return { isCovered: true, uncovered };
  }

  function setBaseline(roots: readonly string[]): typeof baseline {
    baseline = tree && { tree, roots, gitMark: gitMark(roots) };
    return baseline;
  }

  async function end(pacing: PaceOptions): Promise<Ended> {
    running = Math.max(0, running - 1);
    const before = baseline;
    baseline = undefined;
    if (before === undefined) return unknownChanges;
    try {
      const { changes, opaque, undecodable } = await lookAt(before.roots, pacing);
      const now = setBaseline(before.roots);
      // Somebody deleted what was kept: there is nothing to compare with.
      if (before.tree !== now?.tree) return unknownChanges;
      const uncovered = describeUncovered({ opaque, undecodable }, options.roots[0] ?? "/", limits);
      return { changes: changes(), uncovered: before.gitMark === now.gitMark ? uncovered : [...uncovered, gitsOwn] };
    } catch (error) {
      if (error instanceof TooManyEntries) return { changes: [], uncovered: [tooMany(limits)] };
      throw error;
    }
  }

  return {
    begin: (pacing) => inTurn(() => begin(pacing)),
    end: (pacing) => inTurn(() => end(pacing)),
    plan: ({ changes, direction }) =>
      inTurn(async () => planRestore(changes, direction, { store: await objects(), limitBytes: limits.fileBytes })),
    restore: ({ changes, direction }) =>
      inTurn(async () => {
        const problems: { path: string; problem: string }[] = [];
        const onProblem = (path: string, problem: string) => void problems.push({ path, problem });
        const tools = { store: await objects(), limitBytes: limits.fileBytes, roots: options.restorable, onProblem };
        return { changes: await restoreChanges(changes, direction, tools), problems };
      }),
    diff: (changes) =>
      inTurn(async () => describeChanges(changes, { store: await objects(), root: options.roots[0] ?? "/" })),
    close: () =>
      inTurn(async () => {
        await save();
        crew.close();
        (await store)?.close();
      }),
  };
}

const unknownChanges: Ended = {
  changes: [],
  uncovered: ["What this changed is not known, so undo does not cover it: the saved state was lost meanwhile."],
};

const gitsOwn = "Commits and branches are git's own: undo does not take them back.";

/** Differs after a commit, a checkout, a reset. Nothing of git's is opened. */
function gitMark(roots: readonly string[]): string {
  return roots.map((root) => JSON.stringify(rowAt(`${root}/.git/logs/HEAD`))).join();
}

function tooMany({ entries }: UndoLimits): string {
  return `The workspace holds more than ${entries.toLocaleString("en-US")} files: undo covers what the file tools change, not what commands do.`;
}
