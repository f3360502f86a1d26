import { describe, expect, it } from "vitest";
import { applyEdit } from "./apply-edit.ts";

function edited(raw: string, old: string, replacement: string): string {
  const applied = applyEdit(raw, { old, new: replacement, all: false });
  return applied.type === "edited" ? applied.bytes.toString("utf8") : applied.type;
}

describe("line ends of an edit", () => {
  it.each([
    ["CRLF file, new lines", "a\r\nb\r\n", "a\n", "a\nx\ny\n", "a\r\nx\r\ny\r\nb\r\n"],
    ["LF file, CRLF from the model", "a\nb\n", "a\r\nb", "A\r\nB", "A\nB\n"],
    ["CR file", "a\rb\rc", "b\nc", "B\nC", "a\rB\rC"],
    ["CR file, CR from the model", "a\rb\rc", "b\rc", "B\rC", "a\rB\rC"],
    ["a file of one line takes them as they come", "a", "a", "b\r\nc", "b\r\nc"],
    ["mixed: every replaced line keeps its own", "a\r\nb\nc\r\nd", "a\nb\nc", "A\nB\nC", "A\r\nB\nC\r\nd"],
    ["mixed: kept lines keep theirs around a new one", "a\r\nb\n", "a\nb\n", "a\nx\nb\n", "a\r\nx\r\nb\n"],
    [
      "mixed: kept lines keep theirs around a removed one",
      "a\r\nx\nb\r\nc\n",
      "a\nx\nb\nc\n",
      "a\nb\nc\n",
      "a\r\nb\r\nc\n",
    ],
    ["mixed: within a line, new ones are like the line's own", "a\r\nb\nc\r\n", "b", "b1\nb2", "a\r\nb1\nb2\nc\r\n"],
    ["mixed: at the end, new ones are like the last", "a\nb\r\nc", "c", "c\nd", "a\nb\r\nc\r\nd"],
    ["a carriage return inside a line is content", "a\rb\nc\n", "b\nc", "B\nC", "a\rB\nC\n"],
    ["two carriage returns before a line feed", "a\r\r\nb\r\n", "b", "B", "a\r\r\nB\r\n"],
  ])("%s", (_about, raw, old, replacement, expected) => {
    expect(edited(raw, old, replacement)).toBe(expected);
  });
});
