import type { Assignment, Command, Redirection, SyntaxNode } from "unbash";
import { outputOf } from "../programs/output-of.ts";
import { shellPrograms } from "../programs/wrapper-table.ts";
import { changesShell, flowAfter } from "./change-folder.ts";
import { expandQuoted, expandWord } from "./expand-word.ts";
import { asks, atLeastAsk, denies, type Finding, reads, worse } from "./finding.ts";
import { type Judge, type Stream, toCall } from "./judge.ts";
import { judgeRedirect } from "./judge-redirects.ts";
import type { Report } from "./report.ts";
import { assign, type Flow, type ShellState, steady } from "./shell-state.ts";
import { isStatic, literal, unknownValue, type Value } from "./value.ts";
import { isHarmlessToSet, isOwnVariable } from "./variables.ts";

/** What judging a simple command needs from the walk around it. */
export type Surroundings = {
  readonly judge: Judge;
  readonly report: Report;
  /** Judges the substitutions in a node and says what its expansions could do. */
  inspect(node: SyntaxNode, state: ShellState): Finding;
  /** The text of a node, as written. */
  textOf(node: { readonly pos: number; readonly end: number }): string;
};

export type CommandResult = { readonly flow: Flow; readonly output: Stream };

export function judgeSimpleCommand(
  node: Command,
  state: ShellState,
  stdin: Stream,
  around: Surroundings,
): CommandResult {
  const secretsBefore = around.report.secrets();
  const assignments = node.prefix.filter((item) => item.type === "Assignment");
  const expansions = [...assignments, ...(node.name ? [node.name] : []), ...node.args]
    .map((item) => around.inspect(item, state))
    .reduce(worse, reads("no expansions"));
  const input = judgeRedirects(node.redirects, state, stdin, around);
  const fromSecret = around.report.secrets() > secretsBefore || input.stdin.secret;
  if (node.name === undefined) return judgeAssignments(node, assignments, state, expansions, around);

  const words = wordsOf(node, state, around.judge);
  const call = toCall(words, { state, stdin: fromSecret ? { ...input.stdin, secret: true } : input.stdin });
  let finding = worse(expansions, judgeSettings(assignments, words[0]?.text, state, around.judge));
  if (call === undefined) finding = worse(finding, asks("which program runs is known only when it runs"));
  else finding = worse(finding, around.judge.judgeCall(call));
  if (words[0]?.expanded) finding = atLeastAsk(finding, "an expansion decides which program runs");
  if (input.network && (finding.secret || call?.stdin.secret))
    finding = denies("it sends the content of a likely secret");
  if (input.network && call && shellPrograms.has(call.program)) finding = denies("it hands a shell to the network");
  around.report.add({ text: around.textOf(node), finding, words: ruleWords(assignments, words, state, around.judge) });
  if (call === undefined) return { flow: steady(state), output: {} };
  if (changesShell(call.program) && !state.isSubshell) around.report.noteShellChange();
  const afterwards = { ...call, state: assignAll(node.args.filter(isAssignment), state, around.judge) };
  return { flow: flowAfter(afterwards, around.judge.places), output: outputOf(call, finding) };
}

type Input = { readonly stdin: Stream; readonly network: boolean };

/** Each redirection that does something is a segment of its own. */
export function judgeRedirects(
  redirects: readonly Redirection[],
  state: ShellState,
  stdin: Stream,
  around: Surroundings,
): Input {
  let input: Input = { stdin, network: false };
  for (const redirect of redirects) {
    const expansions = around.inspect(redirect, state);
    const judged = judgeRedirect(redirect, state, around.judge.places);
    const finding = worse(expansions, judged.finding);
    input = { stdin: judged.stdin ?? input.stdin, network: input.network || judged.network === true };
    if (finding.verdict === "allow") continue;
    around.report.add({ text: around.textOf(redirect), finding, words: judged.words });
  }
  return input;
}

function wordsOf(node: Command, state: ShellState, judge: Judge): readonly Value[] {
  const words: Value[] = [];
  if (node.name) words.push(...expandWord(node.name, state, judge.places));
  for (const arg of node.args) {
    if (arg.type === "Word") words.push(...expandWord(arg, state, judge.places));
    else
      words.push(
        isStatic(assignedValue(arg, state, judge))
          ? literal(arg.text)
          : { ...unknownValue, text: `${arg.name}=`, unknownAt: arg.name.length + 1 },
      );
  }
  return words;
}

function isAssignment(item: { readonly type: string }): item is Assignment {
  return item.type === "Assignment";
}

function assignedValue(assignment: Assignment, state: ShellState, judge: Judge): Value {
  if (assignment.value.type === "ArrayValue" || assignment.append || assignment.index) return unknownValue;
  return expandQuoted(assignment.value, state, judge.places);
}

function assignAll(assignments: readonly Assignment[], state: ShellState, judge: Judge): ShellState {
  return assignments.reduce((before, item) => assign(before, item.name, assignedValue(item, before, judge)), state);
}

/** `NAME=VALUE` before a program: only for that program, but it may decide what that program runs. */
function judgeSettings(
  assignments: readonly Assignment[],
  program: string | undefined,
  state: ShellState,
  judge: Judge,
): Finding {
  const risky = assignments.find((item) => {
    const isSeparator = item.name === "IFS" && program === "read";
    return !isSeparator && !isHarmlessToSet(item.name, assignedValue(item, state, judge));
  });
  return risky
    ? asks(`it sets ${risky.name}, which may change what ${program ?? "it"} runs`)
    : reads("sets nothing that matters");
}

/** No program: the variables are set for the rest of the command. */
function judgeAssignments(
  node: Command,
  assignments: readonly Assignment[],
  state: ShellState,
  expansions: Finding,
  around: Surroundings,
): CommandResult {
  if (assignments.length === 0) return { flow: steady(state), output: {} };
  const risky = assignments.find((item) => !isOwnVariable(item.name) || (item.index && !/^\d+$/.test(item.index.text)));
  const finding = worse(
    expansions,
    risky ? asks(`it sets ${risky.name}, which other programs may see`) : reads("sets variables"),
  );
  around.report.add({ text: around.textOf(node), finding });
  if (!state.isSubshell) around.report.noteShellChange();
  return { flow: steady(assignAll(assignments, state, around.judge)), output: {} };
}

function ruleWords(
  assignments: readonly Assignment[],
  words: readonly Value[],
  state: ShellState,
  judge: Judge,
): readonly string[] | undefined {
  const isPlain = (value: Value) => isStatic(value) && !value.expanded;
  if (!words.every(isPlain) || !assignments.every((item) => isPlain(assignedValue(item, state, judge))))
    return undefined;
  return [
    ...assignments.map((item) => `${item.name}=${assignedValue(item, state, judge).text}`),
    ...words.map(({ text }) => text),
  ];
}
