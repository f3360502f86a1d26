import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { walk } from "../../test/support/temp.ts";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";
import type { FileChange } from "../contracts/file-change.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

const at = (name: string) => join(scene.root, name);

/** Restores these changes and answers with the words about what was left. */
async function restore(changes: readonly FileChange[], direction: "undo" | "redo" = "undo"): Promise<string[]> {
  const problems: string[] = [];
  await scene.store.history.restore(changes, direction, (path, problem) =>
    problems.push(`${path.slice(scene.root.length + 1)}: ${problem}`),
  );
  return problems;
}

describe("a file that somebody else changed", () => {
  it("later is a conflict and stays; the others go back", async () => {
    scene.write("a.txt", "a1");
    scene.write("b.txt", "b1");
    const changes = await scene.track(() => scene.shell("echo a2 > a.txt; echo b2 > b.txt"));
    scene.write("a.txt", "by hand");
    const plan = await scene.store.history.plan(changes, "undo");
    expect([plan.ready, plan.conflicts].map((list) => list.map(({ path }) => path))).toEqual([
      [at("b.txt")],
      [at("a.txt")],
    ]);
    expect(await restore(plan.ready)).toEqual([]);
    expect([scene.read("a.txt"), scene.read("b.txt")]).toEqual(["by hand", "b1"]);
  });

  it("can be overwritten when the person agrees, and even that is undoable", async () => {
    scene.write("a.txt", "a1");
    const changes = await scene.track(() => scene.write("a.txt", "a2"));
    scene.write("a.txt", "by hand, never captured before");
    const { conflicts } = await scene.store.history.plan(changes, "undo");
    const done = await scene.store.history.restore(conflicts, "undo");
    expect(scene.read("a.txt")).toBe("a1");
    await scene.undo(done);
    expect(scene.read("a.txt")).toBe("by hand, never captured before");
  });

  it("between two of our changes is a conflict, although it is now as we left it", async () => {
    scene.write("a.txt", "1");
    const first = await scene.track(() => scene.write("a.txt", "2"));
    scene.write("a.txt", "3, by hand");
    const second = await scene.track(() => scene.write("a.txt", "4"));
    const { ready, conflicts } = await scene.store.history.plan([...first, ...second], "undo");
    expect([ready, conflicts.length]).toEqual([[], 1]);
    expect(await restore([...first, ...second])).toEqual(["a.txt: somebody changed it meanwhile"]);
    expect(scene.read("a.txt")).toBe("4");
    expect(await restore(conflicts)).toEqual([]);
    expect(scene.read("a.txt")).toBe("1");
  });

  it("only in its mode, or into a link, is a conflict as well", async () => {
    scene.write("a.txt", "1");
    scene.write("b.txt", "1");
    const changes = await scene.track(() => scene.shell("echo 2 > a.txt; echo 2 > b.txt"));
    chmodSync(at("a.txt"), 0o600);
    rmSync(at("b.txt"));
    symlinkSync("a.txt", at("b.txt"));
    const { ready, conflicts } = await scene.store.history.plan(changes, "undo");
    expect([ready.length, conflicts.length]).toEqual([0, 2]);
  });

  it("and back to what it was before is nothing to do", async () => {
    scene.write("a.txt", "1");
    const changes = await scene.track(() => scene.write("a.txt", "2"));
    scene.write("a.txt", "1");
    expect(await scene.store.history.plan(changes, "undo")).toEqual({ ready: [], conflicts: [], missing: [] });
  });

  it("after the plan was made is left alone", async () => {
    scene.write("a.txt", "1");
    const changes = await scene.track(() => scene.write("a.txt", "2"));
    const { ready } = await scene.store.history.plan(changes, "undo");
    scene.write("a.txt", "3");
    expect(await restore(ready)).toEqual(["a.txt: somebody changed it meanwhile"]);
    expect(scene.read("a.txt")).toBe("3");
  });

  it("before a redo is a conflict of the redo", async () => {
    scene.write("a.txt", "1");
    const changes = await scene.track(() => scene.write("a.txt", "2"));
    await scene.undo(changes);
    scene.write("a.txt", "by hand");
    const { ready, conflicts } = await scene.store.history.plan(changes, "redo");
    expect([ready, conflicts.length]).toEqual([[], 1]);
    expect(await restore(conflicts, "redo")).toEqual([]);
    expect(scene.read("a.txt")).toBe("2");
  });

  it("and made huge, or replaced by a FIFO, is never overwritten, whoever agrees", async () => {
    const { tracker, history } = scene.open({ limits: { fileBytes: 1000 } });
    scene.write("a.txt", "1");
    const { changes } = await tracker.track("workspace", async () => void scene.write("a.txt", "2"));
    scene.write("a.txt", "x".repeat(5000));
    const { conflicts } = await history.plan(changes, "undo");
    expect(await history.restore(conflicts, "undo")).toEqual([]);
    expect(scene.read("a.txt")).toHaveLength(5000);
  });
});

describe("a folder of ours", () => {
  it("that holds files of others is not removed", async () => {
    const changes = await scene.track(() => scene.write("new/ours.txt", "x"));
    scene.write("new/theirs.txt", "y");
    const { ready } = await scene.store.history.plan(changes, "undo");
    expect(await restore(ready)).toEqual(["new: it holds other files"]);
    expect([...walk(scene.root)].map((path) => path.slice(scene.root.length))).toEqual(["", "/new", "/new/theirs.txt"]);
  });

  it("in which a file of others is brought back stays", async () => {
    const first = await scene.track(() => scene.write("new/ours.txt", "x"));
    scene.write("new/theirs.txt", "y");
    const second = await scene.track(() => scene.shell("rm new/*"));
    const { ready } = await scene.store.history.plan([...first, ...second], "undo");
    const done = await scene.store.history.restore(ready, "undo");
    expect(done.map(({ path }) => path)).toEqual([at("new/theirs.txt")]);
    expect([...walk(scene.root)].map((path) => path.slice(scene.root.length))).toEqual(["", "/new", "/new/theirs.txt"]);
  });

  it("that others removed comes back with what was in it", async () => {
    scene.write("src/deep/a.txt", "1");
    const changes = await scene.track(() => rmSync(at("src/deep/a.txt")));
    rmSync(at("src"), { recursive: true });
    const done = await scene.undo(changes);
    expect(scene.read("src/deep/a.txt")).toBe("1");
    await scene.undo(done);
    expect(existsSync(at("src"))).toBe(false);
  });
});

describe("nothing is written through a link", () => {
  it("that appeared in place of a folder", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside);
    scene.write("src/a.txt", "1");
    const changes = await scene.track(() => rmSync(at("src/a.txt")));
    rmSync(at("src"), { recursive: true });
    symlinkSync(outside, at("src"));
    const { ready } = await scene.store.history.plan(changes, "undo");
    expect(await restore(ready)).toEqual(["src/a.txt: a file or a link stands where its folder was"]);
    expect([...walk(outside)]).toEqual([outside]);
  });

  it("that leads to a folder with a file that looks like ours", async () => {
    const outside = join(scene.folder, "outside");
    scene.write("src/a.txt", "1");
    const changes = await scene.track(() => scene.write("src/a.txt", "2"));
    renameSync(at("src"), outside);
    symlinkSync(outside, at("src"));
    const { ready, conflicts } = await scene.store.history.plan(changes, "undo");
    await restore([...ready, ...conflicts]);
    expect(readFileSync(join(outside, "a.txt"), "utf8")).toBe("2");
  });

  it("that took the place of the file itself: the link goes, its target stays", async () => {
    const outside = join(scene.folder, "outside.txt");
    writeFileSync(outside, "precious");
    scene.write("a.txt", "1");
    const changes = await scene.track(() => scene.write("a.txt", "2"));
    rmSync(at("a.txt"));
    symlinkSync(outside, at("a.txt"));
    const { conflicts } = await scene.store.history.plan(changes, "undo");
    await restore(conflicts);
    expect([scene.read("a.txt"), readFileSync(outside, "utf8")]).toEqual(["1", "precious"]);
  });
});

describe("changes that name a path", () => {
  const stranger = (path: string): FileChange => ({ path, after: { type: "folder", mode: 0o755 } });

  it("outside the workspace are refused", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside, { mode: 0o755 });
    const problems: string[] = [];
    await scene.store.history.restore([stranger(outside)], "undo", (_path, problem) => problems.push(problem));
    expect(problems).toEqual(["it lies outside the workspace"]);
    expect(existsSync(outside)).toBe(true);
  });

  it("outside the workspace are fine where file tools may write everywhere", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside, { mode: 0o755 });
    await scene.open({ restores: "everywhere" }).history.restore([stranger(outside)], "undo");
    expect(existsSync(outside)).toBe(false);
  });

  it.each([".git", ".git/hooks", "sub/.git", ".jj/x"])("in %s are refused", async (name) => {
    mkdirSync(at(name), { recursive: true });
    chmodSync(at(name), 0o755);
    expect(await restore([stranger(at(name))])).toEqual([expect.stringContaining("is never restored")]);
    expect(existsSync(at(name))).toBe(true);
  });
});

describe("one path that fails", () => {
  it("stops no other", async () => {
    for (const name of ["a/x.txt", "b/x.txt", "c/x.txt"]) scene.write(name, "1");
    const changes = await scene.track(() => scene.shell("rm a/x.txt b/x.txt c/x.txt"));
    const { ready } = await scene.store.history.plan(changes, "undo");
    rmSync(at("b"), { recursive: true });
    scene.write("b", "a file now");
    expect(await restore(ready)).toEqual(["b/x.txt: a file or a link stands where its folder was"]);
    expect([scene.read("a/x.txt"), scene.read("b"), scene.read("c/x.txt")]).toEqual(["1", "a file now", "1"]);
  });
});
