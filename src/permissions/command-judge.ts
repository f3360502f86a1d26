import type { Verdict } from "../contracts/permission.ts";
import { createRepositoryPrograms } from "../platform/repository-programs.ts";
import { deletedFiles } from "./deleted-files.ts";
import { judgeCall, nameOfProgram } from "./programs/judge-call.ts";
import { outputOf } from "./programs/output-of.ts";
import { shellPrograms } from "./programs/wrapper-table.ts";
import { rememberJudgements } from "./remember-judgements.ts";
import type { CommandScope } from "./shell/command-scope.ts";
import { asks, type Finding } from "./shell/finding.ts";
import { hidesCharacters } from "./shell/hidden-characters.ts";
import type { Call, Judge } from "./shell/judge.ts";
import { loadShellParser, type ShellParser } from "./shell/parser.ts";
import { createLandmarkFinder, createPlaces, type Places } from "./shell/places.ts";
import { type Budget, createReport, type Report, type Segment } from "./shell/report.ts";
import { type ShellState, startIn, subshell } from "./shell/shell-state.ts";
import { isTangled } from "./shell/tangle.ts";
import { walkScript } from "./shell/walk-script.ts";

export type { CommandScope } from "./shell/command-scope.ts";
export type { Segment } from "./shell/report.ts";

export type CommandJudgement = {
  readonly decision: Verdict;
  readonly reason: string;
  readonly segments: readonly Segment[];
  /** Every program that would run with its words, also inside wrappers and scripts; for rules that forbid. */
  calls(): readonly (readonly string[])[];
  /** What patterns of files to delete stand for right now; empty when there is none. */
  deleted(): string;
  /** False when part of it was too much to judge, so that something may be hidden in it. */
  readonly isComplete: boolean;
  /** Nothing in it writes, starts something unknown or reaches out. */
  readonly readOnly: boolean;
  /** It changes files, all of them inside the writable roots and none that other tools execute or trust. */
  readonly writesOnlyInside: boolean;
  /** It leaves another folder or other variables behind for the next command. */
  readonly changesShell: boolean;
};

export interface CommandJudge {
  judge(command: string, scope: CommandScope): Promise<CommandJudgement>;
  /** Only reads and leaves the shell as it was, so that it may run beside others. */
  parallelSafe(command: string): Promise<boolean>;
}

const maximumDepth = 12;
/** Characters that are parsed again because a command hands them on: each `eval` of an `eval` reads what is left of it. */
const maximumNestedText = 20_000;

export function createCommandJudge(): CommandJudge {
  let lastCommand: string | undefined;
  let lastAnswer = Promise.resolve(false);
  const landmarksOf = createLandmarkFinder();
  const programsOf = createRepositoryPrograms();
  const judgeWith = (parser: ShellParser) =>
    rememberJudgements((command, scope) => {
      const places = createPlaces(scope, { landmarksOf, programsOf });
      const judgement = judgeCommand(command, places, { cwd: scope.cwd, parser });
      return { judgement, stillHolds: places.stillHolds };
    });
  let ready: ReturnType<typeof judgeWith> | undefined;
  const judge: CommandJudge["judge"] = async (command, scope) => {
    ready ??= judgeWith(await loadShellParser());
    return ready(command, scope);
  };
  async function onlyReads(command: string): Promise<boolean> {
    const nowhere = { cwd: "/", root: "/", writableRoots: [], home: "/" };
    const { decision, readOnly, changesShell } = await judge(command, nowhere);
    return decision === "allow" && readOnly && !changesShell;
  }

  return {
    judge,
    parallelSafe(command) {
      // asked again and again on the way of one call: when it is announced, when it is its turn, when it starts
      if (command !== lastCommand) {
        lastCommand = command;
        lastAnswer = onlyReads(command);
      }
      return lastAnswer;
    },
  };
}

type JudgeSetting = { readonly cwd: string; readonly parser: ShellParser };

function judgeCommand(command: string, places: Places, { cwd, parser }: JudgeSetting): CommandJudgement {
  const budget: Budget = { steps: 0, nestedText: 0, isComplete: true };
  const report = createReport(budget);
  const calls: Call[] = [];
  let depth = 0;

  const judge: Judge = {
    places,
    judgeCall: (call) =>
      nested(() => {
        if (!call.isGuess) calls.push(call);
        return judgeCall(call, judge);
      }),
    outputOf,
    isShell: (program) => shellPrograms.has(program),
    judgeText: (text, state) =>
      nested(() => {
        const inner = createReport(budget);
        walkText(text, subshell(state), inner);
        return inner.summary();
      }),
  };

  /** Wrapped too often to follow is not understood. */
  function nested(judgeInner: () => Finding): Finding {
    if (depth >= maximumDepth || (depth > 0 && !report.step())) {
      budget.isComplete = false;
      return asks("commands are nested too deeply to be judged");
    }
    depth++;
    try {
      return judgeInner();
    } finally {
      depth--;
    }
  }

  function walkText(text: string, state: ShellState, into: Report): void {
    if (depth > 0) budget.nestedText += text.length;
    if (isTangled(text) || budget.nestedText > maximumNestedText) {
      into.giveUp(`${text.slice(0, 200)}…`, "the command is too long or tangled to be judged");
      return;
    }
    if (hidesCharacters(text)) into.add({ text, finding: asks("it contains characters that hide what it does") });
    try {
      walkScript({ script: parser.parse(text), source: text }, state, { parser, judge, report: into, depth: 0 });
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
      into.giveUp(text, "the command is nested too deeply to be judged");
    }
  }

  walkText(command, startIn(cwd), report);
  return { ...summarise(report, calls), isComplete: budget.isComplete };
}

function summarise(report: Report, calls: readonly Call[]): Omit<CommandJudgement, "isComplete"> {
  const segments = report.segments();
  const { verdict, reason } = report.summary();
  const changes = segments.filter((segment) => segment.effect !== "read");
  return {
    decision: verdict,
    reason: verdict === "allow" ? "it only reads" : reason,
    segments,
    calls: () => calls.map(({ program, args }) => [nameOfProgram(program), ...args.map(({ text }) => text)]),
    deleted: () => deletedFiles(calls),
    readOnly: changes.length === 0,
    writesOnlyInside: changes.length > 0 && segments.every(isAllowedAsEdit),
    changesShell: report.changesShell(),
  };
}

/** May run unasked where edits do. */
export function isAllowedAsEdit(segment: Segment): boolean {
  return segment.decision === "allow" || (segment.decision === "ask" && segment.effect === "write-inside");
}
