import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { checkPairing, createHistory, deepFreeze, programText } from "../../test/support/history.ts";
import type { ContextEngine, ContextStep, Fit, FitOptions, PriceRow, Summarise } from "../contracts/context.ts";
import type { Message, ToolResultPart } from "../contracts/message.ts";
import { createContextEngine } from "./engine.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { type Policy, policies } from "./policies.ts";
import { createTranscript } from "./transcript.ts";
import { createView } from "./view.ts";

type Result = { readonly size: number; readonly isError: boolean; readonly images: number; readonly oneLine: boolean };

type Step =
  | { readonly type: "user"; readonly size: number; readonly images: number }
  | { readonly type: "say"; readonly size: number }
  | { readonly type: "round"; readonly results: readonly Result[]; readonly prose: number }
  | { readonly type: "gap"; readonly ms: number }
  | { readonly type: "recall"; readonly back: number }
  | { readonly type: "force"; readonly force: "summarise" | "collapse" };

const moods = ["good", "failing", "empty", "huge", "tool-calling", "slow", "aborting"] as const;
type Mood = (typeof moods)[number];

type Scenario = {
  readonly windowTokens: number;
  readonly prices: PriceRow | undefined;
  readonly mood: Mood;
  /** What the vendor counts for each token we estimate. */
  readonly usageFactor: number | undefined;
  readonly steps: readonly Step[];
};

const sizes = fc.oneof(
  { weight: 5, arbitrary: fc.nat(300) },
  { weight: 5, arbitrary: fc.integer({ min: 300, max: 6_000 }) },
  { weight: 1, arbitrary: fc.integer({ min: 6_000, max: 60_000 }) },
);

const result: fc.Arbitrary<Result> = fc.record({
  size: sizes,
  isError: fc.boolean(),
  images: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
  oneLine: fc.oneof({ weight: 9, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) }),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      type: fc.constant("round" as const),
      results: fc.array(result, { minLength: 1, maxLength: 4 }),
      prose: fc.nat(400),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      type: fc.constant("user" as const),
      size: fc.oneof(
        { weight: 9, arbitrary: fc.nat(500) },
        { weight: 1, arbitrary: fc.integer({ min: 500, max: 5_000 }) },
      ),
      images: fc.oneof({ weight: 12, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.constant(1) }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ type: fc.constant("say" as const), size: fc.nat(2_000) }) },
  {
    weight: 1,
    arbitrary: fc.record({ type: fc.constant("gap" as const), ms: fc.integer({ min: 1, max: 4_000_000 }) }),
  },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("recall" as const), back: fc.nat(60) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      type: fc.constant("force" as const),
      force: fc.constantFrom("summarise" as const, "collapse" as const),
    }),
  },
);

const priceRows: readonly PriceRow[] = [
  { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 1.25, cacheMs: 300_000 },
  { input: 1, output: 4, cacheRead: 0.02, cacheWrite: 1, cacheMs: 3_600_000 },
  { input: 1, output: 4, cacheRead: 1, cacheWrite: 1, cacheMs: 0 },
  { input: 2, output: 10, cacheRead: 0.25, cacheWrite: 1, cacheMs: 300_000, tierAt: 20_000, tierFactor: 2 },
];

const scenario: fc.Arbitrary<Scenario> = fc.record({
  windowTokens: fc.constantFrom(4_000, 8_000, 32_000, 200_000),
  prices: fc.constantFrom(undefined, ...priceRows),
  mood: fc.constantFrom(...moods),
  usageFactor: fc.constantFrom(undefined, 0.6, 1, 1.4),
  steps: fc.array(step, { minLength: 1, maxLength: 45, size: "max" }),
});

function summariserIn(mood: Mood, abort: () => void): Summarise {
  return async ({ view }) => {
    switch (mood) {
      case "good":
        return { text: `<analysis>long thought</analysis>\n## Goal\n${view.length} messages so far`, usage: undefined };
      case "failing":
        throw new Error("HTTP 500");
      case "tool-calling":
        throw new Error("the model called a tool instead of summarising");
      case "empty":
        return { text: "<analysis>only thoughts", usage: undefined };
      case "huge":
        return { text: programText(200_000, 1), usage: undefined };
      case "slow":
        await new Promise((resolve) => setImmediate(resolve));
        return { text: "## Goal\nlater", usage: undefined };
      case "aborting":
        abort();
        throw new Error("aborted");
    }
  };
}

/** What the tests look at, after each fit. */
type Fitted = {
  readonly engine: ContextEngine;
  readonly fit: Fit;
  /** What was sent before. */
  readonly sent: readonly Message[];
  readonly tokensBefore: number;
  readonly history: readonly Message[];
  /** Messages that no fit had seen. */
  readonly fresh: readonly Message[];
  readonly log: readonly ContextStep[];
  readonly forced: FitOptions["force"];
  readonly windowTokens: number;
  /** Summaries asked for so far. */
  readonly asked: () => number;
};

type Played = {
  readonly engine: ContextEngine;
  readonly history: readonly Message[];
  readonly log: readonly ContextStep[];
  readonly words: readonly string[];
};

/** Plays a scenario as the agent does: a fit before every model call, results directly after the message that asked for them. */
async function play(
  policy: Policy,
  { windowTokens, prices, mood, usageFactor, steps }: Scenario,
  check: (fitted: Fitted) => void | Promise<void>,
  /** After so many fits a second engine is restored from the log and lives through the rest beside the first. */
  twinAfter = Number.POSITIVE_INFINITY,
): Promise<Played> {
  const builder = createHistory();
  const history: Message[] = [];
  const log: ContextStep[] = [];
  const words: string[] = [];
  let time = 1_000_000;
  let controller = new AbortController();
  let seen = 0;
  let sent: readonly Message[] = [];
  let asked = 0;
  let fits = 0;
  let twin: ContextEngine | undefined;
  const summarise = summariserIn(mood, () => controller.abort());
  const create = () =>
    createContextEngine({
      policy,
      windowTokens,
      windowIs: "known",
      fixedTokens: Math.min(2_500, windowTokens / 8),
      now: () => time,
      ...(prices ? { prices } : {}),
      summarise: (request) => {
        asked++;
        return summarise(request);
      },
    });
  const engine = create();
  const word = () => {
    words.push(`planted${String(words.length).padStart(5, "0")}`);
    return words.at(-1) ?? "";
  };
  const prose = (size: number) => {
    const text = programText(size, words.length);
    return `${text.slice(0, size / 2)} ${word()} ${text.slice(size / 2)}`;
  };
  const add = (message: Message) => {
    deepFreeze(message);
    history.push(message);
    log.push({ type: "message", message });
    engine.add(message);
    twin?.add(message);
  };
  const fitNow = async (force?: "summarise" | "collapse") => {
    const tokensBefore = engine.tokens;
    const fresh = history.slice(seen);
    controller = new AbortController();
    let done: Fit;
    const options = { ...(force ? { force } : {}) };
    try {
      done = await engine.fit({ signal: controller.signal, ...options });
    } catch (error) {
      if (!controller.signal.aborted) throw error;
      controller = new AbortController();
      await twin?.fit({ signal: controller.signal, ...options }).catch(() => {});
      return false;
    }
    if (twin) {
      const told = (fit: Fit) =>
        [fit.edits, fit.receipt, fit.rent, fit.floor, fit.view].map((value) => JSON.stringify(value));
      const other = told(await twin.fit({ signal: controller.signal, ...options }));
      for (const [at, text] of told(done).entries())
        if (other[at] !== text)
          throw new Error(`restored: ${other[at]?.slice(0, 300)}\nthere all the time: ${text?.slice(0, 300)}`);
    }
    log.push({ type: "edits", edits: done.edits }, { type: "request", rent: done.rent, time });
    if (++fits === twinAfter) {
      twin = create();
      twin.restore(log);
    }
    seen = history.length;
    await check({
      ...{ engine, fit: done, sent, tokensBefore, history, fresh, log, forced: force, windowTokens },
      asked: () => asked,
    });
    sent = [...done.view];
    return true;
  };
  const answer = (message: Message) => {
    if (usageFactor === undefined) return add(message);
    const usage = {
      inputTokens: Math.round(engine.tokens * usageFactor),
      outputTokens: 1,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    };
    engine.observe(usage);
    twin?.observe(usage);
    add({ ...message, usage });
  };
  add(builder.user(`first request ${word()}`));
  for (const [at, one] of steps.entries()) {
    time += 1_000;
    switch (one.type) {
      case "user": {
        const message = builder.user(prose(one.size));
        const image = { type: "image" as const, mediaType: "image/png", base64: "iVBORw0KGgo=" };
        add(one.images > 0 ? { ...message, parts: [...message.parts, image] } : message);
        break;
      }
      case "say":
        if (await fitNow()) answer(builder.say(prose(one.size)));
        break;
      case "round": {
        if (!(await fitNow())) break;
        const { asked, answered } = builder.round(
          one.results.map(({ size, isError, images, oneLine }, n) => {
            const text = programText(size, at * 7 + n);
            return {
              tool: ["bash", "read_file", "grep"][(at + n) % 3] ?? "bash",
              input: { path: `src/file-${(at + n) % 9}.ts` },
              text: oneLine ? text.replaceAll("\n", " ") : text,
              isError,
              images,
            };
          }),
          one.prose > 0 ? prose(one.prose) : undefined,
        );
        answer(asked);
        for (const message of answered) add(message);
        break;
      }
      case "gap":
        time += one.ms;
        break;
      case "recall": {
        if (!(await fitNow())) break;
        const id = `#${one.back}`;
        const { asked, answered } = builder.round([{ tool: "recall", input: { id }, text: id }]);
        answer(asked);
        engine.recall({ id });
        twin?.recall({ id });
        for (const message of answered) add(message);
        break;
      }
      case "force":
        await fitNow(one.force);
        break;
    }
  }
  await fitNow();
  return { engine, history, log, words };
}

const requestsOf = (history: readonly Message[]) =>
  history.filter((message) => message.role === "user" && !message.synthetic);

const resultsOf = (messages: readonly Message[]): ToolResultPart[] =>
  messages.flatMap((message) => message.parts.filter((part) => part.type === "tool-result"));

/** A fresh result may be shown shortened: its head, a note with its handle, its tail. An image that has no room is named. */
function isShownFresh(message: Message, shown: Message | undefined): boolean {
  if (shown === undefined || message.role !== "tool") return false;
  return message.parts.every((part, at) => {
    const other = shown.parts[at];
    if (part === other) return true;
    if (part.type !== "tool-result" || other?.type !== "tool-result") return false;
    const hasHead = other.text.includes(part.text.slice(0, 100));
    if (part.images && !other.images && !/image/.test(other.text)) return false;
    return other.text.length < part.text.length
      ? hasHead && other.text.includes(part.handle)
      : part.images !== undefined;
  });
}

const runs = process.env.PROPERTY_RUNS ? Number(process.env.PROPERTY_RUNS) : 10;

function always(policy: Policy, check: (fitted: Fitted) => void | Promise<void>) {
  return fc.assert(
    fc.asyncProperty(scenario, async (given) => void (await play(policy, given, check))),
    { numRuns: runs },
  );
}

const timeout = 120_000;

/** With failures of the summariser that come and go, the second engine would be asked at other times. */
const steadyMoods: readonly Mood[] = moods.filter((mood) => mood !== "aborting");

describe.each(Object.values(policies) as readonly Policy[])("the engine under policy $name", (policy) => {
  test("keeps each call directly before its results, in order", { timeout }, () =>
    always(policy, ({ fit }) => checkPairing(fit.view)),
  );

  test("never touches the first request and the latest", { timeout }, () =>
    always(policy, ({ fit, history }) => {
      const requests = requestsOf(history);
      expect(fit.view.includes(requests[0] as Message), "first request").toBe(true);
      expect(fit.view.includes(requests.at(-1) as Message), "latest request").toBe(true);
    }),
  );

  test("shows everything new to the model at least once, results over their cap shortened", { timeout }, () =>
    always(policy, ({ fit, fresh, forced }) => {
      if (forced === "collapse") return;
      const byId = new Map(fit.view.map((message) => [message.id, message]));
      for (const message of fresh) {
        const shown = byId.get(message.id);
        if (shown !== message && !isShownFresh(message, shown))
          throw new Error(`${message.id} (${message.role}) was ${shown ? "altered" : "gone"} before any model saw it`);
      }
    }),
  );

  test("restored from its log at any time, sees and decides as if it had been there", { timeout }, () =>
    fc.assert(
      fc.asyncProperty(
        scenario.map((given) => ({ ...given, mood: steadyMoods.includes(given.mood) ? given.mood : "good" }) as const),
        fc.integer({ min: 1, max: 30 }),
        async (given, twinAfter) => void (await play(policy, given, () => {}, twinAfter)),
      ),
      { numRuns: runs },
    ),
  );

  test("between batches, only extends what was sent", { timeout }, () =>
    always(policy, ({ fit, sent }) => {
      if (fit.receipt !== undefined) return;
      const changed = sent.findIndex((message, at) => fit.view[at] !== message);
      if (changed >= 0) throw new Error(`message ${changed} of ${sent.length} changed without a receipt`);
    }),
  );

  test("proposes nothing when nothing is new", { timeout }, () =>
    always(policy, async ({ engine, fit, asked }) => {
      const before = [...fit.view];
      const askedBefore = asked();
      const again = await engine.fit({ signal: new AbortController().signal });
      expect(asked(), "summaries asked for").toBe(askedBefore);
      expect(again.edits).toEqual([]);
      expect(again.receipt).toBeUndefined();
      expect(again.view).toHaveLength(before.length);
      expect(before.every((message, at) => message === again.view[at])).toBe(true);
    }),
  );

  test("never grows the view, and says so when it stays over the window", { timeout }, () =>
    always(policy, ({ engine, fit, tokensBefore, windowTokens }) => {
      expect(engine.tokens).toBeLessThanOrEqual(tokensBefore);
      if (fit.floor === undefined) expect(engine.tokens).toBeLessThanOrEqual(windowTokens);
      else expect(engine.tokens).toBeGreaterThan(windowTokens);
    }),
  );

  test("gives the same view again when log and edits are replayed", { timeout }, () => {
    const replays = new WeakMap<readonly ContextStep[], ReturnType<typeof createReplay>>();
    return always(policy, ({ fit, log }) => {
      const replay = replays.get(log) ?? createReplay();
      replays.set(log, replay);
      expect(replay(log)).toEqual(fit.view);
    });
  });

  test("brings everything back that ever entered", { timeout }, () =>
    fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const { engine, history, words } = await play(policy, given, () => {});
        for (const part of resultsOf(history)) expect(recallAll(engine, part)).toBe(part.text);
        for (const word of words) expect(engine.recall({ query: word }).text).toContain(word);
      }),
      { numRuns: Math.ceil(runs / 4) },
    ),
  );
});

/** The seeds' policies clear a little on every call; that is what they are here to show. */
const batching = (Object.values(policies) as readonly Policy[]).filter(({ steps }) =>
  steps.every(({ stage }) => !["clear-consumed", "keep-last", "drop-middle"].includes(stage)),
);

describe.each(batching)("the engine under policy $name", (policy) => {
  test("frees a tenth or reaches its goal with every batch of its own", { timeout }, () =>
    always(policy, ({ fit, engine, forced, windowTokens }) => {
      if (fit.receipt === undefined || forced !== undefined || fit.floor !== undefined) return;
      const { tokensBefore, tokensAfter, stages } = fit.receipt;
      const goal = stages.includes("collapse") ? 0.9 * windowTokens : engine.contents().foldAtTokens;
      if (tokensAfter > 0.9 * tokensBefore && tokensAfter > goal)
        throw new Error(`a batch of ${stages.join(", ")}: ${tokensBefore} → ${tokensAfter}, goal ${goal}`);
    }),
  );
});

/** What a resumed session does: a fresh view, and the log again. */
function createReplay() {
  const transcript = createTranscript(estimateTokens);
  const view = createView(transcript, estimateTokens);
  let read = 0;
  return (log: readonly ContextStep[]): readonly Message[] => {
    for (const entry of log.slice(read)) {
      if (entry.type === "edits") view.apply(entry.edits);
      else if (entry.type === "message") {
        transcript.add(entry.message);
        view.extend();
      }
    }
    read = log.length;
    return view.messages;
  };
}

/** Page by page, as a model would. */
function recallAll(engine: ContextEngine, { handle, text }: ToolResultPart): string {
  const page = 150;
  const pages: string[] = [];
  for (let offset = 1; offset <= text.split("\n").length; offset += page) {
    const answer = engine.recall({ id: handle, offset, limit: page });
    expect(answer.isFound).toBe(true);
    pages.push(answer.text.slice(answer.text.indexOf("\n") + 1));
  }
  return pages.join("\n");
}
