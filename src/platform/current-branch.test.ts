import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { currentBranch } from "./current-branch.ts";

const folder = makeTempFolder();
afterAll(() => removeTempFolder(folder));

function place(path: string, head: string): string {
  mkdirSync(join(folder, path), { recursive: true });
  writeFileSync(join(folder, path, "HEAD"), head);
  return join(folder, path);
}

describe("the current branch", () => {
  it("is that of the repository around a folder, with slashes in its name", () => {
    place("repo/.git", "ref: refs/heads/feature/login\n");
    mkdirSync(join(folder, "repo/src/deep"), { recursive: true });
    expect(currentBranch(join(folder, "repo/src/deep"))).toBe("feature/login");
  });

  it("is the beginning of the commit when none is checked out", () => {
    place("detached/.git", "0123456789abcdef0123456789abcdef01234567\n");
    expect(currentBranch(join(folder, "detached"))).toBe("01234567");
  });

  it("is a worktree's own", () => {
    const git = place("repo/.git/worktrees/side", "ref: refs/heads/side\n");
    mkdirSync(join(folder, "side"));
    writeFileSync(join(folder, "side/.git"), `gitdir: ${git}\n`);
    expect(currentBranch(join(folder, "side"))).toBe("side");
  });

  it("is unknown outside of repositories", () => {
    expect(currentBranch("/")).toBeUndefined();
  });
});
