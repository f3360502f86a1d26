import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { createRepositoryPrograms } from "./repository-programs.ts";

let folder: string;
const programsOf = createRepositoryPrograms();
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "repository-test-")));
  mkdirSync(join(folder, ".git/hooks"), { recursive: true });
  mkdirSync(join(folder, "src/deep"), { recursive: true });
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function configured(settings: string): string | undefined {
  writeFileSync(join(folder, ".git/config"), settings);
  return programsOf(join(folder, "src/deep"));
}

describe("a repository", () => {
  it("with everyday settings starts nothing of its own", () => {
    const everyday =
      '[core]\n\tbare = false\n\thooksPath = .husky/_\n\tfsmonitor = true\n[remote "origin"]\n\turl = git@example.org:a.git\n\tpromisor = true\n' +
      '[branch "main"]\n\tremote = origin\n[filter "lfs"]\n\tclean = git-lfs clean -- %f\n\tprocess = git-lfs filter-process\n';
    expect(configured(everyday)).toBeUndefined();
    rmSync(join(folder, ".git/config"));
    expect(programsOf(folder)).toBeUndefined();
  });

  it.each([
    "[core]\n\tfsmonitor = ./x",
    '[core] fsMonitor="./x"',
    '[diff "a"]\n\ttextconv = ./x',
    "[diff]\n external=./x",
    '[filter "a"]\n\tclean = ./x',
    '[filter "lfs"]\n\tclean = git-lfs clean; ./x',
    "[include]\n\tpath = other",
    "[log]\n\tshowSignature = true",
    '[remote "o"]\n\tpromisor = true\n\tuploadpack = ./x',
  ])("with a setting that names a program starts it: %j", (settings) => {
    expect(configured(settings)).toBeDefined();
    expect(configured("[core]\n\tbare = false")).toBeUndefined();
  });

  it("has a hook that runs when git only looks, also where its settings lead to one", () => {
    writeFileSync(join(folder, "src/post-index-change"), "");
    expect(configured("[core]\n\thooksPath = src")).toBeDefined();
    expect(configured("")).toBeUndefined();
    writeFileSync(join(folder, ".git/hooks/post-index-change"), "");
    expect(programsOf(folder)).toBeDefined();
  });

  it("is known by the folder that a file names, and by the one that it shares", () => {
    mkdirSync(join(folder, "src/own"));
    mkdirSync(join(folder, "src/common"));
    writeFileSync(join(folder, "src/deep/.git"), "gitdir: ../own\n");
    expect(programsOf(join(folder, "src/deep"))).toBeUndefined();
    writeFileSync(join(folder, "src/own/commondir"), "../common\n");
    writeFileSync(join(folder, "src/common/config"), "[core]\n\tfsmonitor = ./x");
    expect(programsOf(join(folder, "src/deep"))).toMatch(/fsmonitor = \.\/x/);
  });

  it("without working files is one that anybody may have put there", () => {
    for (const name of ["HEAD", "objects", "refs"]) mkdirSync(join(folder, "src/deep", name));
    expect(programsOf(join(folder, "src/deep"))).toMatch(/without working files/);
    expect(programsOf(join(folder, "src"))).toBeUndefined();
  });
});
