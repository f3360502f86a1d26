import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extensionContext } from "../../test/support/extension-context.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { nestedInstructions } from "./nested-instructions.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
  mkdirSync(join(folder, ".git"));
});
afterEach(() => removeTempFolder(folder));

function write(path: string, text: string): string {
  const absolute = join(folder, path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
  return absolute;
}

function open(cwd = "") {
  const extension = nestedInstructions(extensionContext(folder, { cwd: join(folder, cwd) }));
  return {
    ...extension,
    touch(...paths: string[]): readonly string[] {
      extension.onTouched?.(paths.map((path) => join(folder, path)));
      return extension.pendingNotices?.() ?? [];
    },
  };
}

/** What a message is made of: the files in it. */
const filesIn = (texts: readonly string[]) =>
  texts.flatMap((text) =>
    [...text.matchAll(/<instructions file="([^"]+)">/g)].map(([, path = ""]) => path.slice(folder.length + 1)),
  );

describe("instructions below the folder", () => {
  it("are told when a file they are about is first touched, the farthest first, each once", () => {
    write("AGENTS.md", "in the system prompt");
    write("a/AGENTS.md", "be kind @style.md");
    write("a/style.md", "two blanks");
    write("a/b/CLAUDE.md", "be brief");
    write("other/AGENTS.md", "not touched");
    const nested = open();
    expect(nested.touch("x.ts")).toEqual([]);
    const told = nested.touch("a/b/c/d.ts", "a/e.ts");
    expect(filesIn(told)).toEqual(["a/style.md", "a/AGENTS.md", "a/b/CLAUDE.md"]);
    expect(told[1]).toMatch(
      /^\[Instructions for files in a\/b;[^\n]*\n<instructions file="[^"]*">\nbe brief\n<\/instructions>$/,
    );
    expect(nested.touch("a/b/c/d.ts", "a/b/other.ts")).toEqual([]);
  });

  it("count beside the folder in the same repository, and nowhere else", () => {
    write("a/AGENTS.md", "of a");
    write("../outside-AGENTS.md", "no");
    const nested = open("b");
    expect(filesIn(nested.touch("a/x.ts", "../somewhere/x.ts"))).toEqual(["a/AGENTS.md"]);
  });

  it("are not told to whoever reads them", () => {
    write("a/AGENTS.md", "be kind");
    expect(open().touch("a/AGENTS.md")).toEqual([]);
  });

  it("are told again when a fold has taken them away, and only then", () => {
    write("a/AGENTS.md", "of a");
    write("b/AGENTS.md", "of b");
    const nested = open();
    const [a = "", b = ""] = nested.touch("a/x", "b/x");
    nested.onFolded?.();
    nested.onView?.(["something else", b]);
    expect(nested.pendingNotices?.()).toEqual([a]);
    nested.onFolded?.();
    nested.onView?.([a, b]);
    expect(nested.pendingNotices?.()).toEqual([]);
  });

  it("are not repeated in a session that is taken up again, and told anew after a reset, when touched", () => {
    write("a/AGENTS.md", "of a");
    const told = open().touch("a/x");
    const resumed = open();
    resumed.onView?.(told);
    expect(resumed.touch("a/x")).toEqual([]);
    resumed.onView?.([]);
    expect(resumed.pendingNotices?.()).toEqual([]);
    expect(resumed.touch("a/x")).toEqual(told);
  });

  it("are told to a conversation beside this one by what is touched there", () => {
    write("a/AGENTS.md", "of a");
    const nested = open();
    const other = nested.forSubagent?.();
    other?.onTouched?.([join(folder, "a/x")]);
    expect(other?.pendingNotices?.()).toHaveLength(1);
    expect(nested.touch("a/x")).toHaveLength(1);
  });
});
