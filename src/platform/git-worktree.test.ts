import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createWorktrees } from "./git-worktree.ts";

let base: string;
let repository: string;
let folder: string;
const environment = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };

function git(...args: string[]): string {
  const env = { ...environment, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];
  return execFileSync("git", [...identity, ...args], { cwd: repository, env, stdio: "pipe", encoding: "utf8" });
}
const worktrees = () => createWorktrees({ folder, environment: { ...environment, GIT_DIR: "/nowhere" } });

beforeEach(() => {
  base = makeTempFolder();
  repository = join(base, "repository");
  folder = join(base, "worktrees");
  mkdirSync(join(repository, "sub"), { recursive: true });
  git("init", "--quiet", "-b", "main");
  writeFileSync(join(repository, "sub/a.txt"), "one\n");
  git("add", ".");
  git("commit", "--quiet", "-m", "first");
});
afterEach(() => removeTempFolder(base));

const branches = () => git("branch", "--format=%(refname:short)").trim().split("\n");

describe("a worktree", () => {
  it("is the last commit in a folder of its own, and leaves nothing behind when nothing changed", async () => {
    writeFileSync(join(repository, "sub/a.txt"), "not committed\n");
    const made = await worktrees().make(join(repository, "sub"));
    expect(made.folder).toBe(join(made.path, "sub"));
    expect(readFileSync(join(made.folder, "a.txt"), "utf8")).toBe("one\n");
    expect(branches()).toEqual([made.branch, "main"].sort());
    expect(await made.close()).toEqual({ isKept: false, changedFiles: 0 });
    expect(branches()).toEqual(["main"]);
    expect(existsSync(folder)).toBe(false);
    expect(git("worktree", "list").trim().split("\n")).toHaveLength(1);
  });

  it("stays with its branch when a file was changed, made or committed", async () => {
    const all = worktrees();
    const [edited, committed] = await Promise.all([all.make(repository), all.make(repository)]);
    writeFileSync(join(edited.folder, "sub/a.txt"), "two\n");
    writeFileSync(join(edited.folder, "new.txt"), "new\n");
    writeFileSync(join(committed.folder, "sub/a.txt"), "three\n");
    git("-C", committed.path, "commit", "--quiet", "-am", "second");
    expect(await edited.close()).toEqual({ isKept: true, changedFiles: 2 });
    expect(await committed.close()).toEqual({ isKept: true, changedFiles: 1 });
    expect(branches()).toHaveLength(3);
    expect(readFileSync(join(repository, "sub/a.txt"), "utf8")).toBe("one\n");
  });

  it("that a killed program left unchanged is removed when the next one is made, one in use is not", async () => {
    const left = await worktrees().make(repository);
    const used = await worktrees().make(repository);
    // whoever made it is gone
    for (const name of readdirSync(`${left.path}.users`)) writeFileSync(join(`${left.path}.users`, name), "nobody");
    const next = await worktrees().make(repository);
    expect(existsSync(left.path)).toBe(false);
    expect(branches()).toEqual([used.branch, next.branch, "main"].sort());
  });

  it("runs nothing that the repository names: no hooks, no filters", async () => {
    const mark = join(base, "mark");
    const trap = join(repository, ".git/hooks/post-checkout");
    writeFileSync(trap, `#!/bin/sh\ntouch '${mark}'\n`);
    chmodSync(trap, 0o755);
    writeFileSync(join(repository, ".gitattributes"), "* filter=evil\n");
    git("add", ".gitattributes");
    git("commit", "--quiet", "-m", "filters");
    git("config", "filter.evil.smudge", `touch '${mark}'; cat`);
    git("config", "filter.evil.required", "true");
    const made = await worktrees().make(repository);
    expect(readFileSync(join(made.folder, "sub/a.txt"), "utf8")).toBe("one\n");
    expect(await made.close()).toEqual({ isKept: false, changedFiles: 0 });
    expect(existsSync(mark)).toBe(false);
  });

  it("cannot be had without a repository or a commit, and says so", async () => {
    await expect(worktrees().make(base)).rejects.toThrow(/is in none/);
    repository = join(base, "empty");
    mkdirSync(repository);
    git("init", "--quiet");
    await expect(worktrees().make(repository)).rejects.toThrow(/has none yet/);
  });
});
