import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ago, bytesText, dollars, durationText, percentText, tokensText } from "./figures.ts";
import { type TableColumn, textTable } from "./text-table.ts";
import { cutToWidth, padToWidth, textWidth } from "./text-width.ts";

describe("the width of a line", () => {
  it.each([
    ["abc", 3],
    ["会话", 4],
    ["e\u0301", 1],
    ["🎉x", 3],
    ["", 0],
  ])("%j takes %i columns", (text, width) => {
    expect(textWidth(text)).toBe(width);
  });

  it("is never exceeded by what was cut, and padding fills it", () => {
    fc.assert(
      fc.property(fc.string({ unit: "grapheme" }), fc.nat(30), (text, width) => {
        expect(textWidth(cutToWidth(text, width))).toBeLessThanOrEqual(width);
        expect(textWidth(padToWidth(cutToWidth(text, width), width, "right"))).toBe(width);
      }),
    );
    expect(cutToWidth("会话会话", 5)).toBe("会话…");
  });
});

type Row = { readonly id: string; readonly cost: string; readonly title: string };
const columns: readonly TableColumn<Row>[] = [
  { title: "id", text: ({ id }) => id },
  { title: "cost", text: ({ cost }) => cost, align: "right", goes: 1 },
  { title: "title", text: ({ title }) => title, isFlexible: true },
];
const rows: readonly Row[] = [
  { id: "one", cost: "$1", title: "a short title" },
  { id: "three", cost: "$100", title: "a title that is longer than there is room for" },
];

describe("a table for the terminal", () => {
  it("aligns its columns", () => {
    expect(textTable(rows, columns, 200)).toEqual([
      "id     cost  title",
      "one      $1  a short title",
      "three  $100  a title that is longer than there is room for",
    ]);
  });

  it("gives the flexible column what is left, and drops others when that is too little", () => {
    expect(textTable(rows, columns, 40)[2]).toBe("three  $100  a title that is longer tha…");
    expect(textTable(rows, columns, 25)[2]).toBe("three  a title that is l…");
  });

  it("fits any width that its first column fits", () => {
    const row = fc.record({ id: fc.string({ maxLength: 5 }), cost: fc.string({ maxLength: 9 }), title: fc.string() });
    fc.assert(
      fc.property(fc.array(row, { minLength: 1 }), fc.integer({ min: 24, max: 100 }), (given, width) => {
        for (const line of textTable(given, columns, width)) expect(textWidth(line)).toBeLessThanOrEqual(width);
      }),
    );
  });

  it("leaves out a column that says nothing", () => {
    expect(textTable([{ id: "a", cost: "", title: "t" }], columns, 80)[0]).toBe("id  title");
  });
});

describe("figures", () => {
  it("are short", () => {
    expect([999, 1_234, 123_456, 1_234_567, 2e9].map(tokensText)).toEqual(["999", "1.2k", "123k", "1.23M", "2.00G"]);
    expect([null, 0, 0.004, 0.5, 12.345, 250].map(dollars)).toEqual(["?", "$0", "<$0.01", "$0.50", "$12.35", "$250"]);
    expect([400, 59_000, 180_000, 9e6, 5e7].map(durationText)).toEqual(["0.4 s", "59 s", "3 min", "2.5 h", "14 h"]);
    expect([10, 2_500, 3e6, 5e9].map(bytesText)).toEqual(["10 B", "2.5 KB", "3.0 MB", "5.0 GB"]);
    expect([percentText(1, 3), percentText(0, 0)]).toEqual(["33 %", "–"]);
  });

  it("tell how long ago something was", () => {
    const now = new Date(2026, 2, 20, 12).getTime();
    const minute = 60_000;
    expect([0, 5, 60, 60 * 23, 60 * 25, 60 * 24 * 3].map((back) => ago(now - back * minute, now))).toEqual([
      "just now",
      "5 min ago",
      "1 h ago",
      "23 h ago",
      "yesterday",
      "3 days ago",
    ]);
    expect(ago(new Date(2026, 1, 1).getTime(), now)).toBe("2026-02-01");
    expect(ago(now + 5 * minute, now)).toBe("2026-03-20");
  });
});
