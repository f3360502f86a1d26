import { describe, expect, test } from "vitest";
import { createHistory, programText } from "../../../test/support/history.ts";
import type { ContextEngine, PriceRow } from "../../contracts/context.ts";
import { textOf } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import type { ArchiveParameters } from "./archive.ts";

const signal = new AbortController().signal;

const parameters: ArchiveParameters = {
  age: 4,
  smallAge: 8,
  smallTokens: 300,
  minTokens: 120,
  tailTokens: 1_000,
  coldTokens: 500,
  coldAge: 2,
  recalledAge: 5,
  atShare: 0.75,
};

/** Carrying costs as much as writing: rent is due at once. */
const noCache: PriceRow = { input: 1, output: 1, cacheRead: 1, cacheWrite: 1, cacheMs: 1_000_000 };
const usual: PriceRow = { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 300_000 };

function setUp({ prices = noCache, ...given }: Partial<ArchiveParameters> & { prices?: PriceRow } = {}) {
  const history = createHistory();
  let time = 0;
  const engine = createContextEngine({
    policy: { name: "archive", recall: true, steps: [{ stage: "archive", ...parameters, ...given }] },
    windowTokens: 200_000,
    fixedTokens: 0,
    now: () => time,
    prices,
    summarise: async () => Promise.reject(new Error("nobody asked")),
  });
  engine.add(history.user("go"));
  return {
    engine,
    wait: (ms: number) => void (time += ms),
    /** One model call and its result. */
    async round(text: string, isError = false) {
      const fit = await engine.fit({ signal });
      const { asked, answered } = history.round([{ text, isError, input: { path: "src/a.ts" }, tool: "read_file" }]);
      for (const message of [asked, ...answered]) engine.add(message);
      return fit;
    },
  };
}

function shown(engine: ContextEngine, handle: string): string {
  for (const message of engine.view)
    for (const part of message.parts) if (part.type === "tool-result" && part.handle === handle) return part.text;
  return "";
}

const isArchived = (engine: ContextEngine, handle: string) => shown(engine, handle).startsWith(`[${handle} `);
const large = programText(6_000, 1);
const small = programText(500, 2);

describe("a result that has done its work", () => {
  test("leaves at its age and not before, behind a line that says what it was and how to get it back", async () => {
    const { engine, round } = setUp();
    await round(large);
    for (let call = 2; call <= 4; call++) {
      await round(large);
      expect(isArchived(engine, "#1"), `call ${call}`).toBe(false);
    }
    await round(large);
    const { receipt } = await round(large);
    expect(isArchived(engine, "#1")).toBe(true);
    expect(receipt === undefined || receipt.stages).toBeTruthy();
    expect(shown(engine, "#1")).toMatch(/^\[#1 read_file src\/a\.ts: \d+ lines archived; recall\("#1"\)\]/);
    expect(engine.recall({ id: "#1", limit: 9_999 }).text).toContain(large);
  });

  test("stays longer when it is small, and for ever when it is tiny", async () => {
    const { engine, round } = setUp();
    await round(small);
    await round("tiny");
    for (let call = 3; call <= 8; call++) await round(large);
    expect(isArchived(engine, "#3")).toBe(true);
    expect(isArchived(engine, "#1")).toBe(false);
    for (let call = 9; call <= 40; call++) await round(large);
    expect(isArchived(engine, "#1")).toBe(true);
    expect(shown(engine, "#2")).toBe("tiny");
  });

  test("stays while it belongs to the newest tokens, whatever its age", async () => {
    const { engine, round } = setUp({ tailTokens: 20_000 });
    await round(large);
    for (let call = 2; call <= 8; call++) await round("ok");
    expect(isArchived(engine, "#1")).toBe(false);
  });

  test("stays for a while when it was recalled", async () => {
    const { engine, round } = setUp();
    await round(large);
    await round(large);
    await round(large);
    engine.recall({ id: "#1" });
    await round(large);
    await round(large);
    await round(large);
    await round(large);
    expect(isArchived(engine, "#2")).toBe(true);
    expect(isArchived(engine, "#1")).toBe(false);
    for (let call = 0; call < 8; call++) await round(large);
    expect(isArchived(engine, "#1")).toBe(true);
  });

  test("keeps its first error line beside the placeholder", async () => {
    const { engine, round } = setUp();
    await round(`${large}\nTypeError: cannot read x\n${large}`, true);
    for (let call = 2; call <= 8; call++) await round(large);
    expect(isArchived(engine, "#1")).toBe(true);
    expect(shown(engine, "#1")).toMatch(/\n.*(error|cannot)/i);
  });
});

describe("the price of an edit", () => {
  test("is weighed against the rent: with a cache nothing leaves at its age, but something does in time", async () => {
    const { engine, round } = setUp({ prices: usual });
    const batches: number[] = [];
    for (let call = 1; call <= 60; call++) {
      const { receipt } = await round(large);
      if (receipt) batches.push(call);
      if (call === 8) expect(isArchived(engine, "#1")).toBe(false);
    }
    expect(batches.length).toBeGreaterThan(1);
    expect(batches.length).toBeLessThan(20);
  });

  test("takes longer to come together when reading the cache costs next to nothing", async () => {
    const firstBatch = async (prices: PriceRow) => {
      const { round } = setUp({ prices });
      for (let call = 1; call <= 80; call++) if ((await round(large)).receipt) return call;
      return Number.POSITIVE_INFINITY;
    };
    const usually = await firstBatch(usual);
    expect(usually).toBeLessThan(40);
    expect(await firstBatch({ ...usual, cacheRead: 0.02, cacheWrite: 1 })).toBeGreaterThan(2 * usually);
  });

  test("is nothing on a cold cache: results leave sooner, in one batch", async () => {
    const { engine, round, wait } = setUp({ prices: usual });
    for (let call = 1; call <= 6; call++) await round(large);
    expect(isArchived(engine, "#1")).toBe(false);
    wait(300_001);
    const { edits, receipt } = await round(large);
    expect(edits.length).toBeGreaterThanOrEqual(3);
    expect(receipt?.archived).toContain("#1");
    expect(isArchived(engine, "#1")).toBe(true);
    expect(isArchived(engine, "#6")).toBe(false);
  });

  test("is not paid by looking again: a hundred fits with nothing new propose nothing", async () => {
    const { engine, round } = setUp({ prices: usual });
    for (let call = 1; call <= 7; call++) await round(large);
    for (let again = 0; again < 100; again++) expect((await engine.fit({ signal })).edits).toEqual([]);
  });
});

test("the words of the person and the agent are never archived", async () => {
  const { engine, round } = setUp();
  for (let call = 1; call <= 20; call++) await round(large);
  expect(textOf(engine.view[0] ?? { id: "", role: "user", parts: [] })).toBe("go");
});
