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

describe("what instructions import", () => {
  const pathsIn = (options = {}) =>
    findInstructions(cwd, options).files.map(({ path }) => path.slice(folder.length + 1));

  it("comes before the file that names it, each once, however they name each other", () => {
    write(
      "repository/AGENTS.md",
      "See @docs/style.md, (@docs/a.md) and @docs/style.md.\nAsk @somebody or mail me@docs/b.md.",
    );
    write("repository/docs/style.md", "@./a.md\n@../AGENTS.md");
    write("repository/docs/a.md", "a");
    write("repository/docs/b.md", "b");
    expect(pathsIn()).toEqual(["docs/a.md", "docs/style.md", "AGENTS.md"].map((path) => `repository/${path}`));
  });

  it("does not count inside of code", () => {
    write("repository/AGENTS.md", "`@a.md` and ``@a.md``\n```sh\ncat @a.md\n```\n~~~\n@a.md\n~~~\n```\nopen @a.md");
    write("repository/a.md", "a");
    expect(pathsIn()).toEqual(["repository/AGENTS.md"]);
  });

  it("goes five files deep", () => {
    for (let depth = 0; depth < 9; depth++)
      write(depth === 0 ? "repository/AGENTS.md" : `repository/${depth}.md`, `level ${depth} @${depth + 1}.md`);
    expect(pathsIn()).toEqual(
      ["5.md", "4.md", "3.md", "2.md", "1.md", "AGENTS.md"].map((path) => `repository/${path}`),
    );
    expect(findInstructions(cwd).warnings).toEqual([expect.stringMatching(/5\.md imports 6\.md at a depth/)]);
  });

  it("stays inside the repository unless it is trusted, follows no links and takes no secrets; the person's own may lie anywhere", () => {
    write("repository/AGENTS.md", "@../outside.md @~/nothing.md @link.md @folder/outside.md @.env");
    write("outside.md", "outside");
    write("repository/.env", "KEY=1");
    symlinkSync(join(folder, "outside.md"), join(repository, "link.md"));
    symlinkSync(folder, join(repository, "folder"));
    const isSecret = (path: string) => path.endsWith(".env");
    expect(pathsIn({ isSecret })).toEqual(["repository/AGENTS.md"]);
    expect(
      findInstructions(cwd, { isSecret }).warnings.map((text) =>
        text.replace(/.* imports [^ ]*\/(.*?), which /, "$1 "),
      ),
    ).toEqual([
      "outside.md lies outside the repository; it was left out.",
      "link.md lies outside the repository; it was left out.",
      "outside.md lies outside the repository; it was left out.",
      ".env likely holds a secret; it was left out.",
    ]);
    expect(pathsIn({ isSecret, isTrusted: true })).toEqual(["outside.md", "repository/AGENTS.md"]);
    write("repository/AGENTS.md", "mine");
    const own = [write("own/AGENTS.md", "@../outside.md"), write("own/CLAUDE.md", "not this")];
    expect(pathsIn({ own })).toEqual(["outside.md", "own/AGENTS.md", "repository/AGENTS.md"]);
    expect(pathsIn({ own: [join(folder, "none"), ...own.slice(1)] })[0]).toBe("own/CLAUDE.md");
  });

  it("is left out when it is no text that somebody wrote", () => {
    write("repository/AGENTS.md", "x".repeat(1_100_000));
    expect(findInstructions(cwd)).toMatchObject({ files: [], warnings: [expect.stringContaining("larger than 1 MB")] });
  });
});
