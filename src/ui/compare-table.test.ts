import { describe, expect, it } from "vitest";
import type { Comparison, PolicyReport } from "../contracts/comparison.ts";
import { compareTable } from "./compare-table.ts";

function report(policy: string, changes: Partial<PolicyReport>): PolicyReport {
  return {
    ...{
      policy,
      calls: 12,
      costUsd: 1.5,
      costVsNone: 0.5,
      refetchUsd: 0,
      cacheReadShare: 0.95,
      rewrittenTokens: 2_500_000,
    },
    ...{ summaries: 3, batches: 4, meanTokens: 41_000, peakTokens: 82_123, callsOverWindow: 0 },
    ...{ direct: 0.985, oneCall: 0.015, lost: 0, editLinesDirect: undefined, directAfterCut: 0.97, series: [] },
    counts: {
      ...{ uses: 0, direct: 0, oneCall: 0, lost: 0, editLines: 0, editLinesDirect: 0 },
      ...{ afterCut: 0, afterCutDirect: 0, readTokens: 0, writtenTokens: 0 },
    },
    ...changes,
  };
}

const reports = [report("ledger", {}), report("a-long-policy", { costUsd: 123.456, costVsNone: 41.152 })];
const session = { name: "one", model: undefined, damagedLines: 0, fixedTokens: 1, reports };
const comparison: Comparison = { prices: "sonnet-5.5", windowTokens: 200_000, sessions: [session] };

describe("the comparison in a terminal", () => {
  it("aligns names to the left and numbers to the right", () => {
    const lines = compareTable(comparison).split("\n").slice(1, 4);
    expect(new Set(lines.map((line) => line.length)).size).toBe(1);
    const end = lines[0]!.indexOf("cost") + "cost".length;
    expect(lines.map((line) => line.slice(0, end).trimEnd().length)).toEqual([end, end, end]);
    expect(lines[1]).toMatch(
      /^ {2}ledger +\$1\.50 +0\.500 +95\.0 % +2\.50M +3 +4 +41k +82k +– +98\.5 % +1\.5 % +0\.0 % +– +97\.0 %$/,
    );
  });

  it("has the median for totals alone", () => {
    const totals = reports.map((each) => ({ ...each, sessions: 2, medianCostVsNone: 0.777 }));
    const text = compareTable({ ...comparison, sessions: [session, session], totals });
    expect(text.match(/median/g)).toHaveLength(1);
    expect(text).toContain("All 2 sessions");
    expect(text).toContain("0.777");
  });

  it("says how many lines were damaged, and shows control characters of names as text", () => {
    const text = compareTable({ ...comparison, sessions: [{ ...session, name: "a\u001b[31m", damagedLines: 2 }] });
    expect(text).toContain("a<U+001B>[31m: 12 model calls, 2 damaged lines skipped");
  });
});
