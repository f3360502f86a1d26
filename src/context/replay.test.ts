import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type CallSpec, createHistory, programText } from "../../test/support/history.ts";
import type { Message } from "../contracts/message.ts";
import { type Policy, policies } from "./policies.ts";
import { priceRows } from "./price-rows.ts";
import { idleAfterMs, regretAt } from "./pricing.ts";
import { type ReplayOptions, replay, type TimedMessage } from "./replay.ts";

const noUses: ReplayOptions["uses"] = new Map();

type Round = {
  readonly sizes: readonly number[];
  readonly prose: number;
  /** Characters of a prompt that comes before this round. */
  readonly prompt: number | undefined;
  readonly gapMs: number;
};

function sessionOf(rounds: readonly Round[]): TimedMessage[] {
  const history = createHistory();
  const messages: TimedMessage[] = [];
  let time = 0;
  const add = (message: Message, ms: number) => messages.push({ message, time: (time += ms) });
  add(history.user("go"), 0);
  for (const [at, { sizes, prose, prompt, gapMs }] of rounds.entries()) {
    if (prompt !== undefined && at > 0) {
      add(history.say("done"), 5_000);
      add(history.user(programText(prompt, at)), gapMs);
    }
    const calls = sizes.map(
      (size, n): CallSpec => ({ text: programText(size, at * 7 + n), input: { path: `f${at}` } }),
    );
    const { asked, answered } = history.round(calls, programText(prose, at));
    for (const message of [asked, ...answered]) add(message, 5_000);
  }
  add(history.say("done"), 5_000);
  return messages;
}

const round: fc.Arbitrary<Round> = fc.record({
  sizes: fc.array(
    fc.oneof(fc.nat(900), fc.integer({ min: 900, max: 12_000 }), fc.integer({ min: 12_000, max: 60_000 })),
    { minLength: 1, maxLength: 3 },
  ),
  prose: fc.nat(1_500),
  prompt: fc.option(fc.oneof(fc.nat(500), fc.nat(20_000)), { nil: undefined, freq: 7 }),
  gapMs: fc.oneof(fc.constant(20_000), fc.constant(280_000), fc.constant(4_000_000), fc.constant(9_000_000)),
});

/** Nothing is shortened and nobody is away: all that can be saved must be earned by cuts. */
const plainRound = round.map(
  ({ sizes, prose, prompt }): Round => ({
    ...{ prose, prompt: prompt === undefined ? undefined : prompt % 500, gapMs: 20_000 },
    sizes: sizes.map((size) => size % 9_000),
  }),
);

const session = fc.oneof(
  fc.array(round, { minLength: 20, maxLength: 120 }),
  fc.array(plainRound, { minLength: 40, maxLength: 160 }),
);

const play = (messages: readonly TimedMessage[], policy: Policy, row: string, windowTokens = 5_000_000) =>
  replay({
    ...{ messages, policy, windowTokens, fixedTokens: 3_000, uses: noUses },
    prices: priceRows[row] as (typeof priceRows)[string],
  });

/** Prices are estimated before a cut is made: of the note it writes and the placeholders it leaves. */
const estimationError = 0.005;

describe.each(["sonnet-5.5", "gpt-6.1-sol", "deepseek-v4-flash", "opus-5.5"])("at the prices of %s", (row) => {
  test.each([policies.ledger, policies.lean])(
    "$name never costs noticeably more than keeping everything, wherever a session ends",
    { timeout: 60_000 },
    (policy) =>
      fc.assert(
        fc.asyncProperty(session, async (rounds) => {
          const messages = sessionOf(rounds);
          const own = await play(messages, policy, row);
          const none = await play(messages, policies.none, row);
          const allowed = 1 + regretAt(priceRows[row] as (typeof priceRows)[string]) + estimationError;
          for (const [call, { costUsd }] of own.series.entries())
            expect(costUsd / (none.series[call]?.costUsd ?? 0), `after call ${call + 1}`).toBeLessThan(allowed);
        }),
        { numRuns: 12, endOnFailure: true },
      ),
  );
});

describe("a person who is away", () => {
  const row = "sonnet-5.5";
  const { cacheMs } = priceRows[row] as (typeof priceRows)[string];
  const working = (prompt: number | undefined, gapMs: number): Round => ({ sizes: [9_000], prose: 900, prompt, gapMs });
  /** Long enough that something has been saved by then. */
  const before = Array.from({ length: 80 }, () => working(undefined, 0));
  const policy: Policy = {
    ...policies.ledger,
    steps: policies.ledger.steps.map((step) => (step.stage === "idle" ? { ...step, atTokens: 10_000 } : step)),
  };
  const summariesAfter = async (gapMs: number) => {
    const rounds = [...before, working(100, gapMs), working(undefined, 0)];
    const { summaries, costUsd } = await play(sessionOf(rounds), policy, row);
    return { summaries, costUsd };
  };

  test("is paid for once away long enough, back in time or not; and once more at the end", async () => {
    const short = await summariesAfter(idleAfterMs(cacheMs) - 10_000);
    const inTime = await summariesAfter(cacheMs - 10_000);
    const late = await summariesAfter(cacheMs + 60_000);
    expect(inTime.summaries - short.summaries).toBe(1);
    expect(late.summaries - short.summaries).toBe(1);
    expect(inTime.costUsd).toBeGreaterThan(short.costUsd + 0.02);
  });

  test("costs nothing under a policy that prepares nothing", async () => {
    const messages = sessionOf([...before, working(100, cacheMs - 10_000)]);
    expect((await play(messages, policies.none, row)).summaries).toBe(0);
  });

  test("gets no summary that was not saved before", async () => {
    const messages = sessionOf([working(undefined, 0), working(undefined, 0), working(100, cacheMs - 10_000)]);
    const eager = {
      ...policy,
      steps: policy.steps.map((step) => (step.stage === "idle" ? { ...step, atTokens: 0 } : step)),
    };
    expect((await play(messages, eager, row)).summaries).toBe(0);
  });
});
