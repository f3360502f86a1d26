import type { FileChange, RestorePlan } from "../contracts/file-change.ts";
import { rowAt } from "../platform/file-row.ts";
import { describeChanges } from "./diff.ts";
import type { UndoLimits } from "./limits.ts";
import type { Tree } from "./look.ts";
import { createLookout } from "./lookout.ts";
import type { PaceOptions } from "./pace.ts";
import { type Direction, planRestore } from "./plan.ts";
import { restoreChanges } from "./restore.ts";
import { rootProblem } from "./root-problem.ts";
import { TooManyEntries } from "./scan-new.ts";
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

export function createUndoEngine(options: EngineOptions): UndoEngine {
  const { home, limits } = options;
  const lookout = createLookout(options);
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

  async function begin(pacing: PaceOptions): Promise<Begun> {
    const problems = options.roots.map((root) => rootProblem(root, home));
    const uncovered = problems.filter((problem) => problem !== undefined);
    const roots = options.roots.filter((_root, index) => problems[index] === undefined);
    if (roots.length === 0) return { isCovered: false, uncovered };
    if (isEnormous) return { isCovered: false, uncovered: [...uncovered, tooMany(limits)] };
    if (running === 0) {
      const found = await orTooMany(lookout.look(roots, pacing));
      if (found === "too many") {
        isEnormous = true;
        return { isCovered: false, uncovered: [...uncovered, tooMany(limits)] };
      }
      baseline = { tree: found.tree, roots, gitMark: gitMark(roots) };
      // The work goes on meanwhile.
      if (lookout.hasMuchToSave()) setImmediate(() => void inTurn(lookout.save));
    }
    running++;
    return { isCovered: true, uncovered };
  }

  async function end(pacing: PaceOptions): Promise<Ended> {
    running = Math.max(0, running - 1);
    const before = baseline;
    baseline = undefined;
    if (before === undefined) return unknownChanges;
    const found = await orTooMany(lookout.look(before.roots, pacing));
    if (found === "too many") return { changes: [], uncovered: [tooMany(limits)] };
    const mark = gitMark(before.roots);
    baseline = { tree: found.tree, roots: before.roots, gitMark: mark };
    // Somebody deleted what was kept: there is nothing to compare with.
    if (before.tree !== found.tree) return unknownChanges;
    const uncovered = describeUncovered(found, options.roots[0] ?? "/", limits);
    return { changes: found.changes(), uncovered: before.gitMark === mark ? uncovered : [...uncovered, gitsOwn] };
  }

  async function restore({ changes, direction }: Wanted): Promise<Restored> {
    const problems: { path: string; problem: string }[] = [];
    const done = await restoreChanges(changes, direction, {
      store: await lookout.objects(),
      limitBytes: limits.fileBytes,
      roots: options.restorable,
      onProblem: (path, problem) => void problems.push({ path, problem }),
    });
    return { changes: done, problems };
  }

  async function plan({ changes, direction }: Wanted): Promise<RestorePlan> {
    return planRestore(changes, direction, { store: await lookout.objects(), limitBytes: limits.fileBytes });
  }

  async function diff(changes: readonly FileChange[]): Promise<string> {
    return describeChanges(changes, { store: await lookout.objects(), root: options.roots[0] ?? "/" });
  }

  return {
    begin: (pacing) => inTurn(() => begin(pacing)),
    end: (pacing) => inTurn(() => end(pacing)),
    plan: (wanted) => inTurn(() => plan(wanted)),
    restore: (wanted) => inTurn(() => restore(wanted)),
    diff: (changes) => inTurn(() => diff(changes)),
    close: () => inTurn(lookout.close),
  };
}

async function orTooMany<T>(look: Promise<T>): Promise<T | "too many"> {
  try {
    return await look;
  } catch (error) {
    if (error instanceof TooManyEntries) return "too many";
    throw error;
  }
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
