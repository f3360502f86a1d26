import { describe, expect, test } from "vitest";
import { type CallSpec, createHistory, programText } from "../../../test/support/history.ts";
import type { ToolResultPart } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import { estimateTokens } from "../estimate-tokens.ts";

const signal = new AbortController().signal;

async function shownAfter(calls: readonly CallSpec[], { windowTokens = 200_000, resultTokens = 1_000 } = {}) {
  const history = createHistory();
  const engine = createContextEngine({
    policy: {
      name: "shape",
      recall: true,
      steps: [{ stage: "shape", resultTokens, wholeTokens: 1.5 * resultTokens, roundTokens: 2_500 }],
    },
    windowTokens,
    fixedTokens: 0,
    now: () => 0,
    summarise: async () => Promise.reject(new Error("nobody asked")),
  });
  const { asked, answered } = history.round(calls);
  for (const message of [history.user("go"), asked, ...answered]) engine.add(message);
  const fit = await engine.fit({ signal });
  const parts = fit.view.flatMap((message) => message.parts.filter((part) => part.type === "tool-result"));
  return { parts: parts as readonly ToolResultPart[], fit, engine };
}

describe("a result over its cap", () => {
  test("keeps its head, its tail and its handle, and stays under the cap", async () => {
    const text = `HEAD\n${programText(40_000, 3)}\nTAIL`;
    const { parts, fit } = await shownAfter([{ text }]);
    const shown = parts[0]?.text ?? "";
    expect(shown.startsWith(text.slice(0, 500))).toBe(true);
    expect(shown.endsWith(text.slice(-500))).toBe(true);
    expect(shown).toContain('recall("#1")');
    expect(estimateTokens(shown)).toBeLessThanOrEqual(1_100);
    expect(fit.receipt, "shaping is no compaction").toBeUndefined();
  });

  test("keeps the first line in its middle that looks like an error", async () => {
    const filler = Array.from({ length: 2_000 }, (_, n) => `step ${n} is fine`);
    filler[900] = "ENOSPC: fatal, no space left on device";
    const { parts } = await shownAfter([{ text: filler.join("\n") }]);
    expect(parts[0]?.text).toContain("ENOSPC: fatal, no space left on device");
  });

  test("says nothing of errors when there are none", async () => {
    const { parts } = await shownAfter([{ text: Array.from({ length: 2_000 }, (_, n) => `step ${n}`).join("\n") }]);
    expect(parts[0]?.text.split("\n").filter((line) => line.startsWith("["))).toHaveLength(1);
  });

  test("never becomes longer than it was, in any script", async () => {
    for (const letter of ["ä", "字", "{", "7", "a b", "\n"])
      for (const length of [150, 300, 600, 1_500, 5_000]) {
        const text = letter.repeat(length);
        const { parts } = await shownAfter([{ text }], { windowTokens: 4_000 });
        const shown = parts[0]?.text ?? "";
        if (shown !== text) expect(estimateTokens(shown), `${length} × ${letter}`).toBeLessThan(estimateTokens(text));
      }
  });

  test("passes whole when cutting it would save little, if the round has room for it", async () => {
    const text = programText(4_000, 3);
    expect(estimateTokens(text)).toBeGreaterThan(1_050);
    expect(estimateTokens(text)).toBeLessThan(1_450);
    const alone = await shownAfter([{ text }]);
    expect(alone.parts[0]?.text).toBe(text);
    const crowded = await shownAfter([{ text }, { text: programText(4_000, 4) }, { text: programText(4_000, 5) }]);
    const sizes = crowded.parts.map((part) => estimateTokens(part.text));
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThanOrEqual(2_750);
  });

  test("keeps its images", async () => {
    const { parts } = await shownAfter([{ text: programText(40_000, 1), images: 1 }]);
    expect(parts[0]?.images).toHaveLength(1);
  });
});

describe("a round over its budget", () => {
  test("lets small results pass whole and shortens the large ones", async () => {
    const small = programText(800, 1);
    const { parts } = await shownAfter(
      [
        { text: programText(9_000, 2) },
        { text: small },
        { text: programText(9_000, 3) },
        { text: programText(9_000, 4) },
      ],
      { resultTokens: 8_000 },
    );
    const sizes = parts.map(({ text }) => estimateTokens(text));
    expect(parts[1]?.text).toBe(small);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_500);
  });

  test("leaves everything as it is when it fits", async () => {
    const texts = [programText(900, 1), programText(2_000, 2)];
    const { parts, fit } = await shownAfter(texts.map((text) => ({ text })));
    expect(parts.map(({ text }) => text)).toEqual(texts);
    expect(fit.edits).toEqual([]);
  });
});

test.each([4_000, 8_000, 32_000])("one huge result fits a window of %d and can be read on", async (windowTokens) => {
  const text = programText(1_000_000, 5);
  const { engine, parts } = await shownAfter([{ text }], { windowTokens, resultTokens: 8_000 });
  expect(engine.tokens).toBeLessThan(windowTokens / 2);
  expect(parts[0]?.text.length).toBeGreaterThan(1_000);
  expect(engine.recall({ id: "#1", offset: 5_000, limit: 3 }).text).toContain(
    text.split("\n").slice(4_999, 5_002).join("\n"),
  );
});

describe("a result that says exactly what an earlier one said", () => {
  test("is one line while the earlier one is still seen whole, and stands in full once it is not", async () => {
    const text = programText(3_000, 7);
    const history = createHistory();
    const engine = createContextEngine({
      policy: {
        name: "shape",
        recall: true,
        steps: [
          { stage: "shape", resultTokens: 8_000, wholeTokens: 12_000, roundTokens: 25_000 },
          { stage: "clear-consumed", keep: 1, minCharacters: 100, except: [] },
        ],
      },
      windowTokens: 200_000,
      fixedTokens: 0,
      now: () => 0,
      summarise: async () => Promise.reject(new Error("nobody asked")),
    });
    engine.add(history.user("go"));
    const shown: string[] = [];
    for (let round = 0; round < 3; round++) {
      const { asked, answered } = history.round([{ text }]);
      for (const message of [asked, ...answered]) engine.add(message);
      const { view } = await engine.fit({ signal });
      const part = view.at(-1)?.parts[0];
      shown.push(part?.type === "tool-result" ? part.text : "");
    }
    expect(shown).toEqual([text, expect.stringMatching(/^\[the same 3,?\d+ characters as #1 above\]$/), text]);
  });
});
