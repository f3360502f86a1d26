import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { runTool, workspaceAt } from "../../test/support/tool-run.ts";
import { ToolError } from "../contracts/errors.ts";
import type { Infer } from "../contracts/schema.ts";
import type { AnyTool, ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { findRipgrep } from "../platform/ripgrep.ts";
import { createGrep } from "./grep.ts";
import type { grepInput } from "./grep-search.ts";

type Input = Infer<typeof grepInput>;

let outer: string;
let folder: string;
let workspace: Workspace;

beforeEach(() => {
  outer = realpathSync(mkdtempSync(join(tmpdir(), "grep-")));
  folder = join(outer, "build", "ws");
  mkdirSync(folder, { recursive: true });
  workspace = workspaceAt(folder);
});
afterEach(() => rmSync(outer, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string | Buffer>>): void {
  for (const [name, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), content);
  }
}

const engines = [
  ["ripgrep", findRipgrep],
  ["no ripgrep", () => undefined],
  ["a ripgrep that cannot be started", () => "/nonexistent/rg"],
] as const;

describe.each(engines)("grep with %s", (engine, ripgrep) => {
  const tool = createGrep({ ripgrep, timeLimitS: 5 });

  function run(input: Input, signal = new AbortController().signal, used: AnyTool = tool): Promise<ToolOutput> {
    return runTool(used, input, workspace, signal);
  }
  const find = async (pattern: string, more: Partial<Input> = {}) => (await run({ pattern, ...more })).text;

  test("names file, line and text, in the order of the paths", async () => {
    write({ "b.ts": "one\nneedle two\n", "a/x.ts": "  needle\n" });
    expect(await find("needle")).toBe("a/x.ts:1:   needle\nb.ts:2: needle two");
  });

  test("no matches is an answer", async () => {
    write({ "a.ts": "x" });
    expect(await run({ pattern: "needle" })).toEqual({ text: "No matches.", isError: false });
  });

  test("leaves out what git ignores, .git, node_modules and binary files, but not hidden files", async () => {
    write({
      "a.ts": "needle",
      ".github/ci.yml": "needle",
      ".gitignore": "*.log\nout/\n",
      "x.log": "needle",
      "out/y.ts": "needle",
      ".git/z": "needle",
      "node_modules/m/i.js": "needle",
      "data.bin": Buffer.from("needle\0needle"),
    });
    expect(await find("needle")).toBe(".github/ci.yml:1: needle\na.ts:1: needle");
    expect(await find("needle", { include: "*.{ts,log}" })).toBe("a.ts:1: needle");
    expect(await find("needle", { path: "out" })).toBe("out/y.ts:1: needle");
    expect(await find("needle", { path: "x.log" })).toBe("x.log:1: needle");
    expect(await find("needle", { path: "node_modules" })).toBe("node_modules/m/i.js:1: needle");
  });

  test.each([
    ["*.ts", "a.ts s/b.ts s/t/c.test.ts"],
    ["*.{ts,js}", "a.ts d.js s/b.ts s/t/c.test.ts"],
    ["*.ts, *.js", "a.ts d.js s/b.ts s/t/c.test.ts"],
    ["*.ts,!*.test.ts", "a.ts s/b.ts"],
    ["!*.ts", "d.js s/e.md"],
    ["s/**/*.ts", "s/b.ts s/t/c.test.ts"],
    ["**/*.ts", "a.ts s/b.ts s/t/c.test.ts"],
    ["s/**", "s/b.ts s/e.md s/t/c.test.ts"],
    ["s/*", "s/b.ts s/e.md"],
    ["./s/*.md", "s/e.md"],
    ["{s/t,x}/*.ts", "s/t/c.test.ts"],
  ])("include %s", async (include, expected) => {
    write({ "a.ts": "n", "s/b.ts": "n", "s/t/c.test.ts": "n", "d.js": "n", "s/e.md": "n" });
    expect(await find("n", { include, output: "files" })).toBe(expected.replaceAll(" ", "\n"));
  });

  test("include counts from the current folder as well as from path", async () => {
    write({ "s/t/a.ts": "n", "s/b.ts": "n" });
    expect(await find("n", { path: "s", include: "s/t/*.ts", output: "files" })).toBe("s/t/a.ts");
    expect(await find("n", { path: "s", include: "t/*.ts", output: "files" })).toBe("s/t/a.ts");
  });

  test("context lines are marked, and gaps shown", async () => {
    write({ "a.ts": "1\n2\nneedle\n4\n5\n6\n7\nneedle\n9\n" });
    expect(await find("needle", { context: 1 })).toBe(
      "a.ts-2- 2\na.ts:3: needle\na.ts-4- 4\n--\na.ts-7- 7\na.ts:8: needle\na.ts-9- 9",
    );
  });

  test("files and counts", async () => {
    write({ "a.ts": "n\nn\n", "b.ts": "n\n" });
    expect(await find("n", { output: "files" })).toBe("a.ts\nb.ts");
    expect(await find("n", { output: "count" })).toBe("a.ts: 2\nb.ts: 1\n[3 matches in 2 files]");
  });

  test("shows 200 matches, or as many as asked for, and says how many there are", async () => {
    write({ "a.ts": "needle\n".repeat(300), "b.ts": "needle\n".repeat(20) });
    const shown = (await find("needle")).split("\n");
    expect(shown).toHaveLength(201);
    expect(shown.at(-1)).toBe("[200 of 320 matches in 2 files shown; narrow with path or include, or raise limit]");
    expect((await find("needle", { limit: 2 })).split("\n")).toHaveLength(3);
    expect(await find("needle", { limit: 1, output: "files" })).toMatch(/^a\.ts\n\[1 of 2 files shown;/);
  });

  test("stops counting when nobody could read it all", async () => {
    write({ "a.ts": "needle\n".repeat(9_000), "b.ts": "needle\n".repeat(9_000) });
    expect(await find("needle", { limit: 1 })).toMatch(/^a?b?\.ts:1: needle\n\[1 of at least 1\d,000 matches/);
  });

  test("long lines and many long lines are cut", async () => {
    write({ "min.js": `needle${"x".repeat(100_000)}\n`, "many.js": `needle ${"y".repeat(450)}\n`.repeat(200) });
    expect((await find("needlex")).length).toBeLessThan(700);
    const text = await find("needle");
    expect(text.length).toBeLessThan(22_000);
    expect(text).toMatch(/\n\[\d+ of 201 matches in 2 files shown; /);
  });

  test("case", async () => {
    write({ "a.ts": "Needle" });
    expect(await find("needle")).toBe("No matches.");
    expect(await find("needle", { case_insensitive: true })).toBe("a.ts:1: Needle");
    expect(await find("(?i)needle")).toBe("a.ts:1: Needle");
  });

  test("a pattern that looks like an option is a pattern", async () => {
    write({ "a.ts": "--files\n-v\n" });
    expect(await find("--files")).toBe("a.ts:1: --files");
    expect(await find("-v")).toBe("a.ts:2: -v");
  });

  test("look-around works", async () => {
    write({ "a.ts": "foobar\nfoobaz\n" });
    expect(await find("foo(?!bar)")).toBe("a.ts:2: foobaz");
  });

  test("Windows line ends and terminal commands do not come through", async () => {
    write({ "a.ts": "needle\r\n\x1b[31mneedle\x1b[0m\r\n" });
    expect(await find("needle")).toBe("a.ts:1: needle\na.ts:2: needle");
  });

  test("an invalid regex is explained with the way out", async () => {
    await expect(find("foo(")).rejects.toThrow(ToolError);
    await expect(find("foo(")).rejects.toThrow(
      /Invalid regex foo\([\s\S]*(unclosed group|Unterminated group)[\s\S]*backslash/,
    );
    await expect(find("")).rejects.toThrow(/pattern is empty/);
    await expect(find("a\0b")).rejects.toThrow(/NUL/);
  });

  test("a path that is not there is named", async () => {
    await expect(find("x", { path: "nowhere" })).rejects.toThrow(/nowhere does not exist\. The current folder is /);
  });

  test("stays inside the allowed folders", async () => {
    writeFileSync(join(outer, "secret.txt"), "needle");
    symlinkSync(outer, join(folder, "out"));
    symlinkSync(join(outer, "secret.txt"), join(folder, "link.txt"));
    for (const path of [
      "..",
      "../..",
      outer,
      "out",
      "out/secret.txt",
      "link.txt",
      "/etc/passwd",
      "~",
      "/proc/self/environ",
    ]) {
      await expect(find("needle", { path })).rejects.toThrow(/outside the allowed folders/);
    }
    expect(await find("needle")).toBe("No matches.");
    workspace = { ...workspace, confined: false };
    expect(await find("needle", { path: join(outer, "secret.txt") })).toBe(`${join(outer, "secret.txt")}:1: needle`);
  });

  test("paths are relative to the current folder", async () => {
    write({ "s/a.ts": "needle", "t/b.ts": "needle" });
    workspace.cwd = join(folder, "s");
    expect(await find("needle")).toBe("a.ts:1: needle");
    expect(await find("needle", { path: "../t" })).toBe(`${join(folder, "t/b.ts")}:1: needle`);
  });

  test("an interruption ends the search", async () => {
    write({ "a.ts": "needle" });
    const result = await run({ pattern: "needle" }, AbortSignal.abort());
    expect(result.isError).toBe(true);
    expect(result.text).toMatch(/\[interrupted\]$/);
  });

  test("a catastrophic pattern ends within the time limit", async () => {
    write({ "a.ts": `${"a".repeat(200)}!\n` });
    const started = performance.now();
    const hasty = createGrep({ ripgrep, timeLimitS: 1 });
    const { text } = await run({ pattern: "^(a+)+$" }, undefined, hasty);
    expect(performance.now() - started).toBeLessThan(3_000);
    expect(text).toMatch(engine === "ripgrep" ? /^No matches\.$/ : /\[stopped after 1 s/);
  });
});

describe("grep with ripgrep", () => {
  const tool = createGrep({ ripgrep: findRipgrep, timeLimitS: 5 });
  const find = async (input: Input) => (await runTool(tool, input, workspace)).text;

  test("a pattern may span lines", async () => {
    write({ "a.ts": "one\ntwo\n" });
    expect(await find({ pattern: "one\\ntwo" })).toBe("a.ts:1: one\na.ts:2: two");
  });

  test("a binary file that was named is reported", async () => {
    write({ "data.bin": Buffer.from("needle\0needle") });
    expect(await find({ pattern: "needle", path: "data.bin" })).toMatch(/^data\.bin: binary file matches/);
  });

  test("an include with many stars is refused", async () => {
    await expect(find({ pattern: "x", include: "*a*a*a*a*a*b" })).rejects.toThrow(/too many wildcards/);
  });

  test("an include that is no glob is named", async () => {
    write({ "a.ts": "x" });
    await expect(find({ pattern: "x", include: "[" })).rejects.toThrow(/include \[ is no valid glob/);
  });

  test.skipIf(process.getuid?.() === 0)("files that cannot be read are mentioned", async () => {
    write({ "a.ts": "needle" });
    chmodSync(join(folder, "a.ts"), 0);
    expect(await find({ pattern: "needle" })).toBe("No matches.\n[some files or folders could not be read]");
  });

  test("the user's own ripgrep settings have no say", async () => {
    write({ "a.ts": "needle", ripgreprc: "--invert-match\n" });
    vi.stubEnv("RIPGREP_CONFIG_PATH", join(folder, "ripgreprc"));
    expect(await find({ pattern: "needle", path: "a.ts" })).toBe("a.ts:1: needle");
    vi.unstubAllEnvs();
  });
});
