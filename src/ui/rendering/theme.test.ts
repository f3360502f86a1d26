import "../../../test/support/property-seed.ts";
import { visibleWidth } from "@earendil-works/pi-tui";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { textWidth } from "../text-width.ts";
import { visibleLine } from "../visible-text.ts";
import { plainRow } from "./rows.ts";
import { backgroundOf, coloursOf, parseBackground } from "./terminal-colours.ts";
import { chooseTheme, type Role } from "./theme.ts";

describe("a theme", () => {
  it("adds nothing without colours", () => {
    for (const wish of ["auto", "dark", "light", "high-contrast", "ansi", undefined] as const)
      for (const paint of Object.values(chooseTheme({ wish, colours: "none" }))) expect(paint("x")).toBe("x");
  });

  it("ends what it began, in as many colours as there are", () => {
    for (const colours of ["16", "256", "true"] as const)
      for (const wish of ["dark", "light", "high-contrast", "ansi"] as const) {
        const theme = chooseTheme({ wish, colours });
        for (const role of Object.keys(theme) as Role[]) {
          const painted = theme[role]("x");
          expect(plainRow(painted)).toBe("x");
          if (colours === "16") expect(painted).not.toMatch(/[34]8;/);
          if (colours === "256") expect(painted).not.toContain("8;2;");
          expect(painted.startsWith("\u001b")).toBe(painted.endsWith("m"));
        }
      }
  });

  it("follows the ground, and uses the terminal's own colours where it is not known", () => {
    const accent = (background?: "dark" | "light") =>
      chooseTheme({ wish: "auto", colours: "true", ...(background ? { background } : {}) }).accent("x");
    expect(accent("dark")).not.toBe(accent("light"));
    expect(accent()).toBe(chooseTheme({ wish: "ansi", colours: "true" }).accent("x"));
  });
});

describe("what a terminal tells", () => {
  it.each([
    [{ term: "xterm-256color" }, "256"],
    [{ term: "xterm-256color", colorTerm: "truecolor" }, "true"],
    [{ term: "xterm" }, "16"],
    [{ term: "xterm-kitty" }, "true"],
    [{ term: "dumb", colorTerm: "truecolor" }, "none"],
    [{ term: "xterm-256color", noColor: "1" }, "none"],
    [{ term: "xterm-256color", noColor: "" }, "256"],
    [{ term: "xterm", isTerminal: false }, "none"],
  ] as const)("%j has %s colours", (facts, colours) => {
    expect(coloursOf({ isTerminal: true, ...facts })).toBe(colours);
  });

  it.each([
    ["15;0", "dark"],
    ["0;15", "light"],
    ["0;default;7", "light"],
    ["12;8", "dark"],
    ["", undefined],
    ["15;default", undefined],
  ])("COLORFGBG=%j is %s", (colorFgBg, background) => {
    expect(backgroundOf({ isTerminal: true, colorFgBg })).toBe(background);
  });

  it.each([
    ["\u001b]11;rgb:1e1e/1e1e/1e1e\u0007", "dark"],
    ["\u001b]11;rgb:ffff/fafa/f0f0\u001b\\", "light"],
    ["\u001b]11;rgb:ff/ff/ff\u0007", "light"],
    ["\u001b]11;rgba:0000/2b2b/3636/ffff\u0007", "dark"],
    ["\u001b]11;#fdf6e3\u0007", "light"],
    ["\u001b[?62c", undefined],
    ["", undefined],
  ])("the answer %j means %s", (answer, background) => {
    expect(parseBackground(answer)).toBe(background);
  });
});

it("no text is wider than we think", () => {
  const unit = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 3 }),
    fc.constantFrom(
      "👨‍👩‍👧",
      "👩🏽‍💻",
      "🇩🇪",
      "🇩",
      "❤️",
      "1️⃣",
      "☝🏽",
      "中",
      "か\u3099",
      "ㅎ",
      "ᄒ",
      "\u1161",
      "\u11a8",
      "क्षि",
      "ำ",
      "e\u0301",
      "☰",
      "ﾊﾞ",
    ),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 6 }), (units) => {
      const text = visibleLine(units.join("").replace(/[\n\t]/g, ""));
      expect(textWidth(text)).toBeGreaterThanOrEqual(visibleWidth(text));
    }),
    { numRuns: 400 },
  );
});
