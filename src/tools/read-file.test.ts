import { execFileSync } from "node:child_process";
import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import type { Tool } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { readFile } from "./read-file.ts";

let root: string;
let workspace: Workspace;

beforeEach(() => {
  root = makeTempFolder();
  workspace = workspaceAt(root);
});
afterEach(() => removeTempFolder(root));

const put = (name: string, content: string | Buffer) => writeFileSync(join(root, name), content);
const call = (input: Record<string, unknown>) => runTool(readFile, input, workspace);
const read = async (file_path: string, more: Record<string, unknown> = {}) => (await call({ file_path, ...more })).text;

describe("read_file shows text", () => {
  it("numbers the lines and adds nothing else to a plain file", async () => {
    put("a.txt", "one\n\n  three\n");
    expect(await read("a.txt")).toBe("1\tone\n2\t\n3\t  three");
  });

  it("says which lines these are and how to go on", async () => {
    put("a.txt", Array.from({ length: 5000 }, (_, index) => `line ${index + 1}`).join("\n"));
    const first = (await read("a.txt")).split("\n");
    expect(first.slice(1998)).toEqual([
      "1999\tline 1999",
      "2000\tline 2000",
      "[lines 1-2000 of 5000; go on with offset 2001]",
    ]);
    expect(await read("a.txt", { offset: 10, limit: 2 })).toBe(
      "10\tline 10\n11\tline 11\n[lines 10-11 of 5000; go on with offset 12]",
    );
    expect(await read("a.txt", { offset: 5000 })).toBe("5000\tline 5000\n[lines 5000-5000 of 5000; end of file]");
  });

  it("says that the offset is past the end, with the number of lines", async () => {
    put("a.txt", "one\ntwo\n");
    expect(await read("a.txt", { offset: 3 })).toBe("(nothing there: the file has 2 lines, offset 3 is past its end)");
  });

  it("says that a file is empty", async () => {
    put("a.txt", "");
    expect(await read("a.txt")).toBe("(empty file)");
  });

  it("does not count form feeds or Unicode separators as line ends", async () => {
    put("a.txt", "a\fb\u2028c\nd\n");
    expect(await read("a.txt")).toBe(
      "1\ta\fb\u2028c\n2\td\n[U+000C form feed on line 1]\n[U+2028 line separator on line 1]",
    );
  });

  it("cuts a long line and says how much", async () => {
    put("a.txt", `${"x".repeat(2500)}\nshort\n`);
    expect(await read("a.txt")).toBe(`1\t${"x".repeat(2000)} … [line is 2500 characters; 500 cut]\n2\tshort`);
  });

  it("ends a window that grows too large early, and says where to go on", async () => {
    put("a.txt", `${"x".repeat(1000)}\n`.repeat(300));
    const text = await read("a.txt");
    expect(text.length).toBeLessThan(101_000);
    const [, last, next] = /\[lines 1-(\d+) of 300; go on with offset (\d+)\]$/.exec(text) ?? [];
    expect(Number(next)).toBe(Number(last) + 1);
    expect(Number(last)).toBeGreaterThan(80);
  });

  it.each([
    ["a\r\nb\r\n", "[line ends: CRLF]"],
    ["a\r\nb\n", "[line ends: mixed CRLF and LF]"],
    ["\ufeffa\n", "[starts with a byte order mark (BOM), not shown]"],
    ["\ta\n\t\tb\n", "[indentation: tabs]"],
    ["\ta\n  b\n\tc\n", "[indentation: tabs on lines 1, 3, spaces elsewhere]"],
    ["a\u00a0b\nc\n\u00a0d\u200b\n", "[U+00A0 no-break space on lines 1, 3]\n[U+200B zero-width space on line 3]"],
    [
      Buffer.from("gr\xfcn\n", "latin1"),
      "[encoding: Latin-1; edit_file needs UTF-8, convert with iconv in bash to edit]",
    ],
    [
      Buffer.from("\ufeffab\n", "utf16le"),
      "[encoding: UTF-16LE; edit_file needs UTF-8, convert with iconv in bash to edit]",
    ],
  ])("tells what cannot be seen in %j", async (content, note) => {
    put("a.txt", content);
    expect(await read("a.txt")).toMatch(new RegExp(`^1\\t.*\\n${note.replace(/[[\]().+]/g, "\\$&")}$`, "s"));
  });

  it("keeps tabs as they are", async () => {
    put("Makefile", "all:\n\techo\t1\n");
    expect(await read("Makefile")).toContain("2\t\techo\t1\n");
  });

  it("says nothing about joiners that belong to emoji", async () => {
    put("a.txt", "👩‍💻 ok\n");
    expect(await read("a.txt")).toBe("1\t👩‍💻 ok");
  });
});

describe("read_file finds the file", () => {
  it("relative to the current folder of the agent, through links", async () => {
    mkdirSync(join(root, "sub"));
    put("sub/a.txt", "inner\n");
    symlinkSync("sub", join(root, "link"));
    expect(await read("link/a.txt")).toBe("1\tinner");
    workspace.cwd = join(root, "sub");
    expect(await read("a.txt")).toBe("1\tinner");
    expect([...workspace.seen.keys()]).toEqual([join(root, "sub/a.txt")]);
  });

  it("names up to three similar ones when it is not there", async () => {
    for (const name of ["README.md", "reader.ts", "read-file.ts", "zebra"]) put(name, "");
    expect(await errorOf(call({ file_path: "readme.txt" }))).toMatch(
      /^readme\.txt does not exist\. Did you mean README\.md/,
    );
    expect(await errorOf(call({ file_path: "read-files.ts" }))).toMatch(/Did you mean read-file\.ts/);
    expect(await errorOf(call({ file_path: "quux" }))).toBe(
      "quux does not exist. Check the path, or find the file with glob.",
    );
  });

  it("says where the path stops to exist", async () => {
    expect(await errorOf(call({ file_path: "no/such/a.txt" }))).toContain(`the nearest one that does is ${root}`);
  });

  it("points to the workspace when the path was meant from there", async () => {
    mkdirSync(join(root, "sub"));
    put("a.txt", "");
    workspace.cwd = join(root, "sub");
    expect(await errorOf(call({ file_path: "a.txt" }))).toContain(`did you mean ${join(root, "a.txt")}?`);
  });

  it("explains links that lead in a circle, paths through files, URLs and NUL characters", async () => {
    symlinkSync("loop", join(root, "loop"));
    put("file", "");
    expect(await errorOf(call({ file_path: "loop" }))).toContain("circle");
    expect(await errorOf(call({ file_path: "file/x" }))).toContain("not a folder");
    expect(await errorOf(call({ file_path: `file://${root}/file` }))).toContain("plain path");
    expect(await errorOf(call({ file_path: "a\0b" }))).toContain("NUL");
  });
});

describe("read_file meets other things than text", () => {
  it("lists a folder", async () => {
    mkdirSync(join(root, "d/sub"), { recursive: true });
    put("d/b.txt", "");
    put("d/a\n.txt", "");
    symlinkSync("b.txt", join(root, "d/link"));
    expect(await read("d")).toBe('d/ is a folder with 4 entries:\n"a\\n.txt"\nb.txt\nlink -> b.txt\nsub/');
  });

  it("lists at most 500 entries and tells the total", async () => {
    mkdirSync(join(root, "d"));
    for (let index = 0; index < 501; index++) put(`d/${String(index).padStart(3, "0")}`, "");
    const lines = (await read("d")).split("\n");
    expect(lines).toHaveLength(502);
    expect(lines.at(-1)).toBe("[first 500 of 501; use glob for the others]");
  });

  it("names the type and size of a binary file, and does not count it as read", async () => {
    put("a.bin", Buffer.from("\x7fELF\x02\x01\x01\0", "latin1"));
    expect(await errorOf(call({ file_path: "a.bin" }))).toContain("a.bin is binary (ELF program or library, 8 bytes)");
    expect(workspace.seen.size).toBe(0);
  });

  it("returns an image as an image", async () => {
    const png = Buffer.from("\x89PNG\r\n\x1a\n\0\0\0", "latin1");
    put("a.png", png);
    expect(await call({ file_path: "a.png" })).toEqual({
      text: "a.png: PNG image, 11 bytes",
      images: [{ type: "image", mediaType: "image/png", base64: png.toString("base64") }],
    });
  });

  it("refuses an image that is too large to send", async () => {
    put("a.png", Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), Buffer.alloc(5 * 1024 * 1024)]));
    expect(await errorOf(call({ file_path: "a.png" }))).toContain("images up to 5 MB");
  });

  it("refuses a FIFO, a device and a socket without waiting for them", async () => {
    execFileSync("mkfifo", [join(root, "pipe")]);
    const server = createServer().listen(join(root, "socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await errorOf(call({ file_path: "pipe" }))).toContain("it is a FIFO, not a regular file");
    expect(await errorOf(call({ file_path: "/dev/zero" }))).toContain("it is a device");
    expect(await errorOf(call({ file_path: "socket" }))).toContain("it is a socket");
    server.close();
  });

  it("does not show the environment of a process", async () => {
    expect(await errorOf(call({ file_path: "/proc/self/environ" }))).toContain("is binary");
  });
});

it("read_file refuses an offset or limit below 1 by its schema", () => {
  const { input } = readFile as unknown as Tool<unknown>;
  expect(input.problems({ file_path: "a", offset: 0, limit: -1 })).toEqual([
    "offset must be a whole number of at least 1, got 0",
    "limit must be a whole number of at least 1, got -1",
  ]);
});
