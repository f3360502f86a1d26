import "../../../test/support/property-seed.ts";
import { createTwoFilesPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffLines } from "./diff-lines.ts";
import { plainRow, rowWidth } from "./rows.ts";
import { chooseTheme, type Theme } from "./theme.ts";

const plain = chooseTheme({ wish: "auto", colours: "none" });
/** Roles as letters one can read. */
const marked: Theme = { ...plain, addedWord: (text) => `{+${text}+}`, removedWord: (text) => `{-${text}-}` };

const diff = `--- a/src/main.py
+++ b/src/main.py
@@ -8,4 +8,4 @@ def main():
 import os
-from util import helper
+from utils import helper
 
--- a comment that looks like a head
@@ -40,1 +40,2 @@
 end
+more
`;

describe("a diff", () => {
  it("has numbers, signs and marks on the words that differ", () => {
    expect(diffLines(diff, { theme: marked, width: 60 })).toEqual([
      " 8  import os",
      " 9 -from {-util-} import helper",
      " 9 +from {+utils+} import helper",
      "10",
      "11 --- a comment that looks like a head",
      "   ⋮",
      "40  end",
      "41 +more",
    ]);
  });

  it("names the files when there are several", () => {
    const two = `${diff}--- a/gone.txt\n+++ /dev/null\n@@ -1 +0,0 @@\n-bye\n\\ No newline at end of file\n`;
    const rows = diffLines(two, { theme: plain, width: 60 });
    expect(rows[0]).toBe("src/main.py");
    expect(rows.slice(-3)).toEqual(
      ["gone.txt", " 1 -bye", "No newline at end of file"].map((row) => expect.stringContaining(row.trim())),
    );
  });

  it("breaks long lines and leaves out the middle, saying how much", () => {
    const many = `@@ -1,0 +1,100 @@\n${Array.from({ length: 100 }, (_, at) => `+line ${at + 1}`).join("\n")}\n`;
    const rows = diffLines(many, { theme: plain, width: 40, maxLines: 9 });
    expect(rows).toHaveLength(9);
    expect([rows[0], rows[4], rows[8]]).toEqual(["  1 +line 1", "… 92 more lines …", "100 +line 100"]);
    expect(diffLines("@@ -1,0 +1,1 @@\n+abcdefghij\n", { theme: plain, width: 8 })).toEqual(["1 +abcde", "   fghij"]);
  });

  it("marks nothing where two lines have little in common, and writes out what a terminal would obey", () => {
    const other = "@@ -1,1 +1,1 @@\n-completely different text\n+nothing \u001b[31mshared\n";
    expect(diffLines(other, { theme: marked, width: 60 })).toEqual([
      "1 -completely different text",
      "1 +nothing <U+001B>[31mshared",
    ]);
  });

  it("of any two texts shows every changed line in its colour, and fits", () => {
    const line = fc.constantFrom(
      "a b c",
      "a x c",
      "- y",
      "+ z",
      "",
      "\tt",
      "好的 text",
      "@@ -1 +1 @@",
      "long ".repeat(12),
    );
    const texts = fc.array(line, { maxLength: 12 }).map((lines) => lines.map((text) => `${text}\n`).join(""));
    fc.assert(
      fc.property(
        texts,
        texts,
        fc.integer({ min: 12, max: 60 }),
        fc.option(fc.integer({ min: 3, max: 12 }), { nil: undefined }),
        (before, after, width, maxLines) => {
          const patch = createTwoFilesPatch("x", "x", before, after);
          const rows = diffLines(patch, {
            theme: chooseTheme({ wish: "dark", colours: "256" }),
            width,
            ...(maxLines ? { maxLines } : {}),
          });
          for (const row of rows) expect(rowWidth(row)).toBeLessThanOrEqual(width);
          if (maxLines) expect(rows.length).toBeLessThanOrEqual(maxLines);
          else {
            const signs = (sign: string) =>
              rows.filter((row) => new RegExp(`^ *\\d+ \\${sign}`).test(plainRow(row))).length;
            const expected = (sign: string) =>
              patch
                .split("\n")
                .slice(4)
                .filter((text) => text.startsWith(sign)).length;
            expect([signs("+"), signs("-")]).toEqual([expected("+"), expected("-")]);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});
