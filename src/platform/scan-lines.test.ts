import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { scanLines } from "./scan-lines.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "a/b/log");
  mkdirSync(join(folder, "a/b"), { recursive: true });
});
afterEach(() => removeTempFolder(folder));

describe("the lines of a file", () => {
  function scan(maxLineBytes: number, from = 0) {
    const found = [];
    // the bytes are good until the next line is asked for
    for (const line of scanLines(path, { maxLineBytes, from })) found.push({ ...line, bytes: line.bytes?.toString() });
    return found;
  }

  it("are what splitting the text gives, with their places", () => {
    const lines = fc.array(fc.oneof(fc.string({ unit: "grapheme" }), fc.constant("x".repeat(300_000))), {
      maxLength: 6,
    });
    fc.assert(
      fc.property(lines, (given) => {
        const content = Buffer.from(given.join("\n"));
        writeFileSync(path, content);
        const expected = content.toString().split("\n");
        if (expected.at(-1) === "") expected.pop();
        const found = scan(1_000_000);
        expect(found.length).toBe(expected.length);
        for (const [index, { offset, length, bytes, isEnded }] of found.entries()) {
          expect(bytes === expected[index]).toBe(true);
          expect(content.subarray(offset, offset + length).toString() === bytes).toBe(true);
          expect(isEnded).toBe(content[offset + length] === 10);
        }
      }),
      { numRuns: 40 },
    );
  });

  it("are not held when they are too long, and can be read from the middle", () => {
    writeFileSync(path, `short\n${"x".repeat(600_000)}\nafter\n${"y".repeat(600_000)}`);
    expect(scan(100)).toEqual([
      { offset: 0, length: 5, bytes: "short", isEnded: true },
      { offset: 6, length: 600_000, bytes: undefined, isEnded: true },
      { offset: 600_007, length: 5, bytes: "after", isEnded: true },
      { offset: 600_013, length: 600_000, bytes: undefined, isEnded: false },
    ]);
    expect(scan(100, 600_007)).toHaveLength(2);
  });
});
