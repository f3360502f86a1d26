import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { applyEdit } from "./apply-edit.ts";

function result(raw: string, old: string, replacement: string, all = false): string {
  const applied = applyEdit(raw, { old, new: replacement, all });
  return applied.type === "edited" ? applied.bytes.toString("utf8") : applied.type;
}

const fold = (text: string) => text.replaceAll("\r\n", "\n");

describe("applyEdit", () => {
  it("takes the replacement literally", () => {
    for (const literal of ["$&", "$$", "$1", "$`", "$'", "$<n>", "\\n"])
      expect(result("a X b", "X", literal)).toBe(`a ${literal} b`);
    expect(result("p p", "p", "$&$$", true)).toBe("$&$$ $&$$");
  });

  it("goes from left to right without touching what it wrote", () => {
    expect(result("aaaa", "aa", "b", true)).toBe("bb");
    expect(result("a a", "a", "aa", true)).toBe("aa aa");
    expect(result("aaa", "aa", "b", true)).toBe("ba");
  });

  it("finds overlapping matches ambiguous", () => {
    expect(result("aaa", "aa", "b")).toBe("ambiguous");
    expect(result("abab", "ab", "b")).toBe("ambiguous");
  });

  it("never matches nearly", () => {
    for (const old of ["A", "a ", " a", "ä", "a\n"]) expect(result("a", old, "b")).toBe("missing");
  });

  const piece = fc.constantFrom("a", "b", "aa", "é", "\n");
  const lines = (maxLength: number, minLength = 0) =>
    fc.array(piece, { minLength, maxLength }).map((pieces) => pieces.join(""));

  it("does in a file with one kind of line end what a plain replacement does", () => {
    fc.assert(
      fc.property(
        lines(15),
        lines(3, 1),
        lines(4),
        fc.constantFrom("\n", "\r\n", "\r"),
        fc.boolean(),
        (text, old, replacement, end, all) => {
          fc.pre(text.includes("\n") && old !== replacement);
          const raw = text.replaceAll("\n", end);
          const parts = text.split(old);
          const overlapping = [...text].filter((_, at) => text.startsWith(old, at)).length;
          const expected =
            parts.length === 1
              ? "missing"
              : !all && overlapping > 1
                ? "ambiguous"
                : parts.join(replacement).replaceAll("\n", end);
          expect(result(raw, old, replacement, all)).toBe(expected);
          expect(result(raw, old.replaceAll("\n", "\r\n"), replacement.replaceAll("\n", "\r\n"), all)).toBe(expected);
        },
      ),
      { numRuns: 500 },
    );
  });

  it("keeps the line ends of every untouched line in a mixed file", () => {
    const mixed = fc
      .array(fc.constantFrom("a", "b", "c", "\n", "\r\n"), { maxLength: 25 })
      .map((pieces) => pieces.join(""));
    fc.assert(
      fc.property(mixed, lines(3, 1), lines(4), (raw, old, replacement) => {
        const applied = applyEdit(raw, { old, new: replacement, all: false });
        if (applied.type !== "edited") return;
        const [place] = applied.places;
        const after = applied.bytes.toString("utf8");
        expect(fold(after)).toBe(fold(raw).slice(0, place?.start) + replacement + fold(raw).slice(place?.end));
        const rawHead = raw.slice(0, rawLength(raw, place?.start ?? 0));
        const rawTail = raw.slice(rawLength(raw, place?.end ?? 0));
        expect(after.startsWith(rawHead)).toBe(true);
        expect(after.endsWith(rawTail)).toBe(true);
      }),
      { numRuns: 500 },
    );
  });

  it("replaces a million matches in one line in no time", () => {
    const startedAt = performance.now();
    expect(result("x".repeat(1_000_000), "x", "yy", true)).toHaveLength(2_000_000);
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});

/** Length in the original of the first `folded` characters of its folded form, counted the slow way. */
function rawLength(raw: string, folded: number): number {
  let at = 0;
  for (let count = 0; count < folded; count++) at += raw.startsWith("\r\n", at) ? 2 : 1;
  return at;
}
