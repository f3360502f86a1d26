import { describe, expect, test } from "vitest";
import { type CallSpec, checkPairing, createHistory, programText } from "../../../test/support/history.ts";
import type { PriceRow } from "../../contracts/context.ts";
import type { Message, ToolResultPart } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import type { ArchiveParameters } from "./archive.ts";
import type { Step } from "./index.ts";

const signal = new AbortController().signal;

/** Carrying costs as much as writing: a batch is due as soon as it frees enough. */
const noCache: PriceRow = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheMs: 1_000_000 };

const archive: ArchiveParameters = {
  ...{ age: 2, smallAge: 5, smallTokens: 300, minTokens: 120, tailTokens: 500 },
  ...{ coldTokens: 500, coldAge: 2, recalledAge: 5, atShare: 0.75 },
};
const notes = { tailTokens: 2_000, userTokens: 500, proseTokens: 500, indexTokens: 500 };

const large = (seed: number) => ({ text: programText(3_000, seed) });
const small = (seed: number) => ({ text: programText(600, seed) });
const tiny = { text: "ok" };

type Form = "in one message" | "in a message each";

function setUp(form: Form, steps: readonly Step[], windowTokens = 200_000) {
  const history = createHistory();
  const engine = createContextEngine({
    policy: { name: "parallel", recall: true, steps },
    ...{ windowTokens, fixedTokens: 0, now: () => 0, prices: noCache },
    summarise: async () => ({ text: "SUMMARY", usage: undefined }),
  });
  engine.add(history.user("go"));
  return {
    engine,
    /** One model call with several results. */
    async round(calls: readonly CallSpec[]) {
      const tokensBefore = engine.tokens;
      const fit = await engine.fit({ signal });
      const { asked, answered } = history.round(calls);
      const joined = { ...(answered[0] as Message), parts: answered.flatMap(({ parts }) => parts) };
      for (const message of form === "in one message" ? [asked, joined] : [asked, ...answered]) engine.add(message);
      return { ...fit, tokensBefore };
    },
    shown: () =>
      new Map(
        engine.view
          .flatMap(({ parts }) => parts.filter((part): part is ToolResultPart => part.type === "tool-result"))
          .map(({ handle, text }) => [handle, text]),
      ),
  };
}

describe.each(["in one message", "in a message each"] as const)("several results %s", (form) => {
  test("are archived each at its own age, and only what is large enough", async () => {
    const { engine, round, shown } = setUp(form, [{ stage: "archive", ...archive }]);
    const calls = [large(1), tiny, small(2), large(3)];
    await round(calls);
    const isArchived = (handle: string) => shown().get(handle)?.startsWith(`[${handle} bash ls: `);
    for (let call = 2; call <= 4; call++) await round([large(call)]);
    expect(["#1", "#2", "#3", "#4"].map(isArchived)).toEqual([true, false, false, true]);
    expect(shown().get("#3")).toBe(calls[2]?.text);
    for (let call = 5; call <= 12; call++) await round([small(call), small(call + 20)]);
    expect(["#1", "#2", "#3", "#4"].map(isArchived)).toEqual([true, false, true, true]);
    expect(shown().get("#2")).toBe("ok");
    checkPairing(engine.view);
    expect(engine.recall({ id: "#3", limit: 999 }).text).toContain(calls[2]?.text);
  });

  test("are counted once each: every batch frees the tenth it promises", async () => {
    const { engine, round } = setUp(form, [{ stage: "archive", ...archive, smallAge: 2 }]);
    engine.add(createHistory().say(programText(60_000, 1)));
    let batches = 0;
    for (let call = 1; call <= 20; call++) {
      const { receipt, tokensBefore } = await round(Array.from({ length: 8 }, (_, n) => small(call * 8 + n)));
      if (receipt === undefined) continue;
      batches++;
      expect(receipt.tokensAfter, `call ${call}`).toBeLessThanOrEqual(0.9 * tokensBefore);
    }
    expect(batches).toBeGreaterThan(0);
  });

  test("are shortened each for itself; small ones and the order stay", async () => {
    const { engine, round, shown } = setUp(form, [
      { stage: "shape", resultTokens: 500, wholeTokens: 700, roundTokens: 2_500 },
    ]);
    const calls = [large(1), small(2), large(3), tiny];
    await round(calls);
    await engine.fit({ signal });
    expect([...shown().keys()]).toEqual(["#1", "#2", "#3", "#4"]);
    for (const [handle, at] of [["#1", 0] as const, ["#3", 2] as const]) {
      expect(shown().get(handle)).toContain(`recall("${handle}")`);
      expect(shown().get(handle)?.slice(0, 200)).toBe(calls[at]?.text.slice(0, 200));
    }
    expect([shown().get("#2"), shown().get("#4")]).toEqual([calls[1]?.text, "ok"]);
  });

  test("are folded together with their call, or stay together with it", async () => {
    for (const tailTokens of [0, 400, 1_500, 3_000, 6_000]) {
      const { engine, round } = setUp(form, [
        { stage: "summarise", atTokens: 12_000, atShare: 0.75, ...notes, tailTokens },
      ]);
      let folds = 0;
      for (let call = 1; call <= 12; call++) {
        const { receipt, view } = await round([large(call), small(call), large(call + 50)]);
        if (receipt) folds++;
        checkPairing(view);
      }
      expect(folds, `tail ${tailTokens}`).toBeGreaterThan(0);
      expect(engine.tokens).toBeLessThan(16_000);
    }
  });

  test("leave a full window without more being dropped than is there", async () => {
    const { engine, round } = setUp(form, [{ stage: "collapse", atShare: 0.9, ...notes }], 12_000);
    for (let call = 1; call <= 12; call++) {
      const { receipt, tokensBefore, view } = await round([large(call), small(call), small(call + 50)]);
      checkPairing(view);
      if (receipt) expect(receipt.tokensAfter).toBeLessThanOrEqual(0.9 * tokensBefore);
    }
    expect(engine.tokens).toBeLessThan(12_000);
  });

  test("that say what an earlier one says are one line only while that one is seen whole", async () => {
    const { engine, round, shown } = setUp(form, [
      { stage: "shape", resultTokens: 8_000, wholeTokens: 12_000, roundTokens: 25_000 },
    ]);
    await round([large(1), large(2)]);
    await round([large(2), large(2), large(3)]);
    await engine.fit({ signal });
    expect(shown().get("#3")).toMatch(/^\[the same 3000 characters as #2 above\]$/);
    expect(shown().get("#4")).toMatch(/^\[the same 3000 characters as #2 above\]$/);
    expect(shown().get("#5")).toBe(large(3).text);
  });
});
