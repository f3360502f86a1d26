import { describe, expect, test } from "vitest";
import { checkPairing, createHistory, programText } from "../../../test/support/history.ts";
import type { FitOptions, PriceRow, SummaryRequest } from "../../contracts/context.ts";
import { type Message, textOf } from "../../contracts/message.ts";
import { createContextEngine } from "../engine.ts";
import { typicalPrices } from "../pricing.ts";
import type { Step } from "./index.ts";

const notes = { tailTokens: 3_000, userTokens: 2_000, proseTokens: 500, indexTokens: 500 };
const signal = new AbortController().signal;

function setUp({
  windowTokens = 100_000,
  atTokens = 20_000,
  prices = typicalPrices,
  fromTokens,
  idleAt,
}: {
  windowTokens?: number;
  atTokens?: number;
  fromTokens?: number;
  prices?: PriceRow;
  idleAt?: number;
} = {}) {
  const history = createHistory();
  const requests: SummaryRequest[] = [];
  let time = 0;
  const idle: readonly Step[] =
    idleAt === undefined
      ? []
      : [
          { stage: "shape", resultTokens: 1_500, wholeTokens: 2_000, roundTokens: 4_000 },
          { stage: "idle", atTokens: idleAt, ...notes },
          { stage: "settle", ...notes },
        ];
  const engine = createContextEngine({
    policy: {
      name: "test",
      recall: true,
      steps: [
        ...idle,
        { stage: "summarise", ...(fromTokens === undefined ? { atTokens } : { fromTokens }), atShare: 0.75, ...notes },
      ],
    },
    windowTokens,
    fixedTokens: 0,
    now: () => time,
    prices,
    summarise: async (request) => {
      requests.push({ ...request, view: [...request.view] });
      return { text: `SUMMARY ${requests.length}`, usage: undefined };
    },
  });
  const all: Message[] = [];
  const add = (...messages: readonly Message[]) => {
    for (const message of messages) engine.add(message);
    all.push(...messages);
  };
  add(history.user("first request"));
  return {
    engine,
    requests,
    history,
    all,
    add,
    wait: (ms: number) => void (time += ms),
    next: (options: Partial<FitOptions> = {}) => engine.fit({ signal, ...options }),
    /** A round of about 1,200 tokens. */
    round(n: number, characters = 3_000) {
      const { asked, answered } = history.round([
        { text: programText(characters, n), tool: "read_file", input: { file_path: `src/f${n}.ts` } },
      ]);
      add(asked, ...answered);
    },
  };
}

const noteIn = (view: readonly Message[]) => view.filter(({ synthetic }) => synthetic).map(textOf);

describe("a conversation that has grown to its threshold", () => {
  test("is folded then and not before; the tail and both requests stay as they were", async () => {
    const { engine, requests, all, add, history, round, next } = setUp();
    add(history.say("hm"), history.user("latest request"));
    let folds = 0;
    for (let n = 1; n <= 25 && folds === 0; n++) {
      const before = engine.tokens;
      const { receipt, view } = await next();
      if (receipt) {
        folds++;
        expect(before).toBeGreaterThanOrEqual(20_000);
        expect(receipt).toMatchObject({ trigger: "auto", stages: ["summarise"], tokensBefore: before });
        expect(view[0]).toBe(all[0]);
        expect(view).toContain(all[2]);
        expect(view.slice(-2)).toEqual(all.slice(-2));
        expect(noteIn(view)).toHaveLength(1);
        expect(noteIn(view)[0]).toContain("SUMMARY 1");
        expect(noteIn(view)[0]).toContain("src/f1.ts");
        checkPairing(view);
      } else expect(before).toBeLessThan(20_000);
      round(n);
    }
    expect(folds).toBe(1);
    expect(requests).toHaveLength(1);
  });

  test("is summarised on the very messages that were sent", async () => {
    const { requests, round, next } = setUp();
    let sent: readonly Message[] = [];
    for (let n = 1; requests.length === 0; n++) {
      sent = [...(await next()).view];
      round(n);
      if (n > 30) throw new Error("it never folded");
      const before = sent;
      sent = [...(await next()).view];
      if (requests.length > 0) expect(requests[0]?.view.slice(0, before.length)).toEqual(before);
    }
  });

  test("has one note after many folds, which knows the files of all of them", async () => {
    const { round, next, requests } = setUp();
    let view: readonly Message[] = [];
    for (let n = 1; n <= 80; n++) {
      view = (await next()).view;
      round(n);
    }
    expect(requests.length).toBeGreaterThan(2);
    expect(noteIn(view)).toHaveLength(1);
    for (const path of ["src/f1.ts", "src/f20.ts", "src/f40.ts"]) expect(noteIn(view)[0]).toContain(path);
  });

  test("is folded some time after it may be, once the session is good for it", async () => {
    const foldedAt = async (prices: PriceRow) => {
      const { engine, round, next } = setUp({ fromTokens: 10_000, windowTokens: 1_000_000, prices });
      for (let n = 1; n <= 600; n++) {
        const before = engine.tokens;
        if ((await next()).receipt) return before;
        round(n, 900);
      }
      return Number.POSITIVE_INFINITY;
    };
    const usual = await foldedAt(typicalPrices);
    // by then the calls have cost so much that a fold is a small part of it
    expect(usual).toBeGreaterThan(15_000);
    expect(usual).toBeLessThan(60_000);
    expect(await foldedAt({ ...typicalPrices, cacheRead: 0.05 })).toBeGreaterThan(1.3 * usual);
  });

  test.each([
    ["a share of a small window", { windowTokens: 8_000 }, 6_000],
    ["a price tier", { prices: { ...typicalPrices, tierAt: 10_000, tierFactor: 2 } }, 9_700],
    ["the number of tokens", {}, 20_000],
    ["the number of tokens at the usual price", { fromTokens: 30_000 }, 30_000],
    ["the price of reading them", { fromTokens: 30_000, prices: { ...typicalPrices, cacheRead: 0.05 } }, 60_000],
  ])("knows its threshold from %s", (_name, options, expected) => {
    expect(setUp(options).engine.contents().foldAtTokens).toBe(expected);
  });
});

describe("a fold by wish", () => {
  test("comes at once, with the focus in the instruction, and is called manual", async () => {
    const { round, next, requests } = setUp({ atTokens: 90_000 });
    for (let n = 1; n <= 5; n++) round(n);
    const { receipt } = await next({ force: "summarise", focus: "the port" });
    expect(receipt).toMatchObject({ trigger: "manual" });
    expect(requests[0]?.instruction).toContain("the port");
  });

  test("of nothing does nothing", async () => {
    const { next, requests } = setUp();
    expect(await next({ force: "summarise" })).toMatchObject({ edits: [], receipt: undefined });
    expect(requests).toHaveLength(0);
  });
});

describe("a person who was away", () => {
  const away = async (ms: number, { prepare = true, hasSaved = true } = {}) => {
    const world = setUp({ atTokens: 90_000, idleAt: 5_000 });
    // shortened at once: that is where the money for a summary comes from
    if (hasSaved) world.round(0, 300_000);
    for (let n = 1; n <= 12; n++) {
      await world.next();
      world.round(n);
    }
    await world.next();
    world.add(world.history.say("done"));
    if (prepare) await world.engine.prepareForIdle(signal);
    const before = [...world.engine.view];
    world.wait(ms);
    world.add(world.history.user("I am back"));
    return { ...world, before, done: await world.next() };
  };

  test("too long finds the conversation folded with the summary written in time", async () => {
    const { done, requests, all } = await away(300_001);
    expect(requests).toHaveLength(1);
    expect(done.receipt).toMatchObject({ trigger: "idle" });
    expect(noteIn(done.view)[0]).toContain("SUMMARY 1");
    expect(done.view.at(-1)).toBe(all.at(-1));
  });

  test("for a short while finds everything as it was", async () => {
    const { done, all, before } = await away(200_000);
    expect(done.edits).toEqual([]);
    expect(done.view).toEqual([...before, all.at(-1)]);
  });

  test.each([
    ["with nothing prepared", { prepare: false }],
    ["in a session that has saved nothing yet", { hasSaved: false }],
  ])("too long, %s, costs no call: the note is put together by code", async (_name, options) => {
    const { done, requests } = await away(300_001, options);
    expect(requests).toHaveLength(0);
    expect(done.receipt).toMatchObject({ trigger: "idle" });
    expect(noteIn(done.view)[0]).toContain("src/f1.ts");
  });
});
