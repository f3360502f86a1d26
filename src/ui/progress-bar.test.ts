import { describe, expect, it } from "vitest";
import { progressBar } from "./progress-bar.ts";

function drawn(total: number, isTerminal: boolean): string[] {
  const texts: string[] = [];
  const bar = progressBar({ total, isTerminal, write: (text) => void texts.push(text) });
  for (let n = 0; n < total; n++) bar.step(`file ${n}\u001b[2J`);
  bar.finish();
  return texts;
}

describe("the progress bar", () => {
  it("redraws one line on a terminal and removes it at the end", () => {
    const texts = drawn(4, true);
    expect(texts).toHaveLength(5);
    for (const text of texts) expect(text.startsWith("\r\u001b[K")).toBe(true);
    expect(texts[2]).toMatch(/^\r\u001b\[K█{12}░{12} 3\/4 file 2<U\+001B>\[2J$/);
    expect(texts[4]).toBe("\r\u001b[K");
  });

  it("is one line a step elsewhere", () => {
    expect(drawn(2, false)).toEqual(["1/2 file 0<U+001B>[2J\n", "2/2 file 1<U+001B>[2J\n"]);
  });

  it("says nothing about a single piece of work", () => {
    expect(drawn(1, true)).toEqual([]);
  });
});
