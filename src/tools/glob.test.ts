import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { runTool, workspaceAt } from "../../test/support/tool-run.ts";
import { ToolError } from "../contracts/errors.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { glob } from "./glob.ts";

let outer: string;
let folder: string;
let workspace: Workspace;

beforeEach(() => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), "glob-")));
  folder = join(outer, "build", "ws");
  mkdirSync(folder, { recursive: true });
  workspace = workspaceAt(folder);
});
afterEach(() => rmSync(outer, { recursive: true, force: true }));

function write(...names: string[]): void {
  for (const [index, name] of names.entries()) {
    const path = join(folder, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, name.endsWith(".gitignore") ? "ignored/\n*.log\n" : "");
    utimesSync(path, 1_000 + index, 1_000 + index);
  }
}

async function find(pattern: string, path?: string, signal = new AbortController().signal): Promise<string> {
  return (await runTool(glob, path === undefined ? { pattern } : { pattern, path }, workspace, signal)).text;
}

const lines = async (pattern: string, path?: string) => (await find(pattern, path)).split("\n").sort();

describe("glob", () => {
  test("lists files, the newest first", async () => {
    write("old.ts", "sub/middle.ts", "new.ts", "other.js");
    expect(await find("**/*.ts")).toBe("new.ts\nsub/middle.ts\nold.ts");
  });

  test("shows 100 and says how many there are", async () => {
    write(...Array.from({ length: 130 }, (_, index) => `f${index}.txt`));
    const shown = (await find("*.txt")).split("\n");
    expect(shown).toHaveLength(101);
    expect(shown[0]).toBe("f129.txt");
    expect(shown.at(-1)).toBe("[100 of 130 files, newest first; narrow the pattern to see others]");
  });

  test("leaves out folders, what git ignores, .git and node_modules, but not hidden files", async () => {
    write("a.ts", ".github/b.ts", "ignored/c.ts", ".git/d.ts", "node_modules/e.ts", "x.log", ".gitignore");
    mkdirSync(join(folder, "folder.ts"));
    expect(await lines("**/*")).toEqual([".github/b.ts", ".gitignore", "a.ts"]);
    expect(await lines("**/*.ts")).toEqual([".github/b.ts", "a.ts"]);
  });

  test.each([
    ["*.{ts,js}", ["a.ts", "b.js"]],
    ["sub/*.ts", ["sub/c.ts"]],
    ["./sub/**", ["sub/c.ts", "sub/deep/d.ts"]],
    ["**/d.ts", ["sub/deep/d.ts"]],
    ["sub/../a.ts", ["a.ts"]],
    ["a.ts", ["a.ts"]],
    ["[ab].*", ["a.ts", "b.js"]],
    ["?.ts", ["a.ts"]],
    ["!(b).*", ["a.ts"]],
  ])("%s", async (pattern, expected) => {
    write("a.ts", "b.js", "sub/c.ts", "sub/deep/d.ts");
    expect(await lines(pattern)).toEqual(expected);
  });

  test("brackets and parentheses in names also stand for themselves", async () => {
    write("app/(shop)/[id]/page.tsx", "app/(shop)/[id]/view.tsx", "app/x/page.tsx");
    expect(await lines("app/(shop)/[id]/*.tsx")).toEqual(["app/(shop)/[id]/page.tsx", "app/(shop)/[id]/view.tsx"]);
    expect(await lines("app/(shop)/**/page.tsx")).toEqual(["app/(shop)/[id]/page.tsx"]);
  });

  test("paths are relative to the current folder, wherever the search started", async () => {
    write("sub/a.ts", "other/b.ts");
    workspace.cwd = join(folder, "sub");
    expect(await find("*.ts")).toBe("a.ts");
    expect(await find("*.ts", "../other")).toBe(join(folder, "other/b.ts"));
    expect(await find("../other/*.ts")).toBe(join(folder, "other/b.ts"));
    expect(await find(`${folder}/**/a.ts`)).toBe("a.ts");
  });

  test("an ignored folder is searched when path or pattern leads into it", async () => {
    write("ignored/a.ts", "node_modules/m/b.ts", ".gitignore");
    expect(await find("*.ts", "ignored")).toBe("ignored/a.ts");
    expect(await find("ignored/**/*.ts")).toBe("ignored/a.ts");
    expect(await find("node_modules/m/*.ts")).toBe("node_modules/m/b.ts");
  });

  test("an empty answer says where to look: folders below, ignored files, a folder that is not there", async () => {
    write("sub/a.ts", "ignored/c.md", ".gitignore");
    expect(await find("*.ts")).toBe(
      "No files match *.ts in the current folder. 1 in folders below do: use **/ before it.",
    );
    expect(await find("**/*.md")).toMatch(/^No files match .* 1 ignored ones do; path has to name their folder/);
    expect(await find("nowhere/*.ts")).toBe("No files match nowhere/*.ts: there is no folder nowhere.");
    expect(await find("**/*.zig")).toBe("No files match **/*.zig in the current folder.");
  });

  test("stays inside the allowed folders", async () => {
    writeFileSync(join(outer, "secret.ts"), "");
    symlinkSync(outer, join(folder, "out"));
    for (const [pattern, path] of [
      ["../../*.ts"],
      ["*.ts", ".."],
      [`${outer}/*.ts`],
      ["/etc/*"],
      ["*.ts", "out"],
      ["out/*.ts"],
      ["~/*"],
      ["/*"],
    ] as const) {
      await expect(find(pattern, path)).rejects.toThrow(/outside the allowed folders/);
    }
    await expect(find("*/../../../*")).rejects.toThrow(/\.\. after a wildcard/);
    expect(await find("**/secret.ts")).toMatch(/^No files match/);
  });

  test("an added folder may be searched, and without confinement any", async () => {
    const added = join(outer, "added");
    mkdirSync(added);
    writeFileSync(join(added, "a.ts"), "");
    workspace = { ...workspace, writableRoots: [folder, added] };
    expect(await find("*.ts", added)).toBe(join(added, "a.ts"));
    workspace = { ...workspace, writableRoots: [folder], confined: false };
    expect(await find("*.ts", added)).toBe(join(added, "a.ts"));
  });

  test.each([
    ["**/*", "nowhere", /nowhere does not exist\. The current folder is /],
    ["**/*", "a.ts", /path must be a folder; a\.ts is a file/],
    ["", undefined, /pattern is empty/],
    ["sub/", undefined, /names no files/],
  ])("%j in %j is refused with the reason", async (pattern, path, reason) => {
    write("a.ts");
    await expect(find(pattern, path)).rejects.toThrow(reason);
    await expect(find(pattern, path)).rejects.toThrow(ToolError);
  });

  test("a pattern that would take for ever is refused in time", async () => {
    write(`${"a".repeat(200)}/${"a".repeat(200)}/${"a".repeat(200)}.ts`);
    await expect(find("**/*a*a*a*a*/**/*a*a*a*a*/**/*a*a*a*b")).rejects.toThrow(/takes too long to match/);
  });

  test("a name cannot pretend to be two lines", async () => {
    write("a\nfake.ts");
    expect(await find("*.ts")).toBe("a<U+000A>fake.ts");
  });

  test("an interruption is said", async () => {
    write("a.ts");
    expect(await find("*.ts", ".", AbortSignal.abort())).toMatch(/\[interrupted\]$/);
  });
});
