import { describe, expect, test } from "vitest";
import { checkPairing, createHistory, programText } from "../../../test/support/history.ts";
import type { PriceRow, SummaryRequest } from "../../contracts/context.ts";
import type { Message } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import { priceRows } from "../price-rows.ts";
import type { Step } from "./index.ts";

const signal = new AbortController().signal;
const notes = { tailTokens: 3_000, userTokens: 2_000, proseTokens: 500, indexTokens: 500 };
const sonnet = priceRows["sonnet-5.5"] as PriceRow;
const deepseek = priceRows["deepseek-v4-flash"] as PriceRow;

/** A long talk in a window that never fills: what the agent says cannot be archived. */
function setUp(prices: PriceRow, steps: readonly Step[] = [{ stage: "settle", ...notes }]) {
  const history = createHistory();
  const requests: SummaryRequest[] = [];
  let time = 0;
  const engine = createContextEngine({
    policy: { name: "settle", recall: true, steps },
    ...{ windowTokens: 2_000_000, fixedTokens: 1_000, now: () => time, prices },
    summarise: async (request) => {
      requests.push({ ...request, view: [...request.view] });
      return { text: "SUMMARY", usage: undefined };
    },
  });
  engine.add(history.user("go"));
  return {
    engine,
    requests,
    wait: (ms: number) => void (time += ms),
    async round(n: number, characters = 900) {
      const done = await engine.fit({ signal });
      const { asked, answered } = history.round([{ text: "ok" }], programText(characters, n));
      for (const message of [asked, ...answered]) engine.add(message);
      return { ...done, view: [...done.view] };
    },
  };
}

async function foldsIn(prices: PriceRow, calls: number) {
  const world = setUp(prices);
  const folds: number[] = [];
  for (let call = 1; call <= calls; call++) if ((await world.round(call)).receipt) folds.push(call);
  return { ...world, folds };
}

describe("a conversation that nothing can be archived from", () => {
  test("is folded when carrying it has cost more than the fold, not when the window is full", async () => {
    const { folds, engine } = await foldsIn(sonnet, 400);
    expect(folds.length).toBeGreaterThan(1);
    expect(folds[0]).toBeGreaterThan(30);
    expect(engine.tokens).toBeLessThan(70_000);
    // not again at once: rent has to come together first
    for (const [at, call] of folds.entries()) expect(call - (folds[at - 1] ?? -30)).toBeGreaterThan(20);
  });

  test("is folded later where reads are cheap, and never where they are free", async () => {
    const dear = await foldsIn(sonnet, 400);
    const cheap = await foldsIn(deepseek, 800);
    expect(cheap.folds[0] ?? 801).toBeGreaterThan(2 * (dear.folds[0] ?? 0));
    expect((await foldsIn({ ...sonnet, cacheRead: 0 }, 300)).folds).toEqual([]);
  });

  test("is summarised on the very messages that were sent before", async () => {
    const { round, requests } = setUp(sonnet);
    let sent: readonly Message[] = [];
    for (let call = 1; requests.length === 0; call++) {
      if (call > 200) throw new Error("it never folded");
      const before = sent;
      const { view } = await round(call);
      sent = view;
      checkPairing(view);
      if (requests.length > 0) expect(requests[0]?.view.slice(0, before.length)).toEqual(before);
    }
  });

  test("is not folded at the first call after a silence: asking would cost the rewrite", async () => {
    const { folds } = await foldsIn(sonnet, 200);
    const { round, wait, requests } = setUp(sonnet);
    const first = folds[0] ?? 0;
    for (let call = 1; call < first; call++) await round(call);
    wait(sonnet.cacheMs + 1);
    expect((await round(first)).receipt).toBeUndefined();
    expect(requests).toHaveLength(0);
    expect((await round(first + 1)).receipt).toBeDefined();
  });
});

test("a short session is never folded, however dear its calls", async () => {
  const { round, requests } = setUp(sonnet);
  for (let call = 1; call <= 12; call++) await round(call, 12_000);
  expect(requests).toHaveLength(0);
});
