import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { treeSnapshot } from "../../test/support/tree-snapshot.ts";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
  for (let i = 0; i < 20; i++) scene.write(`src/file${i}.ts`, `export const a${i} = 1;\n`);
  scene.write(".gitignore", "ignored/\n");
  scene.write("ignored/local.txt", "local\n");
  scene.shell("git init -q && git add . && git commit -qm one && echo stashed >> src/file1.ts && git stash -q");
});
afterEach(() => scene.close());

const git = (...args: string[]) =>
  execFileSync("git", ["-C", scene.root, ...args], { env: { ...process.env, GIT_OPTIONAL_LOCKS: "0" } }).toString();

/** Everything of git's that undo must leave alone. */
const gitState = () => ({
  index: readFileSync(join(scene.root, ".git/index")).toString("base64"),
  stash: git("stash", "list"),
  refs: git("for-each-ref"),
  folder: treeSnapshot(join(scene.root, ".git")),
});

describe("the person's git", () => {
  it("is as it was after captures, undo and redo of everything", async () => {
    scene.write("src/file2.ts", "staged\n");
    git("add", "src/file2.ts");
    scene.write("src/file3.ts", "not staged\n");
    const status = git("status", "--porcelain=v2");
    const before = gitState();
    const changes = await scene.track(() => scene.shell("rm -rf src ignored && echo new > new.txt"));
    await scene.undo(changes);
    expect(git("status", "--porcelain=v2")).toBe(status);
    await scene.redo(changes);
    await scene.undo(changes);
    expect(gitState()).toEqual(before);
    expect(git("status", "--porcelain=v2")).toBe(status);
  });

  it("is not needed", async () => {
    const { path: PATH, ...rest } = { path: process.env.PATH, ...process.env };
    process.env = { ...rest, PATH: "/nonexistent" };
    try {
      const changes = await scene.track(() => void scene.write("src/file1.ts", "x"));
      await scene.undo(changes);
      expect(scene.read("src/file1.ts")).toBe("export const a1 = 1;\n");
    } finally {
      process.env = { ...rest, ...(PATH === undefined ? {} : { PATH }) };
    }
  });
});

describe("what git commands do to files is taken back", () => {
  it("git checkout . brings no edit back, undo does", async () => {
    scene.write("src/file1.ts", "edited by the person\n");
    scene.shell("rm src/file2.ts");
    const before = treeSnapshot(join(scene.root, "src"));
    const changes = await scene.track(() => scene.shell("git checkout -q ."));
    expect(scene.read("src/file1.ts")).toBe("export const a1 = 1;\n");
    await scene.undo(changes);
    expect(treeSnapshot(join(scene.root, "src"))).toEqual(before);
  });

  it("git clean -fdx", async () => {
    scene.write("untracked.txt", "mine");
    const changes = await scene.track(() => scene.shell("git clean -qfdx"));
    await scene.undo(changes);
    expect([scene.read("untracked.txt"), scene.read("ignored/local.txt")]).toEqual(["mine", "local\n"]);
  });

  it("of a commit the files, and it is said that the commit stays", async () => {
    const { changes, uncovered } = await scene.trackAll(() =>
      scene.shell("echo x > new.txt && git add . && git commit -qm two"),
    );
    expect(uncovered).toEqual(["Commits and branches are git's own: undo does not take them back."]);
    expect(changes.map(({ path }) => path)).toEqual([join(scene.root, "new.txt")]);
  });

  it("in the middle of a rebase, which can be gone on with", async () => {
    scene.shell("git checkout -qb side HEAD && echo side > src/file1.ts && git commit -qam side");
    scene.shell("git checkout -q - && echo main > src/file1.ts && git commit -qam main && git checkout -q side");
    scene.shell("git rebase -q master 2>/dev/null || git rebase -q main 2>/dev/null || true");
    const status = git("status", "--porcelain=v2");
    expect(status).toContain("UU");
    const conflicted = scene.read("src/file1.ts");
    const changes = await scene.track(() => void scene.write("src/file1.ts", "resolved\n"));
    await scene.undo(changes);
    expect([scene.read("src/file1.ts"), git("status", "--porcelain=v2")]).toEqual([conflicted, status]);
    scene.shell("echo resolved > src/file1.ts && git add . && git rebase --continue");
    expect(git("status", "--porcelain=v2")).toBe("");
  });

  it("in a worktree and beside a submodule, whose .git files stay", async () => {
    scene.shell("git worktree add -q ../tree && git clone -q . ../lib");
    scene.shell("git -c protocol.file.allow=always submodule --quiet add ../lib lib && git commit -qm lib");
    const tree = join(scene.folder, "tree");
    const { tracker, history } = scene.open({ roots: [tree, scene.root] });
    const before = [treeSnapshot(tree), treeSnapshot(scene.root)];
    const { changes, uncovered } = await tracker.track("workspace", async () =>
      scene.shell("rm -rf ../tree/src lib/src && find ../tree lib -name '*.txt' -delete"),
    );
    expect(uncovered).toEqual([]);
    expect(changes.filter(({ path }) => path.includes(".git/") || path.endsWith(".git"))).toEqual([]);
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect([treeSnapshot(tree), treeSnapshot(scene.root)]).toEqual(before);
  });

  it("a cloned repository goes, apart from its .git, which nobody touches", async () => {
    const changes = await scene.track(() => scene.shell("git clone -q . copy"));
    const { history } = scene.store;
    const problems: string[] = [];
    await history.restore((await history.plan(changes, "undo")).ready, "undo", (_path, problem) =>
      problems.push(problem),
    );
    expect(problems).toEqual(["it holds other files"]);
    expect(git("-C", "copy", "log", "--oneline")).toContain("one");
  });
});
