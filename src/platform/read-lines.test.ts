import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { readLines } from "./read-lines.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

function linesOf(content: string, maxLineBytes = 2 ** 20): (string | undefined)[] {
  const path = join(folder, "file");
  writeFileSync(path, content);
  return [...readLines(path, { maxLineBytes })];
}

describe("reading a file line by line", () => {
  it("gives the same lines as splitting the whole text, whatever their length and alphabet", () => {
    const line = fc.oneof(
      fc.string({ unit: "binary" }).map((text) => text.replaceAll("\n", "")),
      fc.constantFrom("", "ä".repeat(150_000), "x".repeat(262_143), "x".repeat(262_144), "€".repeat(87_382)),
    );
    fc.assert(
      fc.property(fc.array(line, { maxLength: 6 }), fc.boolean(), (lines, endsWithNewline) => {
        const text = lines.map((each) => Buffer.from(each).toString()).join("\n") + (endsWithNewline ? "\n" : "");
        const expected = text.split("\n");
        if (expected.at(-1) === "") expected.pop();
        expect(linesOf(text)).toEqual(expected);
      }),
      { numRuns: 60 },
    );
  });

  it("gives undefined for a line over the limit and goes on with the next", () => {
    expect(linesOf(`short\n${"x".repeat(600_000)}\nafter`, 500_000)).toEqual(["short", undefined, "after"]);
    expect(linesOf(`12345\n123456\n12`, 5)).toEqual(["12345", undefined, "12"]);
  });

  it("gives nothing for an empty file", () => {
    expect(linesOf("")).toEqual([]);
  });

  it("refuses links and folders", () => {
    writeFileSync(join(folder, "real"), "secret\n");
    symlinkSync(join(folder, "real"), join(folder, "link"));
    mkdirSync(join(folder, "folder"));
    expect(() => [...readLines(join(folder, "link"), { maxLineBytes: 10 })]).toThrow();
    expect(() => [...readLines(join(folder, "folder"), { maxLineBytes: 10 })]).toThrow();
  });
});
