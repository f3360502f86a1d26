import { execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { expect } from "vitest";
import type { ChangeScope, FileChange, Tracked, TrackOptions } from "../../src/contracts/file-change.ts";
import { createUndoStore, type UndoStore, type UndoStoreOptions } from "../../src/undo/undo-store.ts";
import { makeTempFolder, removeTempFolder } from "./temp.ts";
import { treeSnapshot } from "./tree-snapshot.ts";

/** A project in a temporary folder, with a store beside it. */
export type UndoScene = {
  readonly folder: string;
  readonly root: string;
  /** Where contents are kept. */
  readonly state: string;
  readonly store: UndoStore;
  /** Another store on the same folder, as the next session or another process has; closed with the scene. */
  open(options?: Partial<UndoStoreOptions>): UndoStore;
  write(name: string, content: string | Uint8Array): string;
  read(name: string): string;
  shell(command: string): void;
  tree(): Record<string, string>;
  /** What the work changed; nothing may be uncovered. */
  track(work: () => void, scope?: ChangeScope): Promise<readonly FileChange[]>;
  trackAll(work: () => void, options?: TrackOptions): Promise<Tracked<void>>;
  /** Nothing may stand in the way. Answers with what was done. */
  undo(changes: readonly FileChange[]): Promise<readonly FileChange[]>;
  redo(changes: readonly FileChange[]): Promise<readonly FileChange[]>;
  close(): Promise<void>;
};

export function openUndoScene(options: Partial<UndoStoreOptions> = {}): UndoScene {
  const folder = makeTempFolder();
  const root = join(folder, "project");
  const state = join(folder, "state", "undo");
  mkdirSync(root);
  const stores: UndoStore[] = [];
  const open = (more: Partial<UndoStoreOptions> = {}) => {
    const home = join(folder, "home");
    const store = createUndoStore({ folder: state, roots: [root], restores: "roots", home, ...options, ...more });
    stores.push(store);
    return store;
  };
  const store = open();

  async function move(changes: readonly FileChange[], direction: "undo" | "redo"): Promise<readonly FileChange[]> {
    const { ready, conflicts, missing } = await store.history.plan(changes, direction);
    expect({ conflicts, missing }).toEqual({ conflicts: [], missing: [] });
    const problems: string[] = [];
    const done = await store.history.restore(ready, direction, (path, problem) => problems.push(`${path}: ${problem}`));
    expect(problems).toEqual([]);
    return done;
  }

  return {
    folder,
    root,
    state,
    store,
    open,
    write(name, content) {
      const path = join(root, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, content);
      return path;
    },
    read: (name) => readFileSync(join(root, name), "utf8"),
    shell: (command) =>
      void execFileSync("bash", ["--norc", "-c", command], { cwd: root, stdio: "pipe", env: shellEnvironment }),
    tree: () => treeSnapshot(root),
    async track(work, scope = "workspace") {
      const { changes, uncovered } = await store.tracker.track(scope, async () => work());
      expect(uncovered).toEqual([]);
      return changes;
    },
    trackAll: (work, trackOptions) => store.tracker.track("workspace", async () => work(), trackOptions),
    undo: (changes) => move(changes, "undo"),
    redo: (changes) => move(changes, "redo"),
    async close() {
      for (const each of stores) await each.close();
      removeTempFolder(folder);
    },
  };
}

/** git works without anybody's configuration. */
const shellEnvironment = {
  PATH: process.env.PATH,
  GIT_CONFIG_GLOBAL: "/dev/null",
  GIT_CONFIG_NOSYSTEM: "1",
  GIT_AUTHOR_NAME: "A",
  GIT_AUTHOR_EMAIL: "a@example.com",
  GIT_COMMITTER_NAME: "A",
  GIT_COMMITTER_EMAIL: "a@example.com",
  GIT_EDITOR: "true",
};
