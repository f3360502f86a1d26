import { chmodSync, existsSync, mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

const at = (name: string) => join(scene.root, name);
const names = (changes: readonly { readonly path: string }[]) =>
  changes.map(({ path }) => path.slice(scene.root.length + 1));

describe("work that names its files", () => {
  it("is taken back and forth: an edit, a new file, a deletion, a mode", async () => {
    for (const name of ["edited.txt", "deleted.txt", "mode.sh"]) scene.write(name, "old\n");
    const before = scene.tree();
    const paths = ["edited.txt", "new.txt", "deleted.txt", "mode.sh"].map(at);
    const changes = await scene.track(() => {
      scene.write("edited.txt", "new\n");
      scene.write("new.txt", "new\n");
      rmSync(at("deleted.txt"));
      chmodSync(at("mode.sh"), 0o755);
    }, paths);
    expect(names(changes)).toEqual(["edited.txt", "new.txt", "deleted.txt", "mode.sh"]);
    const after = scene.tree();
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
    await scene.redo(changes);
    expect(scene.tree()).toEqual(after);
  });

  it("takes the folders it made along", async () => {
    const changes = await scene.track(() => scene.write("a/b/c.txt", "x"), [at("a/b/c.txt")]);
    expect(names(changes).sort()).toEqual(["a", "a/b", "a/b/c.txt"]);
    await scene.undo(changes);
    expect(existsSync(at("a"))).toBe(false);
  });

  it("is asked for nothing else", async () => {
    scene.write("a.txt", "1");
    scene.write("b.txt", "1");
    const changes = await scene.track(() => scene.shell("echo 2 > a.txt; echo 2 > b.txt"), [at("a.txt")]);
    expect(names(changes)).toEqual(["a.txt"]);
  });

  it("that changes nothing has no changes", async () => {
    scene.write("a.txt", "1");
    expect(await scene.track(() => scene.write("a.txt", "1"), [at("a.txt")])).toEqual([]);
    expect(await scene.track(() => {}, [at("missing/b.txt")])).toEqual([]);
  });

  it("means the file behind a link", async () => {
    scene.write("real/a.txt", "1");
    symlinkSync("real", at("folder-link"));
    symlinkSync("real/a.txt", at("file-link"));
    const through = [
      ...(await scene.track(() => writeFileSync(at("folder-link/a.txt"), "2"), [at("folder-link/a.txt")])),
      ...(await scene.track(() => writeFileSync(at("file-link"), "3"), [at("file-link")])),
    ];
    expect(names(through)).toEqual(["real/a.txt", "real/a.txt"]);
    await scene.undo(through);
    expect(scene.read("real/a.txt")).toBe("1");
  });

  it("may name what cannot be there: a file in a file, an endless link", async () => {
    scene.write("a.txt", "1");
    symlinkSync("loop", at("loop"));
    expect(await scene.track(() => {}, [at("a.txt/b.txt"), at("loop/x")])).toEqual([]);
  });

  it("is not covered for a file that is too large, or belongs to git", async () => {
    truncateSync(scene.write("large.bin", ""), 17 * 1024 * 1024);
    mkdirSync(at(".git"));
    const { changes, uncovered } = await scene.store.tracker.track([at("large.bin"), at(".git/config")], async () => {
      scene.write(".git/config", "x");
    });
    expect(changes).toEqual([]);
    expect(uncovered).toEqual([
      ".git/config belongs to .git, so undo does not cover it.",
      "large.bin is larger than 16 MB, so undo does not cover it.",
    ]);
  });

  it("needs no look at the workspace", async () => {
    const { tracker } = scene.open({ roots: ["/"], restores: "everywhere" });
    const path = scene.write("a.txt", "1");
    const { changes, uncovered } = await tracker.track([path], async () => void scene.write("a.txt", "2"));
    expect([changes.length, uncovered]).toEqual([1, []]);
  });

  it("and work in the whole workspace go back together", async () => {
    scene.write("a.txt", "1");
    const changes = [
      ...(await scene.track(() => scene.write("a.txt", "2"), [at("a.txt")])),
      ...(await scene.track(() => scene.shell("echo 3 > a.txt; mv a.txt b.txt"))),
      ...(await scene.track(() => scene.write("b.txt", "4"), [at("b.txt")])),
    ];
    await scene.undo(changes);
    expect([scene.read("a.txt"), existsSync(at("b.txt"))]).toEqual(["1", false]);
  });
});
