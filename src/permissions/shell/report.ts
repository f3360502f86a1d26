import type { Verdict } from "../../contracts/permission.ts";
import { asks, type Effect, type Finding, reads, worse } from "./finding.ts";

/** One part of a command that is decided on its own. */
export type Segment = {
  readonly text: string;
  readonly decision: Verdict;
  readonly reason: string;
  readonly effect: Effect;
  /** Its words, when no expansion takes part; what rules are matched against. */
  readonly words: readonly string[] | undefined;
};

export type Remark = {
  readonly text: string;
  readonly finding: Finding;
  readonly words?: readonly string[] | undefined;
};

/** Collects what the walk through a command finds. The same text twice is one segment, with the worse finding. */
export interface Report {
  add(remark: Remark): void;
  noteShellChange(): void;
  /** How many findings so far mention a secret. */
  secrets(): number;
  /** False once the command turned out too large to judge. */
  step(): boolean;
  segments(): readonly Segment[];
  changesShell(): boolean;
  summary(): Finding;
}

const maximumSteps = 1500;

/** Steps are counted over a command and everything nested in it. */
export type Budget = { steps: number };

export function createReport(budget: Budget): Report {
  const remarks = new Map<string, Remark>();
  let secrets = 0;
  let changesShell = false;

  function add(remark: Remark): void {
    if (remark.finding.secret) secrets++;
    const before = remarks.get(remark.text);
    remarks.set(remark.text, before ? { ...before, finding: worse(before.finding, remark.finding) } : remark);
  }

  return {
    add,
    noteShellChange: () => {
      changesShell = true;
    },
    secrets: () => secrets,
    step: () => {
      if (++budget.steps <= maximumSteps) return true;
      if (budget.steps === maximumSteps + 1)
        add({ text: "…", finding: asks("the command is too long to be judged as a whole") });
      return false;
    },
    segments: () =>
      [...remarks.values()].map(({ text, finding, words }) => ({
        text,
        decision: finding.verdict,
        reason: finding.reason,
        effect: finding.effect,
        words,
      })),
    changesShell: () => changesShell,
    summary: () => [...remarks.values()].map(({ finding }) => finding).reduce(worse, reads("does nothing")),
  };
}
