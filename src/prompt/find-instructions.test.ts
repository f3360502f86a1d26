import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { findInstructions } from "./find-instructions.ts";

let folder: string;
let repository: string;
let cwd: string;
beforeEach(() => {
  folder = makeTempFolder();
  repository = join(folder, "repository");
  cwd = join(repository, "packages/app");
  mkdirSync(cwd, { recursive: true });
  mkdirSync(join(repository, ".git"));
});
afterEach(() => removeTempFolder(folder));

function write(path: string, text: string): string {
  const absolute = join(folder, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
  return absolute;
}
const textsIn = (where: string) => findInstructions(where).files.map(({ text }) => text);

describe("project instructions", () => {
  it("are found from the root of the repository down, the nearest last", () => {
    const paths = [
      write("repository/AGENTS.md", "root agents"),
      write("repository/CLAUDE.md", "root claude"),
      write("repository/packages/CLAUDE.md", "packages"),
      write("repository/packages/app/AGENTS.md", "app"),
    ];
    const { files, isGitRepository, warnings } = findInstructions(cwd);
    expect(files.map(({ path }) => path)).toEqual(paths);
    expect(files.map(({ text }) => text)).toEqual(["root agents", "root claude", "packages", "app"]);
    expect([isGitRepository, warnings]).toEqual([true, []]);
  });

  it("above the repository and beside the way down do not count", () => {
    write("AGENTS.md", "above");
    write("repository/packages/other/AGENTS.md", "beside");
    write("repository/packages/app/src/AGENTS.md", "below");
    expect(textsIn(cwd)).toEqual([]);
  });

  it("stop at the innermost repository, also one whose .git is a file", () => {
    write("repository/AGENTS.md", "outer");
    write("repository/packages/.git", "gitdir: elsewhere");
    write("repository/packages/AGENTS.md", "inner");
    expect(textsIn(cwd)).toEqual(["inner"]);
  });

  it("outside a repository are those of the folder alone", () => {
    write("plain/AGENTS.md", "parent");
    write("plain/sub/AGENTS.md", "own");
    expect(findInstructions(join(folder, "plain/sub"))).toMatchObject({
      isGitRepository: false,
      files: [{ text: "own" }],
    });
  });

  it("that are links are not followed, so that no other file of the person's is sent", () => {
    const secret = write("secret.txt", "the person's secret");
    symlinkSync(secret, join(cwd, "AGENTS.md"));
    symlinkSync(join(folder, "nowhere"), join(cwd, "CLAUDE.md"));
    expect(textsIn(cwd)).toEqual([]);
  });

  it("that are folders or empty are passed over", () => {
    mkdirSync(join(cwd, "AGENTS.md"));
    write("repository/packages/app/CLAUDE.md", " \n\n");
    expect(textsIn(cwd)).toEqual([]);
  });

  it("that say the same are taken once", () => {
    write("repository/AGENTS.md", "be brief\n");
    write("repository/CLAUDE.md", "\nbe brief");
    write("repository/packages/app/AGENTS.md", "be kind");
    expect(textsIn(cwd)).toEqual(["be brief\n", "be kind"]);
  });
});

describe("invisible characters in project instructions", () => {
  it.each([
    ["the tag block", "\u{E0001}\u{E0069}\u{E0067}\u{E007F}"],
    ["variation selectors that can carry text", "\u{E0100}\u{E01EF}"],
    ["zero-width characters", "\u200B\u200C\u200D\u2060"],
    ["a zero-width no-break space inside the text", "\uFEFF"],
    ["bidirectional marks", "\u200E\u200F\u061C"],
    ["bidirectional embeddings", "\u202A\u202B\u202C\u202D\u202E"],
    ["bidirectional isolates", "\u2066\u2067\u2068\u2069"],
    ["invisible operators", "\u2061\u2062\u2063\u2064"],
  ])("are left out with a warning that names the file: %s", (_name, hidden) => {
    const path = write("repository/AGENTS.md", `be ${hidden}brief`);
    const { files, warnings } = findInstructions(cwd);
    expect(files.map(({ text }) => text)).toEqual(["be brief"]);
    expect(warnings).toEqual([expect.stringContaining(path)]);
  });

  it("do not include a byte order mark, accents, emoji or other scripts", () => {
    const text = "be brief – naïve, 简短, קצר, ✅ 👍🏽\ttabs\r\n";
    write("repository/AGENTS.md", `\uFEFF${text}`);
    expect(findInstructions(cwd)).toMatchObject({ files: [{ text }], warnings: [] });
  });
});
