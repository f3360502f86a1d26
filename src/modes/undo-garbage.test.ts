import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { FileChange } from "../contracts/file-change.ts";
import { createEventLog } from "../session/log/event-log.ts";
import { createUndoStore } from "../undo/undo-store.ts";
import { collectUndoGarbage } from "./undo-garbage.ts";

let folder: string;
let stateFolder: string;
let root: string;

beforeEach(() => {
  folder = makeTempFolder();
  stateFolder = join(folder, "state");
  root = join(folder, "project");
  mkdirSync(root);
});
afterEach(() => removeTempFolder(folder));

const openStore = () =>
  createUndoStore({
    folder: `${stateFolder}/undo/project`,
    roots: [root],
    restores: "roots",
    home: join(folder, "home"),
  });

/** A session in which a file was changed. Answers with its log and the changes. */
async function session(id: string, text: string): Promise<{ log: string; changes: readonly FileChange[] }> {
  const path = join(root, `${id}.txt`);
  writeFileSync(path, `before ${text}`);
  const store = openStore();
  const { changes } = await store.tracker.track([path], async () => writeFileSync(path, `after ${text}`));
  await store.close();
  const logs = `${stateFolder}/sessions/project`;
  const log = createEventLog({
    id,
    folder: logs,
    onTrouble: (problem) => expect(problem).toBe(""),
    durability: "background",
  });
  log.append({ type: "session", version: 2, id, cwd: root, model: "m", program: "corecoder" });
  log.append({ type: "changes", callId: "c1", changes });
  log.close();
  return { log: `${logs}/${id}.jsonl`, changes };
}

const collect = (dryRun: boolean, without: readonly string[] = []) =>
  collectUndoGarbage({ stateFolder, without: new Set(without), dryRun });

async function canUndo(changes: readonly FileChange[]): Promise<boolean> {
  const store = openStore();
  const { ready } = await store.history.plan(changes, "undo");
  await store.close();
  return ready.length > 0;
}

describe("contents kept for undo", () => {
  it("stay while a session names them, and go with the last that does", async () => {
    const [one, two] = [await session("one", "1".repeat(5000)), await session("two", "2".repeat(5000))];
    expect(await collect(false)).toMatchObject({ freedBytes: 0, spared: [] });
    expect([await canUndo(one.changes), await canUndo(two.changes)]).toEqual([true, true]);
    const collected = await collect(false, [one.log]);
    expect(collected.freedBytes).toBeGreaterThan(5000);
    expect([await canUndo(one.changes), await canUndo(two.changes)]).toEqual([false, true]);
  });

  it("stay when it is only asked what would go", async () => {
    const one = await session("one", "1".repeat(5000));
    const looked = await collect(true, [one.log]);
    expect(looked.freedBytes).toBe(looked.totalBytes);
    expect(await canUndo(one.changes)).toBe(true);
  });

  it("stay in a project with a damaged log: nobody knows what it named", async () => {
    const one = await session("one", "1");
    appendFileSync(one.log, '{"torn":');
    expect(await collect(false)).toMatchObject({ freedBytes: 0, spared: ["project"] });
    expect(await canUndo(one.changes)).toBe(true);
  });

  it("stay in a project where somebody works", async () => {
    const one = await session("one", "1");
    const store = openStore();
    await store.tracker.track([join(root, "x")], async () => {});
    expect(await collect(false, [one.log])).toMatchObject({ freedBytes: 0, spared: ["project"] });
    await store.close();
  });

  it("are none where nothing was ever kept", async () => {
    expect(await collect(false)).toEqual({ totalBytes: 0, freedBytes: 0, spared: [] });
  });
});
