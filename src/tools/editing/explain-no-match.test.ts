import { describe, expect, it } from "vitest";
import { explainNoMatch } from "./explain-no-match.ts";

const explain = (folded: string, old: string, replacement = "") =>
  explainNoMatch({ folded, old, replacement, shown: "a.txt" });

describe("explainNoMatch names the reason", () => {
  it.each([
    ["tabs in the file", "whitespace", "\tif x:\n\t\ty\n", "    if x:\n        y"],
    ["spaces in the file", "whitespace", "    y\n", "\ty"],
    ["another indentation", "whitespace", "  if x:\n      y\n", "if x:\n    y"],
    ["trailing spaces in the file", "whitespace", "a  \nb\n", "a\nb"],
    ["trailing space in old_string", "whitespace", "a\nb\n", "a \nb"],
    ["a blank line too many", "whitespace", "a\n\n\nb\n", "a\n\nb"],
    ["a line that is broken elsewhere", "whitespace", "foo(a,\n    b)\n", "foo(a, b)"],
    ["a line end too many", "whitespace", "a\nb", "a\nb\n"],
    ["a no-break space", "whitespace", "a\u00a0b\n", "a b"],
    ["an ideographic space", "whitespace", "a\u3000b\n", "a b"],
    ["curly quotes in the file", "quotes", "say “hi”\n", 'say "hi"'],
    ["curly quotes in old_string", "quotes", "it's\n", "it’s"],
    ["single instead of double quotes", "quotes", "x = 'a'\n", 'x = "a"'],
    ["a dash", "punctuation", "a – b\n", "a - b"],
    ["an ellipsis", "punctuation", "wait…\n", "wait..."],
    ["full-width punctuation", "punctuation", "f（x）\n", "f(x)"],
    ["a decomposed letter", "unicode-normalization", "cafe\u0301\n", "caf\u00e9"],
    ["a composed letter", "unicode-normalization", "caf\u00e9\n", "cafe\u0301"],
    ["a Cyrillic letter", "unicode-normalization", "\u0441onst x\n", "const x"],
    ["a zero-width space", "unicode-normalization", "foo\u200bbar\n", "foobar"],
    ["a ligature", "unicode-normalization", "o\ufb03ce\n", "office"],
    ["case", "case", "Hello World\n", "hello world"],
    ["case of a letter beyond ASCII", "case", "ÉCOLE\n", "école"],
    ["line numbers with tabs", "line-number-prefix", "foo\nbar\n", "12\tfoo\n13\tbar"],
    ["line numbers with colons", "line-number-prefix", "foo\nbar\n", "12: foo\n13: bar"],
    ["padded line numbers with arrows", "line-number-prefix", "foo\n\nbar\n", "    12→foo\n    13→\n    14→bar"],
    ["line numbers after the first line", "line-number-prefix", "foo\nbar\n", "foo\n13\tbar"],
    ["a written-out newline", "escaped-newline", "foo\nbar\n", "foo\\nbar"],
    ["written-out tabs and quotes", "escaped-newline", 'a\t"b"\n', 'a\\t\\"b\\"'],
    ["a written-out newline in the file", "escaped-newline", 'x = "foo\\nbar"\n', "foo\nbar"],
    ["entities in old_string", "html-entities", "if (a < b && c) {\n", "if (a &lt; b &amp;&amp; c) {"],
    ["entities in the file", "html-entities", "<p>a &lt; b</p>\n", "a < b"],
  ])("%s: %s", (_about, reason, file, old) => {
    const text = explain(file, old);
    expect(text).toMatch(/^old_string was not found in a\.txt; nothing was changed\.$/m);
    expect([...text.matchAll(/^Reason: ([a-z-]+):/gm)].map((match) => match[1])).toEqual([reason]);
  });

  it("names several reasons at once", () => {
    const text = explain("\tSay “Hi”\n", '    say "hi"');
    expect([...text.matchAll(/^Reason: ([a-z-]+):/gm)].map((match) => match[1])).toEqual([
      "whitespace",
      "quotes",
      "case",
    ]);
  });

  it("tells the characters that differ", () => {
    expect(explain("a – b\n", "a - b")).toContain("the file has – (U+2013) where old_string has - (U+002D)");
    expect(explain("a\u00a0b\n", "a b")).toContain("U+00A0 no-break space");
    expect(explain("foo\u200bbar\n", "foobar")).toContain("1\tfoo<U+200B>bar");
  });

  it("tells which whitespace differs", () => {
    expect(explain("a  \nb\n", "a\nb")).toContain("the file has spaces at the end of a line");
    expect(explain("a\nb\n", "a \nb")).toContain("old_string has spaces at the end of a line");
    expect(explain("a\n\nb\n", "a\nb")).toContain("line breaks or blank lines differ");
    expect(explain("  a\n   b\n", "  a\n  b")).toContain("the indentation or the number of spaces differs");
  });
});

describe("explainNoMatch shows the nearest text", () => {
  it("with its line numbers and visible whitespace, up to three times", () => {
    const text = explain(`one\n${"\tfoo(a)\n".repeat(5)}`, "    foo(a)");
    expect(text).toContain("The file has (→ is a tab, · a space):\n2\t→foo(a)\n…\n3\t→foo(a)\n…\n4\t→foo(a)\nSend");
  });

  it("prefers whole lines to parts of words", () => {
    expect(explain("yes\n    y\nmy\n", "\ty")).toContain(":\n2\t····y\n");
  });

  it("by the lines around when words differ", () => {
    const text = explain("zero\nfunction f(a) {\n  return a + 1;\n}\n", "function f(a) {\n  return a - 1;\n}");
    expect(text).toContain("2\tfunction f(a) {\n3\t  return a + 1;\n4\t}");
  });

  it("by shared words when no line is the same", () => {
    expect(explain("zero\nconst total = sum(items, tax);\n", "const total = sum(items);")).toContain(
      "2\tconst total = sum(items, tax);",
    );
  });

  it("or says that there is none, and that the edit may have been made before", () => {
    expect(explain("abc\n", "something else entirely")).toContain("Nothing in the file resembles it.");
    expect(explain("a\nnew text\n", "old words", "new text")).toContain("new_string is already in the file, at line 2");
  });

  it("of a very long line only what is near", () => {
    const text = explain(`${"x ".repeat(100_000)}NEEDLE here${" y".repeat(100_000)}`, "needle here");
    expect(text.length).toBeLessThan(1000);
    expect(text).toContain("NEEDLE here");
  });

  it.each([4, 20])("in a file of %i MB within 3 seconds", (megabytes) => {
    const file = `${"0123456789abcdef\n".repeat((megabytes * 1_000_000) / 17)}NEEDLE here\n`;
    const startedAt = performance.now();
    expect(explain(file, "NEEDLE  here")).toContain("Reason: whitespace");
    expect(explain(file, "nowhere to be found")).toContain("Nothing in the file resembles it.");
    expect(performance.now() - startedAt).toBeLessThan(3000);
  });
});
