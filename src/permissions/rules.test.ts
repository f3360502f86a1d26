import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { commandPattern, matchesTool, matchesWords, parseRule, quoteWords, splitRules } from "./rules.ts";

const problemOf = (text: string) => {
  const parsed = parseRule(text);
  return "problem" in parsed ? parsed.problem : undefined;
};
const matches = (argument: string, ...words: string[]) => matchesWords(commandPattern(argument), words);

describe("a rule", () => {
  it("is a tool name with an optional pattern in brackets", () => {
    expect(parseRule(" bash(git log *) ")).toEqual({
      rule: { text: "bash(git log *)", tool: "bash", argument: "git log *" },
    });
    expect(parseRule("mcp__*")).toEqual({ rule: { text: "mcp__*", tool: "mcp__*", argument: undefined } });
    expect(parseRule("edit_file(app/[id]/(x)/**)")).toMatchObject({ rule: { argument: "app/[id]/(x)/**" } });
  });

  it("that cannot be understood is named, with what is wrong and how it should look", () => {
    expect(problemOf("bash(git")).toContain('"bash(git" is not a tool name');
    expect(problemOf("bash()")).toContain("has empty brackets");
    expect(problemOf("bash(echo 'x)")).toContain("a quote that is not closed");
    expect(problemOf("bash(git * --force)")).toContain("a * only as its last word");
    expect(problemOf("")).toContain("Examples: bash(npm test)");
  });

  it("names a tool in any case, with * for any characters", () => {
    const named = (tool: string, call: string) => matchesTool({ text: tool, tool, argument: undefined }, call);
    expect(named("Bash", "bash")).toBe(true);
    expect(named("mcp__*", "mcp__files__read")).toBe(true);
    expect(named("bash", "bashful")).toBe(false);
    expect(named("a.c", "abc")).toBe(false);
  });

  it("may stand in a list, separated by commas or blanks outside of brackets and quotes", () => {
    expect(splitRules("bash(git log *), edit_file(src/**) mcp__*")).toEqual([
      "bash(git log *)",
      "edit_file(src/**)",
      "mcp__*",
    ]);
    expect(splitRules("bash(echo 'a), b' c),read_file")).toEqual(["bash(echo 'a), b' c)", "read_file"]);
  });
});

describe("a rule for commands", () => {
  it("without a star matches exactly its words", () => {
    expect(matches("npm test", "npm", "test")).toBe(true);
    expect(matches("npm test", "npm", "test", "--watch")).toBe(false);
    expect(matches("npm test", "npm", "tests")).toBe(false);
  });

  it("with a final star matches further words, and no longer word", () => {
    expect(matches("git log *", "git", "log", "-3")).toBe(true);
    expect(matches("git log *", "git", "log")).toBe(true);
    expect(matches("git log:*", "git", "log", "-3")).toBe(true);
    expect(matches("git log *", "git", "logout")).toBe(false);
  });

  it("takes quoted words for what they say", () => {
    expect(matches("git commit -m 'a b'", "git", "commit", "-m", "a b")).toBe(true);
    expect(matches('echo "a\\"b" \\*', "echo", 'a"b', "*")).toBe(true);
    expect(matches("echo '*'", "echo", "a")).toBe(false);
  });

  it("written from words matches just these", () => {
    const word = fc.string({ maxLength: 8 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 5 }), fc.array(word, { maxLength: 5 }), (words, others) => {
        const text = `bash(${quoteWords(words)})`;
        expect(problemOf(text)).toBeUndefined();
        expect(splitRules(text)).toEqual([text]);
        const written = commandPattern(quoteWords(words));
        expect(matchesWords(written, words)).toBe(true);
        expect(matchesWords(written, others)).toBe(JSON.stringify(words) === JSON.stringify(others));
      }),
    );
  });
});
