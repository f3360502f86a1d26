import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { diffOutput } from "../files/unified-diff.ts";
import { applyEdit } from "./apply-edit.ts";
import { editDiff } from "./edit-diff.ts";

async function diffOf(raw: string, old: string, replacement: string, all = false) {
  const applied = applyEdit(raw, { old, new: replacement, all });
  if (applied.type !== "edited") throw new Error(applied.type);
  const diff = await editDiff(applied);
  return { diff, after: applied.bytes.toString("utf8"), ...diffOutput("f.txt", diff) };
}

describe("editDiff", () => {
  it("is a patch that leads from the old text to the new one", async () => {
    const text = fc
      .array(fc.constantFrom("a", "b", "c\n", "\n", "x"), { minLength: 1, maxLength: 120 })
      .map((parts) => parts.join(""));
    const some = (minLength: number) =>
      fc.array(fc.constantFrom("a", "x", "b\n", "\n"), { minLength, maxLength: 3 }).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(text, some(1), some(0), async (before, old, replacement) => {
        fc.pre(before.includes(old) && old !== replacement);
        const { diff, after } = await diffOf(before, old, replacement, true);
        const { display } = diffOutput("f.txt", diff);
        if (display.type !== "diff") throw new Error("no diff");
        expect(applyPatch(before, display.diff)).toBe(after);
        expect(lineCount(after) - lineCount(before)).toBe(diff.added - diff.removed);
      }),
      { numRuns: 300 },
    );
  });

  it("counts from the right line and shows three lines around", async () => {
    const lines = Array.from({ length: 50 }, (_, index) => `${index + 1}`);
    const { text } = await diffOf(`${lines.join("\n")}\n`, "\n30\n", "\n30\nnew\n");
    expect(text).toBe("--- a/f.txt\n+++ b/f.txt\n@@ -28,6 +28,7 @@\n 28\n 29\n 30\n+new\n 31\n 32\n 33");
  });

  it("shifts the line numbers of later places by what was added before", async () => {
    const lines = Array.from({ length: 40 }, (_, index) => (index % 20 === 5 ? "x" : `${index + 1}`));
    const { diff } = await diffOf(lines.join("\n"), "x", "y\ny", true);
    expect(diff.hunks.map(({ oldStart, newStart }) => [oldStart, newStart])).toEqual([
      [3, 3],
      [23, 24],
    ]);
    expect([diff.added, diff.removed]).toEqual([4, 2]);
  });

  it("shows only the lines that differ inside a long replacement", async () => {
    const { diff } = await diffOf("a\nb\nc\nd\ne\n", "a\nb\nc\nd\ne", "a\nB\nc\nD\ne");
    expect([diff.added, diff.removed]).toEqual([2, 2]);
  });

  it("shows a change in a very long line around the change", async () => {
    const { text } = await diffOf(`${"x".repeat(1_000_000)}NEEDLE`, "NEEDLE", "FOUND");
    expect(text.length).toBeLessThan(1000);
    expect(text).toMatch(/^-…x+NEEDLE$/m);
    expect(text).toMatch(/^\+…x+FOUND$/m);
  });

  it("stays short and counts on when there are very many places", async () => {
    const startedAt = performance.now();
    const { text, diff } = await diffOf("0123456789\n".repeat(300_000), "0", "zero", true);
    expect(performance.now() - startedAt).toBeLessThan(3000);
    expect([diff.added, diff.removed]).toEqual([300_000, 300_000]);
    expect(text.length).toBeLessThan(4200);
    expect(text).toContain("[diff cut here]");
  });

  it("counts a removed line once, also where it only counts", async () => {
    const { diff } = await diffOf(`x\n${"-\n".repeat(10)}`.repeat(60), "x\n", "", true);
    expect(diff).toMatchObject({ leftOut: 10, added: 0, removed: 60 });
  });

  it("says how many places are not shown", async () => {
    const { diff } = await diffOf(`x\n${"-\n".repeat(10)}`.repeat(60), "x", "y", true);
    expect(diff).toMatchObject({ leftOut: 10, added: 60, removed: 60 });
    expect(diffOutput("f.txt", { ...diff, hunks: diff.hunks.slice(0, 2) }).text).toContain(
      "[10 more changed places not shown]",
    );
  });
});

function lineCount(text: string): number {
  return text.split("\n").length - (text === "" || text.endsWith("\n") ? 1 : 0);
}
