import type { ChangeHistory, ChangeTracker } from "../contracts/file-change.ts";
import { contentHasher } from "../platform/content-hash.ts";
import { isInside, realOrSame } from "../platform/paths.ts";
import type { EngineOptions } from "./engine.ts";
import { packsOf, usersOf } from "./layout.ts";
import { type UndoLimits, undoLimits } from "./limits.ts";
import type { RunningEngine } from "./start-engine.ts";
import type { PathTracker } from "./track-paths.ts";

export type UndoStoreOptions = {
  /** Where contents are kept: one folder a project, nobody else's. Made when it is first needed. */
  readonly folder: string;
  /** Real paths of the workspace and every other folder that may be written; the workspace comes first. */
  readonly roots: readonly string[];
  /** "everywhere" when file tools may write outside the roots: then undo may, too. */
  readonly restores: "roots" | "everywhere";
  readonly home: string;
  /** Real paths inside the roots that are no part of the workspace: our own state. */
  readonly excluded?: readonly string[];
  readonly limits?: Partial<UndoLimits>;
};

export type UndoStore = {
  readonly tracker: ChangeTracker;
  readonly history: ChangeHistory;
  /** Saves what makes the next session's first look fast. */
  close(): Promise<void>;
};

/** Nothing is loaded, opened or looked at before the first call that may change something. */
export function createUndoStore(options: UndoStoreOptions): UndoStore {
  let engine: Promise<RunningEngine> | undefined;
  let place: "thread" | "here" = "thread";
  let paths: Promise<PathTracker> | undefined;
  let leave: (() => void) | undefined;

  /** Nobody may tidy up what is being used. */
  async function enter(): Promise<void> {
    const { announcePresence } = await import("../platform/presence.ts");
    leave ??= announcePresence(usersOf(options.folder));
  }

  async function currentEngine(): Promise<RunningEngine> {
    const started = engine;
    if (started && !(await started.catch(() => undefined))?.isAlive() && engine === started) {
      // A thread that cannot be had, or died, is not tried again.
      engine = undefined;
      place = "here";
    }
    engine ??= import("./start-engine.ts").then(({ startEngine }) => startEngine(engineOptions(options), place));
    return engine;
  }

  async function makePathTracker(): Promise<PathTracker> {
    const { folder, roots, limits } = engineOptions(options);
    const { createPathTracker } = await import("./track-paths.ts");
    const hasher = await contentHasher();
    return createPathTracker({ folder: packsOf(folder), root: roots[0] ?? "/", limits, hasher });
  }

  return {
    tracker: {
      async track(scope, work, options = {}) {
        if (leave === undefined) await enter();
        if (scope === "workspace") {
          const { trackWorkspace } = await import("./track-workspace.ts");
          return trackWorkspace(currentEngine, work, options);
        }
        paths ??= makePathTracker();
        return (await paths).track(scope, work);
      },
    },
    history: {
      plan: async (changes, direction) => (await currentEngine()).plan({ changes, direction }),
      async restore(changes, direction, onProblem) {
        const restored = await (await currentEngine()).restore({ changes, direction });
        for (const { path, problem } of restored.problems) onProblem?.(path, problem);
        return restored.changes;
      },
      diff: async (changes) => (await currentEngine()).diff(changes),
    },
    async close() {
      (await paths)?.close();
      const running = await engine?.catch(() => undefined);
      await running?.close().catch(() => {});
      running?.stop();
      engine = undefined;
      paths = undefined;
      leave?.();
      leave = undefined;
    },
  };
}

function engineOptions(options: UndoStoreOptions): EngineOptions {
  const roots = [...new Set(options.roots.map(realOrSame))];
  return {
    folder: options.folder,
    roots: roots.filter((root) => !roots.some((other) => other !== root && isInside(root, other))),
    restorable: options.restores === "everywhere" ? ["/"] : roots,
    home: realOrSame(options.home),
    excluded: [options.folder, ...(options.excluded ?? [])].map(realOrSame),
    limits: { ...undoLimits, ...options.limits },
  };
}
