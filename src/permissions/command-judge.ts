import type { Verdict } from "../contracts/permission.ts";
import { judgeCall } from "./programs/judge-call.ts";
import type { CommandScope } from "./shell/command-scope.ts";
import { asks, type Finding } from "./shell/finding.ts";
import type { Judge } from "./shell/judge.ts";
import { loadShellParser, type ShellParser } from "./shell/parser.ts";
import { createPlaces } from "./shell/places.ts";
import { type Budget, createReport, type Report, type Segment } from "./shell/report.ts";
import { type ShellState, startIn, subshell } from "./shell/shell-state.ts";
import { walkScript } from "./shell/walk-script.ts";

export type { CommandScope } from "./shell/command-scope.ts";
export type { Segment } from "./shell/report.ts";

export type CommandJudgement = {
  readonly decision: Verdict;
  readonly reason: string;
  readonly segments: readonly Segment[];
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

const maximumLength = 50_000;
const maximumDepth = 12;

/** Control characters, line separators, blanks that only look like one, and what has no width or turns the text around. */
const misleading =
  /[\u0000-\u0008\u000b-\u001f\u007f-\u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\u3164\ufeff\uffa0\ufff9-\ufffb]|\udb40[\udc00-\udc7f]|[\ud800-\udbff](?![\udc00-\udfff])/;

export function createCommandJudge(): CommandJudge {
  return {
    judge: async (command, scope) => judgeParsed(await loadShellParser(), command, scope),
    parallelSafe: async (command) => {
      const scope = { cwd: "/", root: "/", writableRoots: [], home: "/" };
      const judgement = judgeParsed(await loadShellParser(), command, scope);
      return judgement.decision === "allow" && judgement.readOnly && !judgement.changesShell;
    },
  };
}

/** The same for a caller that has loaded the parser. */
export function judgeParsed(parser: ShellParser, command: string, scope: CommandScope): CommandJudgement {
  const budget: Budget = { steps: 0 };
  const report = createReport(budget);
  let depth = 0;

  const judge: Judge = {
    places: createPlaces(scope),
    judgeCall: (call) => nested(() => judgeCall(call, judge)),
    judgeText: (text, state) =>
      nested(() => {
        const inner = createReport(budget);
        walkText(text, subshell(state), inner);
        return inner.summary();
      }),
  };

  /** Wrapped too often to follow is not understood. */
  function nested(judgeInner: () => Finding): Finding {
    if (depth >= maximumDepth || !report.step()) return asks("commands are nested too deeply to be judged");
    depth++;
    try {
      return judgeInner();
    } finally {
      depth--;
    }
  }

  function walkText(text: string, state: ShellState, into: Report): void {
    if (text.length > maximumLength) {
      into.add({ text: text.slice(0, 200), finding: asks(`the command is longer than ${maximumLength} characters`) });
      return;
    }
    if (misleading.test(text)) into.add({ text, finding: asks("contains characters that hide what it does") });
    walkScript(parser.parse(text), text, state, { parser, judge, report: into });
  }

  walkText(command, startIn(scope.cwd), report);
  return summarise(report);
}

function summarise(report: Report): CommandJudgement {
  const segments = report.segments();
  const { verdict, reason } = report.summary();
  const changes = segments.filter((segment) => segment.effect !== "read");
  return {
    decision: verdict,
    reason: verdict === "allow" ? "only reads" : reason,
    segments,
    readOnly: changes.length === 0,
    writesOnlyInside: changes.length > 0 && segments.every(isAllowedAsEdit),
    changesShell: report.changesShell(),
  };
}

/** May run unasked where edits do. */
export function isAllowedAsEdit(segment: Segment): boolean {
  return segment.decision === "allow" || (segment.decision === "ask" && segment.effect === "write-inside");
}
