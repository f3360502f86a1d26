import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { lineScanner } from "./line-scanner.ts";

const unlimited = { offset: 1, limit: 1e9, maxLineBytes: 1e9, maxBytes: 1e9 };

function scan(bytes: Buffer, chunkSizes: readonly number[], limits = unlimited, separator: 10 | 13 = 10) {
  const scanner = lineScanner(limits, separator);
  let at = 0;
  for (const size of [...chunkSizes, bytes.length]) {
    scanner.push(bytes.subarray(at, at + size));
    at += size;
  }
  return scanner.finish();
}

const texts = fc
  .array(fc.constantFrom("a", "é", "\n", "\r\n", "\r", "word"), { maxLength: 40 })
  .map((parts) => parts.join(""));
const chunkings = fc.array(fc.integer({ min: 0, max: 5 }), { maxLength: 60 });

describe("lineScanner", () => {
  it("finds the same lines however the bytes are cut into chunks", () => {
    fc.assert(
      fc.property(texts, chunkings, (text, sizes) => {
        const { lines, totalLines, crlf, separators } = scan(Buffer.from(text), sizes);
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(lines.map((line) => line.bytes.toString())).toEqual(
          expected.map((line, index) => (index < separators ? line.replace(/\r$/, "") : line)),
        );
        expect(totalLines).toBe(expected.length);
        expect(crlf).toBe(text.split("\r\n").length - 1);
      }),
    );
  });

  it("gives any window as the same part of all lines, and the total with it", () => {
    fc.assert(
      fc.property(
        texts,
        chunkings,
        fc.integer({ min: 1, max: 12 }),
        fc.integer({ min: 1, max: 12 }),
        (text, sizes, offset, limit) => {
          const all = scan(Buffer.from(text), []);
          const window = scan(Buffer.from(text), sizes, { ...unlimited, offset, limit });
          expect(window.lines).toEqual(all.lines.slice(offset - 1, offset - 1 + limit));
          expect(window.totalLines).toBe(all.totalLines);
        },
      ),
    );
  });

  it("keeps the beginning of a long line and counts the rest", () => {
    const [line] = scan(Buffer.from(`${"é".repeat(100)}\r\nnext`), [7, 30], { ...unlimited, maxLineBytes: 10 }).lines;
    expect(line).toMatchObject({ byteLength: 200, continuationBytes: 100 });
    expect(line?.bytes.toString()).toBe("é".repeat(5));
  });

  it("stops the window at its size, but never before one line", () => {
    const bytes = Buffer.from(`${"x".repeat(50)}\n${"y".repeat(50)}\n`);
    const { lines, totalLines } = scan(bytes, [], { ...unlimited, maxBytes: 20 });
    expect([lines.length, totalLines]).toEqual([1, 2]);
  });

  it("can count carriage returns as line ends", () => {
    const { lines } = scan(Buffer.from("a\rb\r"), [], unlimited, 13);
    expect(lines.map((line) => line.bytes.toString())).toEqual(["a", "b"]);
  });
});
