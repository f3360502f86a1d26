import { appendFileSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { contentHasher } from "./content-hash.ts";
import { type FileReading, type ReadRequest, readWindow, type TextWindow } from "./read-window.ts";

let root: string;
let path: string;

beforeEach(() => {
  root = makeTempFolder();
  path = join(root, "file.txt");
});
afterEach(() => removeTempFolder(root));

const request: ReadRequest = {
  offset: 1,
  limit: 2000,
  maxBytes: 100_000,
  maxLineCharacters: 2000,
  maxImageBytes: 1000,
  signal: new AbortController().signal,
};

async function read(
  more: Partial<ReadRequest> = {},
): Promise<TextWindow & Pick<FileReading, "identity" | "sizeBytes">> {
  const { content, identity, sizeBytes } = await readWindow(path, { ...request, ...more });
  if (content.type !== "text") throw new Error(`not text: ${content.type}`);
  return { ...content, identity, sizeBytes };
}

const texts = (window: TextWindow) => window.lines.map((line) => line.text);

describe("readWindow", () => {
  it("gives all lines when windows of any size are put together", async () => {
    const line = fc.string({ unit: fc.constantFrom("a", "é", "😀", "\t", "\u2028", "\f", " "), maxLength: 8 });
    const lines = fc.array(line, { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(
        lines,
        fc.constantFrom("\n", "\r\n"),
        fc.integer({ min: 1, max: 7 }),
        fc.boolean(),
        async (all, end, limit, hasBom) => {
          writeFileSync(path, (hasBom ? "\ufeff" : "") + all.map((text) => text + end).join(""));
          const collected: string[] = [];
          for (let offset = 1; offset <= all.length; offset += limit) {
            const window = await read({ offset, limit });
            expect([window.totalLines, window.hasBom]).toEqual([all.length, hasBom]);
            collected.push(...texts(window));
          }
          expect(collected).toEqual(all);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("counts no line after the last line end, and one without it", async () => {
    writeFileSync(path, "a\nb\n");
    expect((await read()).totalLines).toBe(2);
    writeFileSync(path, "a\nb");
    expect((await read()).totalLines).toBe(2);
    writeFileSync(path, "\n");
    expect(await read()).toMatchObject({ totalLines: 1, lines: [{ text: "" }] });
    writeFileSync(path, "");
    expect(await read()).toMatchObject({ totalLines: 0, lines: [], lineEnds: "none" });
  });

  it.each([
    ["a\nb\n", "LF", ["a", "b"]],
    ["a\r\nb\r\n", "CRLF", ["a", "b"]],
    ["a\r\nb\n", "mixed", ["a", "b"]],
    ["a\rb\rc", "CR", ["a", "b", "c"]],
    ["a\rb\nc", "LF", ["a\rb", "c"]],
  ])("tells the line ends of %j", async (content, lineEnds, expected) => {
    writeFileSync(path, content);
    const window = await read();
    expect([window.lineEnds, texts(window)]).toEqual([lineEnds, expected]);
  });

  it("cuts long lines without cutting a character, and counts what is missing", async () => {
    writeFileSync(path, `${"😀".repeat(30)}\n${"x".repeat(25)}\n${"é".repeat(10)}`);
    expect((await read({ maxLineCharacters: 10 })).lines).toEqual([
      { text: "😀".repeat(10), cutCharacters: 20 },
      { text: "x".repeat(10), cutCharacters: 15 },
      { text: "é".repeat(10), cutCharacters: 0 },
    ]);
  });

  it("identifies a file by all its bytes, whatever the window", async () => {
    writeFileSync(path, "a\nb\nc\n");
    const hash = (await contentHasher()).of(Buffer.from("a\nb\nc\n"));
    expect((await read({ limit: 1 })).identity).toBe(hash);
    expect((await read({ offset: 50 })).identity).toBe(hash);
  });

  it("notices Latin-1 far behind the window", async () => {
    writeFileSync(path, Buffer.concat([Buffer.from("plain\n".repeat(400_000)), Buffer.from("gr\xfcn\n", "latin1")]));
    const window = await read({ offset: 400_001 });
    expect([window.encoding, texts(window)]).toEqual(["Latin-1", ["grün"]]);
    expect((await read({ limit: 1 })).encoding).toBe("Latin-1");
  });

  it("reads UTF-16 line by line", async () => {
    writeFileSync(path, Buffer.from("\ufeffgrün\r\nĊ is no line end\r\n", "utf16le"));
    const window = await read();
    expect(texts(window)).toEqual(["grün", "Ċ is no line end"]);
    expect(window).toMatchObject({ encoding: "UTF-16LE", lineEnds: "CRLF", totalLines: 2 });
  });

  it("reads what claims to be empty, as files in /proc do", async () => {
    path = "/proc/self/status";
    const window = await read({ limit: 1 });
    expect(texts(window)[0]).toMatch(/^Name:/);
    expect(window.totalLines).toBeGreaterThan(10);
  });

  it("reads the beginning and the end of a file of 600 MB without loading it", async () => {
    writeFileSync(path, "first line\n".repeat(10_000));
    truncateSync(path, 600 * 1024 * 1024);
    appendFileSync(path, "\nlast line\n");
    const before = process.memoryUsage().rss;
    const beginning = await read({ limit: 2 });
    expect(beginning).toMatchObject({ isCounted: false, sizeBytes: 600 * 1024 * 1024 + 11 });
    expect(texts(beginning)).toEqual(["first line", "first line"]);
    expect(texts(await read({ offset: 10_002 }))).toEqual(["last line"]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100 * 1024 * 1024);
  });

  it("stops soon when it is interrupted", async () => {
    writeFileSync(path, "line\n".repeat(20_000));
    truncateSync(path, 600 * 1024 * 1024);
    const controller = new AbortController();
    const reading = read({ offset: 1e9, signal: controller.signal });
    setImmediate(() => controller.abort());
    await expect(reading).rejects.toThrow(/abort/i);
  });
});
