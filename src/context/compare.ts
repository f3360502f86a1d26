import type { PolicyReport, PolicyTotal, UseCounts } from "../contracts/comparison.ts";
import type { PriceRow } from "../contracts/context.ts";
import { type Policy, policies } from "./policies.ts";
import { referencePolicies } from "./reference-policies.ts";
import { type ReplayResult, replay, type TimedMessage } from "./replay.ts";
import { usesOf } from "./replay-uses.ts";

export type CompareOptions = {
  readonly messages: readonly TimedMessage[];
  readonly prices: PriceRow;
  readonly windowTokens: number;
  readonly fixedTokens: number;
  /** Left out: all that are shipped, and those of other agents. Keeping everything is always played too, as what the others are measured against. */
  readonly policies?: readonly Policy[];
  readonly onPolicy?: (name: string) => void;
};

const comparedPolicies: readonly Policy[] = [...Object.values(policies), ...referencePolicies];

/** Plays one session under every policy. */
export async function compareSession(options: CompareOptions): Promise<readonly PolicyReport[]> {
  const { messages, prices, windowTokens, fixedTokens, onPolicy } = options;
  const uses = usesOf(messages.map(({ message }) => message));
  const play = (policy: Policy) => replay({ messages, policy, prices, windowTokens, fixedTokens, uses });
  const none = await play(policies.none);
  const reports: PolicyReport[] = [];
  for (const policy of options.policies ?? comparedPolicies) {
    onPolicy?.(policy.name);
    reports.push(reportOf(policy.name, policy.name === "none" ? none : await play(policy), none.costUsd));
  }
  return reports;
}

function reportOf(policy: string, result: ReplayResult, costOfNone: number): PolicyReport {
  const { readTokens, writtenTokens, uses, direct, oneCall, lost, editLines, editLinesDirect, afterCut } = result;
  return {
    policy,
    calls: result.calls,
    costUsd: result.costUsd,
    costVsNone: costOfNone > 0 ? result.costUsd / costOfNone : 1,
    refetchUsd: result.refetchUsd,
    cacheReadShare: share(readTokens, readTokens + writtenTokens) ?? 0,
    rewrittenTokens: result.rewrittenTokens,
    summaries: result.summaries,
    batches: result.batches,
    meanTokens: result.meanTokens,
    peakTokens: result.peakTokens,
    callsOverWindow: result.callsOverWindow,
    direct: share(direct, uses),
    oneCall: share(oneCall, uses),
    lost: share(lost, uses),
    editLinesDirect: share(editLinesDirect, editLines),
    directAfterCut: share(afterCut.direct, afterCut.uses),
    counts: {
      uses,
      direct,
      oneCall,
      lost,
      editLines,
      editLinesDirect,
      afterCut: afterCut.uses,
      afterCutDirect: afterCut.direct,
      readTokens,
      writtenTokens,
    },
    series: result.series,
  };
}

/** Several sessions added up, policy by policy. */
export function totalsOf(sessions: readonly (readonly PolicyReport[])[]): readonly PolicyTotal[] {
  const names = [...new Set(sessions.flatMap((reports) => reports.map(({ policy }) => policy)))];
  return names.map((policy) => {
    const of = sessions.flatMap((reports) => reports.filter((report) => report.policy === policy));
    const sum = (pick: (report: PolicyReport) => number) => of.reduce((total, report) => total + pick(report), 0);
    const calls = sum((report) => report.calls);
    const costUsd = sum((report) => report.costUsd);
    const none = sum((report) => report.costUsd / report.costVsNone);
    const count = (name: keyof UseCounts) => sum(({ counts }) => counts[name]);
    return {
      policy,
      sessions: of.length,
      calls,
      costUsd,
      costVsNone: none > 0 ? costUsd / none : 1,
      medianCostVsNone: median(of.map((report) => report.costVsNone)),
      refetchUsd: sum((report) => report.refetchUsd),
      cacheReadShare: share(count("readTokens"), count("readTokens") + count("writtenTokens")) ?? 0,
      rewrittenTokens: sum((report) => report.rewrittenTokens),
      summaries: sum((report) => report.summaries),
      batches: sum((report) => report.batches),
      meanTokens: sum((report) => report.meanTokens * report.calls) / Math.max(calls, 1),
      peakTokens: Math.max(0, ...of.map((report) => report.peakTokens)),
      callsOverWindow: sum((report) => report.callsOverWindow),
      direct: share(count("direct"), count("uses")),
      oneCall: share(count("oneCall"), count("uses")),
      lost: share(count("lost"), count("uses")),
      editLinesDirect: share(count("editLinesDirect"), count("editLines")),
      directAfterCut: share(count("afterCutDirect"), count("afterCut")),
    };
  });
}

function share(part: number, whole: number): number | undefined {
  return whole > 0 ? part / whole : undefined;
}

function median(numbers: readonly number[]): number {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? 1;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? upper) + upper) / 2;
}
