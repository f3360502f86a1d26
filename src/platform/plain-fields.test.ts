import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { plainFields } from "./plain-fields.ts";

describe("plain front matter", () => {
  it("is read without a parser, as people write it", () => {
    expect(
      plainFields("name: pdf-forms\ndescription: Fill (PDF) forms, merge & split; use it for .pdf files.\n"),
    ).toEqual({
      name: "pdf-forms",
      description: "Fill (PDF) forms, merge & split; use it for .pdf files.",
    });
  });

  it("is left to the parser when a line means more than its text", () => {
    for (const line of [
      "a: true",
      "a: Null",
      "a: 1",
      "a: b: c",
      "a: b #c",
      "a: [b]",
      "a: 'b'",
      "a:",
      "a: |",
      "- a",
      "a: b:",
      "a: b\n c",
      "a: b\na: c",
      "a: b\t",
      "__proto__: b",
    ])
      expect(plainFields(line), line).toBeUndefined();
  });

  it("says what the parser would say", () => {
    const piece = fc.constantFrom(
      "a",
      "B",
      "9",
      " ",
      ":",
      "#",
      ",",
      "[",
      "]",
      "{",
      "}",
      "'",
      '"',
      "&",
      "*",
      "!",
      "|",
      ">",
      "-",
      "?",
      "%",
      "@",
      "`",
      "\t",
      "\\",
      "~",
      ".",
      "é",
      "true",
      "null",
      "\u00a0",
      "\u2028",
      "\u0085",
    );
    const line = fc
      .tuple(fc.constantFrom("a", "b", "name"), fc.array(piece, { minLength: 1, maxLength: 12 }))
      .map(([name, pieces]) => `${name}: a${pieces.join("")}`);
    let plain = 0;
    fc.assert(
      fc.property(fc.array(line, { minLength: 1, maxLength: 3 }), (lines) => {
        const fields = plainFields(lines.join("\n"));
        if (fields === undefined) return;
        plain++;
        expect(fields).toEqual(parse(lines.join("\n")));
      }),
      { numRuns: 500 },
    );
    expect(plain).toBeGreaterThan(10);
  });
});
