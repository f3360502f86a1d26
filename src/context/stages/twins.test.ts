import { describe, expect, test } from "vitest";
import { createHistory, programText } from "../../../test/support/history.ts";
import type { PriceRow } from "../../contracts/context.ts";
import type { ToolResultPart } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import type { Step } from "./index.ts";

const signal = new AbortController().signal;
const noCache: PriceRow = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheMs: 1_000_000 };
const shape = { stage: "shape", resultTokens: 8_000, wholeTokens: 12_000, roundTokens: 25_000 } as const;
const archive: Step = {
  stage: "archive",
  ...{ age: 4, smallAge: 4, smallTokens: 300, minTokens: 120, tailTokens: 1_000 },
  ...{ coldTokens: 500, coldAge: 2, recalledAge: 5, atShare: 0.75 },
};
const notes = { tailTokens: 4_000, userTokens: 500, proseTokens: 500, indexTokens: 500 };

function setUp(steps: readonly Step[]) {
  const history = createHistory();
  const engine = createContextEngine({
    policy: { name: "twins", recall: true, steps },
    ...{ windowTokens: 200_000, fixedTokens: 0, now: () => 0, prices: noCache },
    summarise: async () => ({ text: "SUMMARY", usage: undefined }),
  });
  engine.add(history.user("go"));
  const next = (force?: "summarise") => engine.fit({ signal, ...(force ? { force } : {}) });
  return {
    engine,
    next,
    async round(text: string) {
      await next();
      const { asked, answered } = history.round([{ text }]);
      for (const message of [asked, ...answered]) engine.add(message);
    },
    shown: (handle: string) =>
      engine.view
        .flatMap(({ parts }) => parts.filter((part): part is ToolResultPart => part.type === "tool-result"))
        .find((part) => part.handle === handle)?.text,
  };
}

const file = programText(5_000, 1);
const reference = "[the same 5000 characters as #1 above]";

describe("a result that another one refers to", () => {
  test("is archived when the other has done its work too, not before", async () => {
    const { round, shown } = setUp([shape, archive]);
    await round(file);
    for (let n = 2; n <= 3; n++) await round(programText(4_000, n));
    await round(file);
    for (let n = 5; n <= 7; n++) await round(programText(4_000, n));
    expect(shown("#4")).toBe(reference);
    expect(shown("#2"), "others of its age leave").toMatch(/^\[#2 /);
    expect(shown("#1")).toBe(file);
    for (let n = 8; n <= 10; n++) await round(programText(4_000, n));
    expect(shown("#1")).toMatch(/^\[#1 /);
  });

  test("is archived at its own age where nothing refers to it", async () => {
    const { round, shown } = setUp([archive]);
    await round(file);
    for (let n = 2; n <= 3; n++) await round(programText(4_000, n));
    await round(file);
    for (let n = 5; n <= 7; n++) await round(programText(4_000, n));
    expect(shown("#4")).toBe(file);
    expect(shown("#1")).toMatch(/^\[#1 /);
  });

  test("leaves its text to the other when it is folded", async () => {
    const { round, shown, next } = setUp([shape, { stage: "summarise", atTokens: 90_000, atShare: 0.9, ...notes }]);
    await round(file);
    for (let n = 2; n <= 8; n++) await round(programText(4_000, n));
    await round(file);
    await round("ok");
    await next();
    expect(shown("#9")).toBe(reference);
    const { receipt } = await next("summarise");
    expect(receipt).toBeDefined();
    expect(shown("#1")).toBeUndefined();
    expect(shown("#9")).toBe(file);
  });
});

test("what a tool says is never taken for a reference", async () => {
  const { round, shown, next } = setUp([shape, { stage: "summarise", atTokens: 90_000, atShare: 0.9, ...notes }]);
  await round(file);
  for (let n = 2; n <= 8; n++) await round(programText(4_000, n));
  await round(reference);
  await round("ok");
  const { edits } = await next("summarise");
  expect(edits.map(({ type }) => type)).toEqual(["fold"]);
  expect(shown("#9")).toBe(reference);
});
