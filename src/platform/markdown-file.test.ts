import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { readMarkdownFile } from "./markdown-file.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

function reading(text: string) {
  const path = join(folder, "x.md");
  writeFileSync(path, text);
  return readMarkdownFile(path);
}

describe("a Markdown file", () => {
  it.each([
    ["with front matter", "---\nname: a\nlist: [b, c]\n---\nbody\n", { name: "a", list: ["b", "c"] }, "body\n"],
    ["with line ends of Windows", "\uFEFF---\r\nname: a\r\n---\r\nbody\r\n", { name: "a" }, "body\r\n"],
    ["without any", "# title\n---\nname: a\n---\n", {}, "# title\n---\nname: a\n---\n"],
    ["with an empty one", "---\n---\nbody", {}, "body"],
    ["with one of comments", "---\n# nothing\n---\nbody", {}, "body"],
    ["with a first line that is never closed", "---\nname: a\n", {}, "---\nname: a\n"],
    ["with rules below", "---\nname: a\n---\none\n---\ntwo\n---\n", { name: "a" }, "one\n---\ntwo\n---\n"],
    [
      "with a colon in a text, as others write it",
      "---\ndescription: Use when: it fits # 1\n---\n",
      { description: "Use when: it fits # 1" },
      "",
    ],
    ["with a key that is dangerous elsewhere", "---\nconstructor: a\n---\n", { constructor: "a" }, ""],
    ["with hidden characters", "---\nname: a\u200Bb\n---\nbo\u{E0041}dy", { name: "ab" }, "body"],
  ])("%s is read", async (_name, text, fields, body) => {
    expect(await reading(text)).toEqual({ fields, body });
  });

  it.each([
    ["too large", `---\nname: a\n---\n${"x".repeat(300_000)}`, /too large: at most 256 KB/],
    ["with too much front matter", `---\nname: ${"a".repeat(20_000)}\n---\n`, /front matter of \d+ characters/],
    [
      "with a bomb of aliases",
      `---\na: &a [x,x,x,x,x,x,x,x,x]\n${[..."bcdefgh"].map((key, at) => `${key}: &${key} [${`*${"abcdefg"[at]},`.repeat(9)}]`).join("\n")}\n---\n`,
      /bad front matter: Excessive alias/,
    ],
    ["nested without end", `---\n${"[".repeat(16_000)}\n---\n`, /bad front matter/],
    ["with broken YAML", "---\nname: [a\ndescription: b\n---\n", /bad front matter: .*line/],
    ["with a list", "---\n- a\n---\n", /must be a list of `name: value`/],
  ])("%s is a problem told in one line that names it", async (_name, text, words) => {
    const answer = await reading(text);
    expect(answer).toEqual({ problem: expect.stringMatching(words) });
    expect(answer).toEqual({ problem: expect.stringMatching(/^[^\n]*x\.md[^\n]*$/) });
  });

  it("that is missing, a folder or a link is a problem", async () => {
    mkdirSync(join(folder, "folder.md"));
    writeFileSync(join(folder, "secret"), "secret");
    symlinkSync(join(folder, "secret"), join(folder, "link.md"));
    const problems = ["missing.md", "folder.md", "link.md"].map((name) => readMarkdownFile(join(folder, name)));
    expect(await Promise.all(problems)).toEqual([
      { problem: expect.stringMatching(/missing\.md cannot be read \(ENOENT\)/) },
      { problem: expect.stringMatching(/folder\.md is a folder, not a file/) },
      { problem: expect.stringMatching(/link\.md is a link, not a file/) },
    ]);
  });
});
