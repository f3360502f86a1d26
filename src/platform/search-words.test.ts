import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { forEachWord, isWordEnd, isWordStart } from "./search-words.ts";

function wordsOf(text: string): string[] {
  const words: string[] = [];
  forEachWord(text, (word) => words.push(word));
  return words;
}

describe("the words of a text", () => {
  it.each([
    ["Fix the bug!", ["fix", "the", "bug"]],
    ["src/session/read-log.ts:42", ["src", "session", "read", "log", "ts", "42"]],
    ["snake_case and kebab-case", ["snake", "case", "and", "kebab", "case"]],
    ["readLogFile", ["read", "log", "file", "readlogfile"]],
    ["XMLParser2Test", ["xml", "parser2", "test", "xmlparser2test"]],
    ["HTTP", ["http"]],
    ["naïve Größe ΑΒΓ", ["naïve", "größe", "αβγ"]],
    ["会话 log", ["会", "话", "log"]],
    ["İstanbul x", [..."İstanbul".toLowerCase().split(/(?!)/), "x"]],
    ["🎉 party", ["party"]],
    ["", []],
  ])("%j are %j", (text, words) => {
    expect(wordsOf(text)).toEqual(words);
  });

  it("are known by their beginning when they are endless", () => {
    expect(wordsOf("a".repeat(100_000))).toEqual(["a".repeat(32)]);
  });

  it("begin where a word may begin, whatever the text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme", maxLength: 40 }), (text) => {
        fc.pre(text.toLowerCase().length === text.length);
        for (const word of wordsOf(text)) {
          const lower = text.toLowerCase();
          const places = Array.from(lower.split(""), (_, at) => at).filter((at) => lower.startsWith(word, at));
          expect(places.some((at) => isWordStart(text, at))).toBe(true);
        }
      }),
    );
  });

  it("end where the next one begins", () => {
    expect(isWordEnd("sessions", 7)).toBe(false);
    expect(isWordEnd("sessionLog", 7)).toBe(true);
    expect(isWordEnd("session log", 7)).toBe(true);
    expect(isWordEnd("session", 7)).toBe(true);
    expect(isWordStart("catalog", 4)).toBe(false);
    expect(isWordStart("readLog", 4)).toBe(true);
  });
});
