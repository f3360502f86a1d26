import { describe, expect, it } from "vitest";
import { UserError } from "../../contracts/errors.ts";
import { createMatcher, parseQuery } from "./search-query.ts";
import { snippetAround } from "./search-snippet.ts";

const found = (query: string, text: string) =>
  parseQuery(query).map((term) => createMatcher(term)(text).map(({ start, end }) => text.slice(start, end)));

describe("a query", () => {
  it("is words and phrases", () => {
    expect(parseQuery('retry "rate limit" src/a.ts').map(({ text, words, isOpen }) => [text, words, isOpen])).toEqual([
      ["retry", ["retry"], true],
      ["rate limit", ["rate", "limit"], false],
      ["src/a.ts", ["src", "a", "ts"], false],
    ]);
  });

  it("finds words by their beginning, capitals or not, and inside compound ones", () => {
    expect(found("sess", "Session obsessed SESSIONS openSession")).toEqual([["Sess", "SESS", "Sess"]]);
    expect(found("log", "catalog log readLog logs")).toEqual([["log", "Log", "log"]]);
  });

  it("takes short words and phrases as a whole", () => {
    expect(found("do", "do done doing undo")).toEqual([["do"]]);
    expect(found('"rate limit"', "rate limit, rate\n   limit, rate limits, Rate Limit")).toEqual([
      ["rate limit", "rate\n   limit", "Rate Limit"],
    ]);
  });

  it("takes signs as they are", () => {
    expect(found("a+b --flag (x)", "a+b aab --flag (x)")).toEqual([["a+b"], ["--flag"], ["(x)"]]);
    expect(found("nothing .*", "nothing .* here")).toEqual([["nothing"], [".*"]]);
  });

  it.each(["", "   ", '""', "🎉 =>"])("without a word is refused: %j", (query) => {
    expect(() => parseQuery(query)).toThrow(UserError);
  });
});

describe("a snippet", () => {
  it("is one line around the words, which are marked", () => {
    const text = `${"before ".repeat(30)}the\n\n  rate limit  was hit${" after".repeat(60)}`;
    const [matches = []] = parseQuery('"rate limit"').map((term) => createMatcher(term)(text));
    const { snippet, marks } = snippetAround(text, matches);
    expect(snippet).toMatch(/^…before .* the rate limit was hit after .*…$/);
    expect(marks.map(({ start, end }) => snippet.slice(start, end))).toEqual(["rate limit"]);
    expect(snippet.length).toBeLessThan(300);
  });

  it("marks several words, also when they touch", () => {
    const text = "aabb";
    const { snippet, marks } = snippetAround(text, [
      { start: 2, end: 4 },
      { start: 0, end: 2 },
      { start: 1, end: 3 },
    ]);
    expect(marks.map(({ start, end }) => snippet.slice(start, end))).toEqual(["aa", "bb"]);
  });
});
