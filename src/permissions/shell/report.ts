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
  /** Where it may stand in the command; several when the same text comes again. */
  readonly starts: readonly number[];
};

export type Remark = {
  readonly text: string;
  /** Position of the text in what is walked through. */
  readonly from?: number;
  readonly finding: Finding;
  readonly words?: readonly string[] | undefined;
};

/** Collects what the walk through a command finds. The same text twice is one segment, with the worse finding. */
export interface Report {
  add(remark: Remark): void;
  /** Part of the command is not judged at all. */
  giveUp(text: string, reason: string): void;
  noteShellChange(): void;
  /** How many findings so far mention a secret. */
  secrets(): number;
  /** False once the command turned out too large to judge. */
  step(): boolean;
  segments(): readonly Segment[];
  changesShell(): boolean;
  summary(): Finding;
}

const maximumSteps = 600;

/** What a command and everything nested in it share. */
export type Budget = { steps: number; nestedText: number; isComplete: boolean };

export function createReport(budget: Budget): Report {
  const remarks = new Map<string, Repeated>();
  let secrets = 0;
  let changesShell = false;

  function add(remark: Remark): void {
    if (remark.finding.secret) secrets++;
    const before = remarks.get(remark.text);
    remarks.set(remark.text, before ? again(before, remark) : remark);
  }

  function giveUp(text: string, reason: string): void {
    budget.isComplete = false;
    add({ text, finding: asks(reason) });
  }

  return {
    add,
    giveUp,
    noteShellChange: () => {
      changesShell = true;
    },
    secrets: () => secrets,
    step: () => {
      if (++budget.steps <= maximumSteps) return true;
      if (budget.steps === maximumSteps + 1) giveUp("…", "the command is too long to be judged as a whole");
      return false;
    },
    segments: () =>
      [...remarks.values()].map(({ text, finding, words, from, also = [] }) => ({
        text,
        starts: from === undefined ? also : [from, ...also],
        decision: finding.verdict,
        reason: finding.reason,
        effect: finding.effect,
        words,
      })),
    changesShell: () => changesShell,
    summary: () => [...remarks.values()].map(({ finding }) => finding).reduce(worse, reads("does nothing")),
  };
}

type Repeated = Remark & { readonly also?: readonly number[] };

const maximumStarts = 50;

function again(before: Repeated, { finding, from }: Remark): Repeated {
  const { also = [] } = before;
  const isKnown = from === undefined || from === before.from || also.includes(from) || also.length >= maximumStarts;
  return { ...before, finding: worse(before.finding, finding), ...(isKnown ? {} : { also: [...also, from] }) };
}
