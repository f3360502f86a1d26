import { describe, expect, it } from "vitest";
import type { PolicyReport } from "../contracts/comparison.ts";
import type { Message } from "../contracts/message.ts";
import { compareSession, totalsOf } from "./compare.ts";
import { policies } from "./policies.ts";
import { priceRows } from "./price-rows.ts";
import type { TimedMessage } from "./replay.ts";

const prices = priceRows["sonnet-5.5"]!;

/** Rounds of reading a large file and then editing a line of it. */
function session(rounds: number, gapMs = 10_000): TimedMessage[] {
  const messages: Message[] = [{ id: "u", role: "user", parts: [{ type: "text", text: "mend all the files" }] }];
  for (let n = 0; n < rounds; n++) {
    const path = `src/part${n}/file_${n}.ts`;
    const line = `export const value_${n} = ${n * 7919};`;
    const call = (id: string, tool: string, input: Record<string, unknown>): Message => ({
      id: `a${id}`,
      role: "assistant",
      parts: [{ type: "tool-call", callId: id, tool, input, rawInput: JSON.stringify(input) }],
    });
    const result = (id: string, tool: string, text: string): Message => ({
      id: `t${id}`,
      role: "tool",
      parts: [{ type: "tool-result", callId: id, tool, text, isError: false, handle: `#${id}` }],
    });
    const filler = Array.from({ length: 120 }, (_, i) => `  line ${i} of file ${n}, plain words`).join("\n");
    messages.push(
      call(`r${n}`, "read_file", { file_path: path }),
      result(`r${n}`, "read_file", `${line}\n${filler}`),
      call(`e${n}`, "edit_file", { file_path: path, old_string: line, new_string: "export const value = 0;" }),
      result(`e${n}`, "edit_file", "done"),
    );
  }
  messages.push({ id: "end", role: "assistant", parts: [{ type: "text", text: "done" }] });
  return messages.map((message, index) => ({ message, time: index * gapMs }));
}

const compare = (messages: readonly TimedMessage[], windowTokens = 200_000) =>
  compareSession({ messages, prices, windowTokens, fixedTokens: 6_000 });
const byName = (reports: readonly PolicyReport[], name: string) => reports.find(({ policy }) => policy === name)!;

describe("comparing policies on a session", () => {
  it("plays every policy that is shipped, and one point a call", async () => {
    const reports = await compare(session(20));
    expect(reports.map(({ policy }) => policy)).toEqual(expect.arrayContaining(Object.keys(policies)));
    for (const { calls, series } of reports) {
      expect(calls).toBe(41);
      expect(series).toHaveLength(41);
    }
  });

  it("measures against keeping everything, which keeps everything", async () => {
    const none = byName(await compare(session(20)), "none");
    expect(none).toMatchObject({
      costVsNone: 1,
      direct: 1,
      lost: 0,
      editLinesDirect: 1,
      batches: 0,
      rewrittenTokens: 0,
    });
    expect(none.counts.editLines).toBe(20);
    expect(none.directAfterCut).toBeUndefined();
    expect(none.peakTokens).toBe(none.series.at(-1)?.tokens);
  });

  it("draws windows whose parts add up, costs that only rise, and marks every cut", async () => {
    for (const { policy, series, batches, costUsd } of await compare(session(60))) {
      let spent = 0;
      for (const point of series) {
        const sum = point.system + point.user + point.agent + point.results + point.summary;
        expect(sum).toBeCloseTo(point.tokens, 3);
        expect(point.costUsd).toBeGreaterThan(spent);
        spent = point.costUsd;
      }
      expect(spent).toBeCloseTo(costUsd, 9);
      const cuts = series.flatMap(({ cut }) => cut ?? []);
      expect(cuts).toHaveLength(batches);
      for (const { cut, summary } of series) if (cut?.isSummary) expect(summary).toBeGreaterThan(0);
      if (policy === "micro-auto") expect(cuts.some(({ isSummary }) => isSummary)).toBe(true);
      if (policy === "four-layer") expect(cuts.every(({ isSummary }) => !isSummary)).toBe(true);
    }
  });

  it("finds the default cheaper than keeping everything on a long session, inside a window that would overflow", async () => {
    const reports = await compare(session(120), 64_000);
    const { costVsNone, callsOverWindow, directAfterCut } = byName(reports, "ledger");
    expect(byName(reports, "none").callsOverWindow).toBeGreaterThan(0);
    expect(callsOverWindow).toBe(0);
    expect(costVsNone).toBeLessThan(0.9);
    expect(directAfterCut).toBeGreaterThan(0.9);
  });

  it("counts text paid again after a silence longer than the cache lives as rewritten", async () => {
    const slow = byName(await compare(session(10, 600_000)), "none");
    const quick = byName(await compare(session(10)), "none");
    expect(quick.rewrittenTokens).toBe(0);
    expect(slow.rewrittenTokens).toBeGreaterThan(20 * 6_000);
    expect(slow.cacheReadShare).toBe(0);
  });

  it("copes with a session of one answer", async () => {
    const messages = session(0);
    for (const report of await compare(messages))
      expect(report).toMatchObject({ calls: 1, costVsNone: 1, direct: undefined, lost: undefined });
  });

  it("plays a policy of one's own", async () => {
    const own = { name: "own", recall: false, steps: [] };
    const reports = await compareSession({
      ...{ messages: session(3), prices, windowTokens: 100_000, fixedTokens: 0 },
      policies: [own],
    });
    expect(reports.map(({ policy, costVsNone }) => [policy, costVsNone])).toEqual([["own", 1]]);
  });
});

describe("totals of several sessions", () => {
  it("add costs and counts up, and take the middle one of the ratios", async () => {
    const sessions = await Promise.all([session(5), session(40), session(90)].map((each) => compare(each)));
    const total = totalsOf(sessions).find(({ policy }) => policy === "ledger")!;
    const of = sessions.map((reports) => byName(reports, "ledger"));
    const none = sessions.map((reports) => byName(reports, "none").costUsd).reduce((a, b) => a + b);
    expect(total.sessions).toBe(3);
    expect(total.calls).toBe(11 + 81 + 181);
    expect(total.costUsd).toBeCloseTo(
      of.reduce((sum, { costUsd }) => sum + costUsd, 0),
      9,
    );
    expect(total.costVsNone).toBeCloseTo(total.costUsd / none, 9);
    expect(total.medianCostVsNone).toBe(of.map(({ costVsNone }) => costVsNone).toSorted((a, b) => a - b)[1]);
    expect(total.peakTokens).toBe(Math.max(...of.map(({ peakTokens }) => peakTokens)));
  });
});
