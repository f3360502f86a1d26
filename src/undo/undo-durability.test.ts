import { spawn } from "node:child_process";
import fs, {
  appendFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { filesContaining, walk } from "../../test/support/temp.ts";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";
import type { FileChange } from "../contracts/file-change.ts";
import { ownIdentity } from "../platform/process-identity.ts";
import { collectGarbage } from "./collect-garbage.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

const packs = () => readdirSync(join(scene.state, "packs")).map((name) => join(scene.state, "packs", name));
const hashesOf = (changes: readonly FileChange[]) =>
  changes.flatMap(({ before, after }) =>
    [before, after].flatMap((state) => (state?.type === "file" ? [state.hash] : [])),
  );

/** Paths that were opened while something ran. */
async function filesOpened(work: () => Promise<void>): Promise<string[]> {
  const { openSync } = fs;
  const opened: string[] = [];
  const noting = (...args: Parameters<typeof openSync>) => {
    opened.push(String(args[0]));
    return openSync(...args);
  };
  Object.assign(fs, { openSync: noting });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { openSync });
    syncBuiltinESMExports();
  }
  return opened;
}

describe("the store", () => {
  it("is for its owner alone", async () => {
    scene.write("a.txt", "1");
    await scene.track(() => scene.write("a.txt", "2"));
    await scene.track(() => scene.write("a.txt", "3"), [join(scene.root, "a.txt")]);
    await scene.store.close();
    for (const path of walk(scene.state)) {
      const { mode } = statSync(path);
      expect([path, (mode & 0o777).toString(8)]).toEqual([path, statSync(path).isDirectory() ? "700" : "600"]);
    }
  });

  it("keeps equal contents once, in few files", async () => {
    const text = "the same text in many files, which is long enough to be noticed\n".repeat(20);
    for (let i = 0; i < 300; i++) scene.write(`copy${i}.txt`, text);
    await scene.track(() => scene.shell("rm copy1*"));
    await scene.store.close();
    expect(packs()).toHaveLength(2);
    expect(packs().reduce((sum, path) => sum + statSync(path).size, 0)).toBeLessThan(text.length);
  });

  it("keeps nothing again that an earlier session kept", async () => {
    for (let i = 0; i < 50; i++) scene.write(`file${i}.txt`, `text ${i}`);
    await scene.track(() => {});
    await scene.store.close();
    const before = packs();
    rmSync(join(scene.state, "tree.cache"));
    const next = scene.open();
    await next.tracker.track("workspace", async () => {});
    await next.close();
    expect(packs()).toEqual(before);
  });

  it("reads no file again that the last session read", async () => {
    const path = scene.write("a.txt", "1");
    // Long after: what was changed a moment ago is read again.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const { tracker, close } = scene.store;
    const look = async () => void (await tracker.track("workspace", async () => {}));
    expect(await filesOpened(look)).toContain(path);
    await close();
    const next = scene.open();
    const again = await filesOpened(async () => void (await next.tracker.track("workspace", async () => {})));
    vi.useRealTimers();
    expect(again).not.toContain(path);
  });

  it("is made anew when somebody deletes it during the work; only that piece of work is not covered", async () => {
    scene.write("a.txt", "1");
    const { changes, uncovered } = await scene.trackAll(() => {
      rmSync(scene.state, { recursive: true });
      scene.write("a.txt", "2");
    });
    expect(changes).toEqual([]);
    expect(uncovered).toEqual([expect.stringMatching(/^What this changed is not known/)]);
    const later = await scene.track(() => scene.write("a.txt", "3"));
    await scene.undo(later);
    expect(scene.read("a.txt")).toBe("2");
  });

  it("is made anew when somebody deletes it between two pieces of work, of either kind", async () => {
    const path = scene.write("a.txt", "1");
    await scene.track(() => scene.write("a.txt", "2"));
    await scene.track(() => scene.write("a.txt", "3"), [path]);
    rmSync(scene.state, { recursive: true });
    const changes = [
      ...(await scene.track(() => scene.write("a.txt", "4"), [path])),
      ...(await scene.track(() => scene.write("a.txt", "5"))),
    ];
    await scene.undo(changes);
    expect(scene.read("a.txt")).toBe("3");
  });

  it("that lost its contents but not the tree of the last look reads them again", async () => {
    scene.write("a.txt", "1");
    // Long after: what was changed a moment ago is read again anyway.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    await scene.track(() => {});
    await scene.store.close();
    vi.useRealTimers();
    rmSync(join(scene.state, "packs"), { recursive: true });
    const { tracker, history } = scene.open();
    const { changes } = await tracker.track("workspace", async () => void scene.write("a.txt", "2"));
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(scene.read("a.txt")).toBe("1");
  });

  it("that cannot be written costs undo, never the work", async () => {
    mkdirSync(join(scene.folder, "state"));
    writeFileSync(scene.state, "a file where the folder should be");
    const path = scene.write("a.txt", "1");
    for (const scope of ["workspace", [path]] as const) {
      const tracked = await scene.store.tracker.track(scope, async () => scene.write("a.txt", "2"));
      expect(tracked.result).toBe(path);
      expect(tracked.uncovered).toEqual([expect.stringMatching(/cannot be (saved|kept) for undo/)]);
    }
  });

  it("can be used by two at once; each restores what the other kept", async () => {
    scene.write("a.txt", "1");
    const other = scene.open();
    await other.tracker.track("workspace", async () => {});
    const mine = await scene.track(() => scene.write("a.txt", "2"));
    const theirs = await other.tracker.track("workspace", async () => void scene.write("a.txt", "3"));
    const changes = [...mine, ...theirs.changes];
    const { ready } = await other.history.plan(changes, "undo");
    await other.history.restore(ready, "undo");
    expect(scene.read("a.txt")).toBe("1");
    await scene.redo(changes);
    expect(scene.read("a.txt")).toBe("3");
  });
});

/** Every write from the `after`th on fails as on a full disk. */
async function onFullDisk<T>(after: number, work: () => Promise<T>): Promise<T> {
  const { writeSync } = fs;
  let writes = 0;
  const failing = (...args: never[]) => {
    if (writes++ >= after) throw Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
    return (writeSync as (...args: never[]) => number)(...args);
  };
  Object.assign(fs, { writeSync: failing });
  syncBuiltinESMExports();
  try {
    return await work();
  } finally {
    Object.assign(fs, { writeSync });
    syncBuiltinESMExports();
  }
}

describe("a full disk", () => {
  it.each([0, 1, 2, 3])("costs undo of that piece of work, not the work (from write %i on)", async (after) => {
    const path = scene.write("a.txt", "1");
    for (const scope of ["workspace", [path]] as const) {
      const old = scene.read("a.txt");
      const run = async () => void scene.write("a.txt", `${old}!`);
      const tracked = await onFullDisk(after, () => scene.store.tracker.track(scope, run));
      expect(scene.read("a.txt")).toBe(`${old}!`);
      if (tracked.uncovered.length > 0) expect(tracked.uncovered[0]).toContain("ENOSPC");
      // What was told as undoable is.
      const { ready } = await scene.store.history.plan(tracked.changes, "undo");
      await scene.store.history.restore(ready, "undo");
      expect(scene.read("a.txt")).toBe(ready.length > 0 ? old : `${old}!`);
    }
    const later = await scene.track(() => scene.write("a.txt", "there is room again"));
    await scene.undo(later);
  });

  it("during a restore leaves each file old or new, and says which", async () => {
    for (let i = 0; i < 6; i++) scene.write(`file${i}.txt`, `old ${i}`);
    const changes = await scene.track(() => scene.shell("for i in 0 1 2 3 4 5; do echo new > file$i.txt; done"));
    const { ready } = await scene.store.history.plan(changes, "undo");
    const problems: string[] = [];
    const done = await onFullDisk(3, () =>
      scene.store.history.restore(ready, "undo", (_path, problem) => problems.push(problem)),
    );
    expect([done.length, problems]).toEqual([3, ["the disk is full", "the disk is full", "the disk is full"]]);
    const texts = [0, 1, 2, 3, 4, 5].map((i) => scene.read(`file${i}.txt`));
    expect(texts).toEqual(["old 0", "old 1", "old 2", "new\n", "new\n", "new\n"]);
    expect(readdirSync(scene.root)).toHaveLength(6);
  });
});

describe("damage", () => {
  /** A change whose content is in the store, and the session that kept it is over. */
  async function oneChange(): Promise<readonly FileChange[]> {
    scene.write("a.txt", `first ${"x".repeat(100)}`);
    const changes = await scene.track(() => scene.write("a.txt", "second"));
    await scene.store.close();
    return changes;
  }

  it("at the end of a pack or its index costs what lay there and nothing else", async () => {
    const changes = await oneChange();
    for (const path of packs()) appendFileSync(path, Buffer.alloc(33, 7));
    const { history } = scene.open();
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(scene.read("a.txt")).toMatch(/^first/);
  });

  it.each([1, 30, 57, 100])("of an index cut off after %i bytes leaves the store readable", async (length) => {
    const changes = await oneChange();
    for (const path of packs()) if (path.endsWith(".idx")) truncateSync(path, Math.min(length, statSync(path).size));
    const { history } = scene.open();
    const { ready, missing, conflicts } = await history.plan(changes, "undo");
    expect([ready.length + missing.length, conflicts.length]).toEqual([1, 0]);
  });

  it("in the middle of a pack is noticed: the content counts as missing and is never written", async () => {
    const changes = await oneChange();
    for (const path of packs()) {
      const bytes = readFileSync(path);
      if (path.endsWith(".pack")) writeFileSync(path, bytes.fill(0x41, 0, bytes.length));
    }
    const { history } = scene.open();
    const { ready, missing } = await history.plan(changes, "undo");
    expect([ready, missing.map(({ path }) => path)]).toEqual([[], [join(scene.root, "a.txt")]]);
    expect(await history.restore(missing, "undo")).toEqual([]);
    expect(scene.read("a.txt")).toBe("second");
    expect(await history.diff(changes)).toContain("[the content was not kept]");
  });

  it("is mended by the next look, which keeps the content again", async () => {
    const changes = await oneChange();
    await scene.open().history.restore(changes, "undo");
    for (const path of packs()) if (path.endsWith(".pack")) truncateSync(path, 0);
    const { tracker, history } = scene.open();
    const again = await tracker.track("workspace", async () => void scene.write("a.txt", "third"));
    await history.restore((await history.plan(again.changes, "undo")).ready, "undo");
    expect(scene.read("a.txt")).toMatch(/^first/);
  });

  it.each([
    ["cut", (bytes: Buffer) => bytes.subarray(0, bytes.length / 2)],
    ["emptied", () => Buffer.alloc(0)],
    ["filled with zeros", (bytes: Buffer) => Buffer.alloc(bytes.length)],
    ["something else", () => Buffer.from("{}\n[]")],
  ])("of the tree of the last look costs time only: %s", async (_name, damage) => {
    scene.write("a.txt", "1");
    await scene.track(() => scene.write("a.txt", "2"));
    await scene.store.close();
    const cache = join(scene.state, "tree.cache");
    writeFileSync(cache, damage(readFileSync(cache)));
    const { tracker } = scene.open();
    const { changes } = await tracker.track("workspace", async () => void scene.write("a.txt", "3"));
    expect(changes).toHaveLength(1);
  });
});

describe("garbage", () => {
  it("is what no session names: dropped on demand, the rest can still be restored", async () => {
    for (let i = 0; i < 20; i++) scene.write(`file${i}.txt`, `only in this look ${i} ${Math.random()}`);
    const path = scene.write("a.txt", "first, to be kept");
    const changes = await scene.track(() => scene.write("a.txt", "second, to be kept"));
    scene.shell("rm file*");
    await scene.track(() => {});
    await scene.store.close();
    const kept = new Set(hashesOf(changes));
    const looked = await collectGarbage(scene.state, kept, { dryRun: true });
    expect(looked).toMatchObject({ outcome: "looked", freedBytes: expect.any(Number) });
    expect(looked.freedBytes).toBeGreaterThan(0);
    const collected = await collectGarbage(scene.state, kept, { dryRun: false });
    expect(collected).toMatchObject({ outcome: "collected", totalBytes: looked.totalBytes });
    expect(collected.freedBytes).toBeGreaterThan(0);
    expect(filesContaining(join(scene.state, "packs"), "only in this look")).toEqual([]);
    const { history } = scene.open();
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(readFileSync(path, "utf8")).toBe("first, to be kept");
  });

  it("is everything when no session is left", async () => {
    scene.write("a.txt", "1");
    await scene.track(() => {});
    await scene.store.close();
    await collectGarbage(scene.state, new Set(), { dryRun: false });
    expect(packs()).toEqual([]);
    const next = scene.open();
    const { changes } = await next.tracker.track("workspace", async () => void scene.write("a.txt", "2"));
    expect(changes).toHaveLength(1);
  });

  it("stays while somebody works in the project, and goes when that process is gone", async () => {
    scene.write("a.txt", "1");
    await scene.track(() => {});
    expect(await collectGarbage(scene.state, new Set(), { dryRun: false })).toMatchObject({
      outcome: "in use",
      freedBytes: 0,
    });
    await scene.store.close();
    const child = spawn("true");
    await new Promise((resolve) => child.on("exit", resolve));
    const dead = join(scene.state, "users", "dead.json");
    writeFileSync(dead, JSON.stringify({ ...ownIdentity(), pid: child.pid }));
    expect(await collectGarbage(scene.state, new Set(), { dryRun: false })).toMatchObject({ outcome: "collected" });
    expect(existsSync(dead)).toBe(false);
  });

  it("is none in a store that was never made", async () => {
    expect(await collectGarbage(join(scene.folder, "nowhere"), new Set(), { dryRun: false })).toEqual({
      outcome: "collected",
      totalBytes: 0,
      freedBytes: 0,
    });
  });
});
