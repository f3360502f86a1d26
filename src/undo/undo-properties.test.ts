import { mkdirSync } from "node:fs";
import { join, relative } from "node:path";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { applyOperation, type TreeOperation, treeOperation } from "../../test/support/tree-operations.ts";
import { treeSnapshot } from "../../test/support/tree-snapshot.ts";
import type { FileChange, FileState } from "../contracts/file-change.ts";
import { createUndoStore, type UndoStore } from "./undo-store.ts";

type Scene = { readonly root: string; readonly store: UndoStore; reopen(): Promise<UndoStore> };

async function inScene(play: (scene: Scene) => Promise<void>): Promise<void> {
  const folder = makeTempFolder();
  const root = join(folder, "project");
  mkdirSync(root);
  const open = () =>
    createUndoStore({ folder: join(folder, "undo"), roots: [root], restores: "roots", home: join(folder, "home") });
  let store = open();
  try {
    await play({
      root,
      store,
      async reopen() {
        await store.close();
        store = open();
        return store;
      },
    });
  } finally {
    await store.close();
    removeTempFolder(folder);
  }
}

const operations = fc.array(treeOperation, { minLength: 1, maxLength: 6 });
const turns = fc.array(operations, { minLength: 1, maxLength: 4 });

function doAll(root: string, todo: readonly TreeOperation[]): void {
  for (const operation of todo) applyOperation(root, operation);
}

/** The way a snapshot tells it. */
function told(state: FileState | undefined): string | undefined {
  if (state === undefined) return undefined;
  if (state.type === "link") return `link to ${state.target}`;
  return state.type === "folder" ? `folder ${state.mode.toString(8)}` : `file ${state.mode.toString(8)} ${state.hash}`;
}

describe("for any tree and any series of operations", () => {
  it("undo gives exactly the tree before, redo exactly the tree after, from any turn on", async () => {
    await fc.assert(
      fc.asyncProperty(operations, turns, fc.nat(), async (initial, work, pick) =>
        inScene(async ({ root, store, reopen }) => {
          doAll(root, initial);
          const trees = [treeSnapshot(root)];
          const changes: (readonly FileChange[])[] = [];
          for (const todo of work) {
            const tracked = await store.tracker.track("workspace", async () => doAll(root, todo));
            expect(tracked.uncovered).toEqual([]);
            changes.push(tracked.changes);
            trees.push(treeSnapshot(root));
          }
          const from = pick % work.length;
          const taken = changes.slice(from).flat();
          // A later session can do it as well.
          const { history } = pick % 2 === 0 ? store : await reopen();
          const back = await history.plan(taken, "undo");
          expect([back.conflicts, back.missing]).toEqual([[], []]);
          const undone = await history.restore(back.ready, "undo");
          expect(treeSnapshot(root)).toEqual(trees[from]);
          const forth = await history.plan(taken, "redo");
          await history.restore(forth.ready, "redo");
          expect(treeSnapshot(root)).toEqual(trees.at(-1));
          await history.restore((await history.plan(taken, "undo")).ready, "undo");
          await history.restore((await history.plan(undone, "undo")).ready, "undo");
          expect(treeSnapshot(root)).toEqual(trees.at(-1));
        }),
      ),
      { numRuns: 40 },
    );
  });

  it("what others did in between or later is never overwritten, and nothing else is touched", async () => {
    await fc.assert(
      fc.asyncProperty(
        operations,
        fc.array(fc.tuple(operations, operations), { minLength: 1, maxLength: 3 }),
        async (initial, work) =>
          inScene(async ({ root, store }) => {
            doAll(root, initial);
            const changes: FileChange[] = [];
            for (const [ours, theirs] of work) {
              changes.push(...(await store.tracker.track("workspace", async () => doAll(root, ours))).changes);
              doAll(root, theirs);
            }
            const before = treeSnapshot(root);
            const { ready, conflicts } = await store.history.plan(changes, "undo");
            const done = await store.history.restore(ready, "undo");
            const after = treeSnapshot(root);
            const last = new Map(changes.map((change) => [change.path, change]));
            const expected = { ...before };
            for (const { path, before: old, after: now } of done) {
              const name = relative(root, path) || ".";
              // Only what is as we left it is taken back; a folder that others removed may be needed again.
              if (old) expect([name, told(old)]).toEqual([name, told(last.get(path)?.after)]);
              expect([name, told(old)]).toEqual([name, before[name]]);
              const wanted = told(now);
              if (wanted === undefined) delete expected[name];
              else expected[name] = wanted;
            }
            expect(after).toEqual(expected);
            const taken = new Set(done.map(({ path }) => path));
            for (const { path, after: standing } of conflicts) if (standing) expect(taken).not.toContain(path);
            await store.history.restore((await store.history.plan(done, "undo")).ready, "undo");
            expect(treeSnapshot(root)).toEqual(before);
          }),
      ),
      { numRuns: 40 },
    );
  });
});
