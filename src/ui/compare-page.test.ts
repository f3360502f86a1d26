import { describe, expect, it } from "vitest";
import type { Comparison, PolicyReport, PolicyTotal, SeriesPoint } from "../contracts/comparison.ts";
import { comparePage } from "./compare-page.ts";

const point = (tokens: number, costUsd: number, cut?: SeriesPoint["cut"]): SeriesPoint => ({
  ...{ tokens, system: 1_000, user: 0, agent: tokens / 4, results: (3 * tokens) / 4 - 1_000, summary: 0, costUsd },
  ...(cut ? { cut } : {}),
});

function report(policy: string, series: readonly SeriesPoint[], changes: Partial<PolicyReport> = {}): PolicyReport {
  return {
    ...{ policy, calls: series.length, costUsd: series.at(-1)?.costUsd ?? 0, costVsNone: 1, refetchUsd: 0 },
    ...{ cacheReadShare: 0.9, rewrittenTokens: 0, summaries: 0, batches: 0, meanTokens: 1, peakTokens: 1 },
    ...{ callsOverWindow: 0, direct: 1, oneCall: 0, lost: 0, editLinesDirect: undefined, directAfterCut: undefined },
    counts: {
      ...{ uses: 1, direct: 1, oneCall: 0, lost: 0, editLines: 0, editLinesDirect: 0 },
      ...{ afterCut: 0, afterCutDirect: 0, readTokens: 1, writtenTokens: 1 },
    },
    series,
    ...changes,
  };
}

const cut = { stages: ["archive"], before: 9_000, after: 4_000, isSummary: false };
const none = report("none", [point(8_000, 0.1), point(9_000, 0.2), point(12_000, 0.3)]);
const ledger = report("ledger", [
  point(8_000, 0.1),
  point(4_000, 0.15, cut),
  point(5_000, 0.2, { ...cut, isSummary: true }),
]);

function comparison(name = "a session", reports = [ledger, none]): Comparison {
  const session = { name, model: undefined, damagedLines: 0, fixedTokens: 1_000, reports };
  return { prices: "sonnet-5.5", windowTokens: 10_000, sessions: [session] };
}

const count = (page: string, pattern: RegExp) => page.match(pattern)?.length ?? 0;

describe("the comparison page", () => {
  it("needs nothing from elsewhere, and says so to the browser", () => {
    const page = comparePage(comparison());
    expect(page).not.toMatch(/https?:|\/\/[a-z]|\bsrc=|\bhref=|@import|url\(/i);
    expect(page).toContain("default-src 'none'");
  });

  it.each(["</script><script>alert(1)</script>", "<img onerror=alert(1)>", `"' onload="alert(1)`, "<!--", "\u2028"])(
    "shows the hostile text %j as text",
    (hostile) => {
      const evil = { ...cut, stages: [hostile] };
      const page = comparePage(comparison(hostile, [report(hostile, [point(5_000, 1), point(4_000, 2, evil)])]));
      expect(count(page, /<script/g)).toBe(2);
      expect(count(page, /<\/script>/g)).toBe(2);
      expect(page).not.toMatch(/<img|<!--|" onload=|\u2028.*<\/script>/);
      const data = /<script type="application\/json" id="data">(.*)<\/script>/.exec(page)?.[1] ?? "";
      expect(JSON.parse(data).sessions[0][0].cuts["1"]).toContain(hostile);
    },
  );

  it("draws one chart a policy, with five areas, the cost, and a mark for every cut", () => {
    const page = comparePage(comparison());
    expect(count(page, /<figure>/g)).toBe(2);
    for (const layer of ["system", "summary", "user", "agent", "results"])
      expect(count(page, new RegExp(`<path class="${layer}"`, "g"))).toBe(2);
    const [first, second] = page.split("<figure>").slice(1);
    expect(count(first ?? "", /class="cut"/g)).toBe(1);
    expect(count(first ?? "", /class="fold"/g)).toBe(1);
    expect(count(first ?? "", /class="cost none"/g)).toBe(1);
    expect(count(second ?? "", /class="(cut|fold|cost none)"/g)).toBe(0);
    expect(page).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("draws the same height for the same tokens in all charts, and the limit of the window", () => {
    const page = comparePage(comparison());
    const tops = [...page.matchAll(/<path class="results" d="M(\S+ \S+)L/g)].map(([, start]) => start);
    expect(tops).toHaveLength(2);
    expect(new Set(tops).size).toBe(1);
    expect(count(page, /class="limit"/g)).toBe(2);
  });

  it("copes with a session of one call, of none, and of thousands", () => {
    const long = Array.from({ length: 5_000 }, (_, n) =>
      point(5_000 + n, n / 100, n % 1_000 === 999 ? cut : undefined),
    );
    for (const series of [[point(5_000, 0.1)], [], long]) {
      const page = comparePage(comparison("x", [report("none", series)]));
      expect(page).not.toMatch(/NaN|Infinity|undefined/);
      expect(count(page, /class="cut"/g)).toBe(1 + series.filter((each) => each.cut).length);
    }
    const page = comparePage(comparison("x", [report("none", long)]));
    const area = /<path class="results" d="([^"]*)"/.exec(page)?.[1] ?? "";
    expect(area.split("L").length).toBeLessThan(3_000);
  });

  it("has a table of totals and a section a session when there are several", () => {
    const [session] = comparison().sessions;
    const total: PolicyTotal = { ...ledger, sessions: 2, medianCostVsNone: 0.123 };
    const page = comparePage({ ...comparison(), sessions: [session!, session!], totals: [total] });
    expect(count(page, /<table>/g)).toBe(3);
    expect(count(page, /<details/g)).toBe(2);
    expect(page).toContain("0.123");
  });
});
