import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { cleanProgramOutput, showControl, stripControl } from "./terminal-text.ts";

const esc = "\x1b";

describe("stripControl", () => {
  test.each([
    ["colours", `${esc}[1;31mred${esc}[0m`, "red"],
    ["cursor movement with private parameters", `a${esc}[?25lb${esc}[2Jc`, "abc"],
    ["8-bit CSI", "a\x9b31mb", "ab"],
    ["a window title ended by BEL", `${esc}]0;title\x07text`, "text"],
    ["a link ended by ST", `${esc}]8;;http://x${esc}\\click${esc}]8;;${esc}\\`, "click"],
    ["8-bit OSC and ST", "\x9d0;title\x9ctext", "text"],
    ["clipboard writing", `a${esc}]52;c;aGk=\x07b`, "ab"],
    ["a device control string over several lines", `a${esc}Pq#0\n#1${esc}\\b`, "ab"],
    ["an application command", `a${esc}_secret${esc}\\b`, "ab"],
    ["a character set choice", `${esc}(B${esc})0x`, "x"],
    ["a full reset", `${esc}cx`, "x"],
    ["bold by overstriking", "N\bNA\bAM\bME\bE", "NAME"],
    ["underlining by overstriking", "_\bf_\bo", "fo"],
    ["a backspace at the start of a line", "a\n\bb", "a\nb"],
    ["a backspace over a character outside the BMP", "😀\bx", "x"],
    ["bells, nulls, deletes and C1 controls", "a\x07b\0c\x7fd\x85e", "abcde"],
    ["an escape at the very end", `a${esc}`, "a"],
    ["an unfinished sequence", `a${esc}[31`, "a"],
  ])("removes %s", (_name, text, expected) => {
    expect(stripControl(text)).toBe(expected);
  });

  test("keeps newlines, tabs and every language", () => {
    const text = "a\tb\n日本語 עברית 😀 \u200d\n";
    expect(stripControl(text)).toBe(text);
  });

  test("an unfinished command string hides nothing that follows", () => {
    expect(stripControl(`before${esc}]0;never ended\nafter`)).toBe("before0;never ended\nafter");
    expect(stripControl(`before${esc}Pnever ended\nafter`)).toBe("beforenever ended\nafter");
  });

  test("leaves no control character in any text, and nothing to do a second time", () => {
    const piece = fc.constantFrom(
      esc,
      "[",
      "]",
      "P",
      "\\",
      "\x07",
      "\x9b",
      "\x9d",
      "\x9c",
      "\b",
      "\r",
      "\n",
      "m",
      "3",
      ";",
      "é",
      "😀",
      "\ud83d",
    );
    fc.assert(
      fc.property(
        fc.array(piece).map((pieces) => pieces.join("")),
        (text) => {
          const clean = stripControl(text);
          expect(clean).not.toMatch(/[\x00-\x08\x0b-\x1f\x7f-\x9f]/);
          expect(stripControl(clean)).toBe(clean);
        },
      ),
      { numRuns: 1_000 },
    );
  });

  test.each([`${esc}]`, `${esc}P`, "\x9d", "\x90", `${esc}[`, "a\b", `${esc}(`])(
    "stays linear on a flood of %j",
    (piece) => {
      const started = performance.now();
      stripControl(piece.repeat(200_000));
      expect(performance.now() - started).toBeLessThan(1_000);
    },
  );
});

describe("cleanProgramOutput", () => {
  test("a progress bar ends as its last state", () => {
    expect(cleanProgramOutput("10%\r50%\r100%\ndone\n")).toBe("100%\ndone\n");
  });

  test("a bar that is wiped at the end keeps what it last showed", () => {
    expect(cleanProgramOutput(`working${esc}[K\r${esc}[K\r\n`)).toBe("working\n");
  });

  test("Windows line ends become plain ones", () => {
    expect(cleanProgramOutput("a\r\nb\r\n")).toBe("a\nb\n");
  });

  test("names parted by NUL come out one a line", () => {
    expect(cleanProgramOutput("a b\0c\0")).toBe("a b\nc\n");
  });

  test("a carriage return alone does not hang", () => {
    expect(cleanProgramOutput("\r")).toBe("");
    expect(cleanProgramOutput("\r\r\n\r")).toBe("\n");
  });
});

describe("showControl", () => {
  test.each([
    ["escape", `a${esc}[31m`, "a<U+001B>[31m"],
    ["newline and tab", "a\nb\tc", "a<U+000A>b<U+0009>c"],
    ["right-to-left override", "a\u202eb", "a<U+202E>b"],
    ["isolates", "\u2066x\u2069", "<U+2066>x<U+2069>"],
    ["zero-width space and joiner", "a\u200bb\u200dc", "a<U+200B>b<U+200D>c"],
    ["byte order mark and soft hyphen", "\ufeffa\u00ad", "<U+FEFF>a<U+00AD>"],
    ["tag characters", "a\u{e0041}", "a<U+E0041>"],
    ["a filler without ink", "a\u3164", "a<U+3164>"],
    ["line and paragraph separators", "\u2028\u2029", "<U+2028><U+2029>"],
    ["half a character", "\ud83d!", "<U+D83D>!"],
  ])("shows %s", (_name, text, expected) => {
    expect(showControl(text)).toBe(expected);
  });

  test("leaves visible text alone, emoji included", () => {
    expect(showControl("rm -rf ./x 日本 ❤️ עברית")).toBe("rm -rf ./x 日本 ❤️ עברית");
  });
});
