import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { editFile } from "./edit-file.ts";
import { readFile } from "./read-file.ts";

let root: string;
let path: string;
let workspace: Workspace;

beforeEach(() => {
  root = makeTempFolder();
  path = join(root, "a.txt");
  workspace = workspaceAt(root);
});
afterEach(() => removeTempFolder(root));

const edit = (old_string: string, new_string: string, more: Record<string, unknown> = {}) =>
  runTool(editFile, { file_path: "a.txt", old_string, new_string, ...more }, workspace);

/** Writes the file and reads it with the tool. */
async function given(content: string | Buffer): Promise<void> {
  writeFileSync(path, content);
  await runTool(readFile, { file_path: "a.txt" }, workspace).catch(() => {});
}

const onDisk = () => readFileSync(path, "utf8");

describe("edit_file", () => {
  it("replaces the one match, tells what changed and remembers it", async () => {
    await given("one\ntwo\nthree\n");
    const output = await edit("two", "2");
    expect(onDisk()).toBe("one\n2\nthree\n");
    expect(output.text).toBe(
      "Edited a.txt: 1 replacement, +1 −1\n--- a/a.txt\n+++ b/a.txt\n@@ -1,3 +1,3 @@\n one\n-two\n+2\n three",
    );
    expect(output.display).toMatchObject({ type: "diff", path: "a.txt", added: 1, removed: 1 });
    expect([...workspace.changed]).toEqual([path]);
  });

  it("applies several edits of one file in order, also when they are started together", async () => {
    await given("a\nb\nc\n");
    await Promise.all([edit("a", "A"), edit("A\nb", "A\nB"), edit("c", "C")]);
    expect(onDisk()).toBe("A\nB\nC\n");
  });

  it("keeps BOM, line ends, mode and the missing final newline", async () => {
    await given("\ufeffone\r\ntwo\r\nthree");
    chmodSync(path, 0o751);
    await edit("one\ntwo", "1\n2\n2.5");
    expect(onDisk()).toBe("\ufeff1\r\n2\r\n2.5\r\nthree");
    expect(statSync(path).mode & 0o777).toBe(0o751);
  });

  it("creates a missing file with its folders from an empty old_string, and fills an empty one", async () => {
    const output = await edit("", "x\ny\n", { file_path: "new/dir/b.txt" });
    expect(output.text).toMatch(/^Created new\/dir\/b\.txt, \+2 −0\n/);
    expect(readFileSync(join(root, "new/dir/b.txt"), "utf8")).toBe("x\ny\n");
    await given("");
    await edit("", "z\n");
    expect(onDisk()).toBe("z\n");
  });
});

describe("edit_file refuses, changes nothing and tells the way out", () => {
  it.each<[string, string | Buffer, string, string, RegExp]>([
    [
      "an empty old_string for a file with content",
      "a\n",
      "",
      "x",
      /old_string is empty but a\.txt is not.*write_file/,
    ],
    ["an edit that changes nothing", "a\n", "a", "a", /^No change/],
    ["an edit that would change only line ends", "a\r\nb\n", "a\nb", "a\r\nb", /^No change.*line ends do not count/],
    ["two matches", "x\ny\nx\n", "x", "z", /not unique: it matches 2 times in a\.txt, on lines 1, 3.*replace_all/],
    ["overlapping matches", "aaa\n", "aa", "b", /not unique: it matches 2 times in a\.txt, on lines 1;/],
    ["thousands of matches", "x".repeat(5000), "x", "y", /matches more than 1000 times/],
    ["half a surrogate pair", "a😀\n", "\ud83d", "x", /^Bad argument: old_string/],
    ["a NUL character", "a\n", "a", "\0", /^Bad argument: new_string/],
    ["a binary file", Buffer.from("a\0b"), "a", "x", /is binary.*bash/],
    ["Latin-1", Buffer.from("gr\xfcn\n", "latin1"), "gr", "x", /not valid UTF-8.*iconv/],
    ["UTF-16", Buffer.from("\ufeffab\n", "utf16le"), "a", "x", /it is UTF-16LE.*iconv -f UTF-16LE/],
  ])("%s", async (_what, content, old, replacement, words) => {
    await given(content);
    const before = readFileSync(path);
    expect(await errorOf(edit(old, replacement))).toMatch(words);
    expect(readFileSync(path).equals(before)).toBe(true);
    expect(readdirSync(root)).toEqual(["a.txt"]);
    expect(workspace.changed.size).toBe(0);
  });

  it("a file that was not read, or changed since", async () => {
    writeFileSync(path, "a\n");
    expect(await errorOf(edit("a", "b"))).toMatch(/not read yet.*read_file/);
    await given("a\n");
    writeFileSync(path, "a\nnew\n");
    expect(await errorOf(edit("a", "b"))).toMatch(/changed on disk since it was read/);
    expect(onDisk()).toBe("a\nnew\n");
  });

  it("a file that somebody else changed, with what they changed, after which the call can be repeated", async () => {
    await given("one\r\ntwo\r\nthree");
    writeFileSync(path, "one\r\n2\r\nthree");
    expect(await errorOf(edit("three", "3"))).toMatch(/\(stale\); nothing was changed.*\n.*-two\n\+2\n/s);
    expect(onDisk()).toBe("one\r\n2\r\nthree");
    await edit("three", "3");
    expect(onDisk()).toBe("one\r\n2\r\n3");
    writeFileSync(path, "gone\n");
    expect(await errorOf(edit("3", "4"))).toMatch(/\+gone/);
  });

  it("a file of which only a part was seen, or too much changed to be shown, until it is read again", async () => {
    const text = Array.from({ length: 3_000 }, (_, at) => `line ${at}\n`).join("");
    writeFileSync(path, text);
    await runTool(readFile, { file_path: "a.txt", limit: 10 }, workspace);
    writeFileSync(path, `${text}more\n`);
    for (let time = 0; time < 2; time++)
      expect(await errorOf(edit("line 1\n", "x\n"))).toMatch(/Read it again with read_file/);
    await given("a\n");
    writeFileSync(path, text);
    for (let time = 0; time < 2; time++)
      expect(await errorOf(edit("line 1\n", "x\n"))).toMatch(/Read it again with read_file.*begins with:\n/s);
  });

  it("a file that is not there, with a similar name", async () => {
    await given("a\n");
    expect(await errorOf(edit("a", "b", { file_path: "a.tx" }))).toBe("a.tx does not exist. Did you mean a.txt?");
  });

  it("a read-only file", async () => {
    await given("a\n");
    chmodSync(path, 0o444);
    expect(await errorOf(edit("a", "b"))).toMatch(/read-only.*chmod u\+w/);
    expect(onDisk()).toBe("a\n");
  });

  it("folders, FIFOs and paths outside", async () => {
    mkdirSync(join(root, "folder"));
    execFileSync("mkfifo", [join(root, "pipe")]);
    expect(await errorOf(edit("a", "b", { file_path: "folder" }))).toContain("it is a folder, not a regular file");
    expect(await errorOf(edit("a", "b", { file_path: "pipe" }))).toContain("it is a FIFO, not a regular file");
    expect(await errorOf(edit("", "b", { file_path: "../b" }))).toContain("outside");
  });

  it("a file too large to hold", async () => {
    writeFileSync(path, "line\n".repeat(20_000));
    truncateSync(path, 65 * 1024 * 1024);
    await runTool(readFile, { file_path: "a.txt", limit: 1 }, workspace);
    expect(await errorOf(edit("line", "x"))).toMatch(/too large to edit this way/);
  });

  it("text that is nearly there, with the reason and the line", async () => {
    await given("def f():\n\treturn 1\n");
    const text = await errorOf(edit("    return 1", "\treturn 2"));
    expect(text).toContain("Reason: whitespace: the file has tabs where old_string has spaces.");
    expect(text).toContain("2\t→return 1");
  });
});

describe("edit_file on any text", () => {
  const piece = fc.constantFrom("a", "b", "é", "😀", "$&", " ", "\n", "\r\n");
  const textOf = (maxLength: number) => fc.array(piece, { maxLength }).map((pieces) => pieces.join(""));

  it("changes exactly the match and not one byte beside it", async () => {
    await fc.assert(
      fc.asyncProperty(textOf(20), textOf(20), fc.boolean(), textOf(4), async (head, tail, hasBom, replacement) => {
        const bom = hasBom ? "\ufeff" : "";
        await given(`${bom}${head}<<X>>${tail}`);
        await edit("<<X>>", replacement);
        const after = onDisk();
        expect(after.startsWith(bom + head)).toBe(true);
        expect(after.endsWith(tail)).toBe(true);
        const middle = after.slice(bom.length + head.length, after.length - tail.length);
        expect(middle.replaceAll("\r\n", "\n")).toBe(replacement.replaceAll("\r\n", "\n"));
      }),
      { numRuns: 100 },
    );
  });
});
