import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { BoundedOutput } from "./bounded-output.ts";
import { cleanProgramOutput } from "./terminal-text.ts";

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "bounded-"));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

const create = () => new BoundedOutput(() => join(folder, "out"));

function pushAll(output: BoundedOutput, bytes: Buffer, sizes: readonly number[]): string {
  let live = "";
  for (let at = 0, turn = 0; at < bytes.length; turn++) {
    const size = sizes[turn % sizes.length] ?? 1;
    live += output.push(bytes.subarray(at, at + size));
    at += size;
  }
  return live;
}

describe("output that is bounded", () => {
  test("does not depend on how it is cut into pieces", () => {
    const piece = fc.constantFrom("word ", "日本", "😀", "\n", "\r", "\x1b[31m", "\x1b]0;t\x07", "A\bA", "\t", "é");
    const text = fc.array(piece, { maxLength: 60 }).map((pieces) => pieces.join(""));
    const sizes = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 });
    fc.assert(
      fc.property(text, sizes, (given, cut) => {
        const output = create();
        const live = pushAll(output, Buffer.from(given), cut);
        const whole = output.end();
        expect(whole).toBe(cleanProgramOutput(given));
        expect(whole.startsWith(live)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  test("makes no file for what fits", () => {
    const output = create();
    output.push(Buffer.from("x".repeat(14_000)));
    expect(output.end()).toBe("x".repeat(14_000));
    expect(readdirSync(folder)).toEqual([]);
  });

  test("keeps both ends and saves the whole, in pieces of any size", () => {
    const text = Array.from({ length: 5_000 }, (_, index) => `line ${index} 日`).join("\n");
    for (const size of [1_000, 9_999, 65_536, 1_000_000]) {
      const output = create();
      pushAll(output, Buffer.from(text), [size]);
      const shown = output.end();
      expect(shown.startsWith(text.slice(0, 8_000))).toBe(true);
      expect(shown.endsWith(text.slice(-6_000))).toBe(true);
      const path = /is in (.+) …/.exec(shown)?.[1] ?? "";
      expect(readFileSync(path, "utf8")).toBe(text);
    }
  });

  test("never writes over a file that is there", () => {
    writeFileSync(join(folder, "out.txt"), "precious");
    const output = create();
    output.push(Buffer.from("y\n".repeat(10_000)));
    expect(output.end()).toContain(join(folder, "out-2.txt"));
    expect(readFileSync(join(folder, "out.txt"), "utf8")).toBe("precious");
  });

  test("a cut never leaves half a character", () => {
    const output = create();
    output.push(Buffer.from(`x${"😀".repeat(20_000)}`));
    expect(output.end().isWellFormed?.() ?? true).toBe(true);
  });

  test("a bar that is redrawn for ever costs no memory and ends as one line", () => {
    const output = create();
    for (let at = 0; at < 30_000; at++) output.push(Buffer.from(`progress ${at}\r`));
    expect(output.end()).toBe("progress 29999");
    expect(existsSync(join(folder, "out.txt"))).toBe(false);
  });

  test("text before binary data is kept", () => {
    const output = create();
    output.push(Buffer.from("header\n"));
    output.push(Buffer.from(Array.from({ length: 4_000 }, (_, index) => (index * 7) % 256)));
    expect(output.end()).toMatch(/^header\n\[binary output, 4,000 bytes, not shown;/);
  });

  test.each([
    ["names parted by NUL", Buffer.from("src/file-name.ts\0".repeat(50))],
    ["Latin-1 text", Buffer.from("déjà vu à la carte ".repeat(20), "latin1")],
    ["coloured text", Buffer.from("\x1b[31mred\x1b[0m \x1b[1mbold\x1b[0m\n".repeat(20))],
  ])("%s is text", (_name, bytes) => {
    const output = create();
    output.push(bytes);
    expect(output.end()).not.toContain("binary");
  });

  test.each([
    ["an executable's zeros", Buffer.alloc(200)],
    ["UTF-16", Buffer.from("plain words here and there", "utf16le")],
  ])("%s is binary", (_name, bytes) => {
    const output = create();
    output.push(bytes);
    expect(output.end()).toMatch(/^\[binary output/);
  });
});
