import type { Assignment, Command } from "unbash";
import { changesShell, flowAfter } from "./change-folder.ts";
import { expandWord } from "./expand-word.ts";
import { asks, atLeastAsk, denies, type Finding, reads, worse } from "./finding.ts";
import { type Call, type Stream, toCall } from "./judge.ts";
import { assignAll, assignedValue, isAssignment, judgeSettings, judgeVariables } from "./judge-assignments.ts";
import { judgeRedirects } from "./judge-redirects.ts";
import type { Places } from "./places.ts";
import { type ShellState, steady } from "./shell-state.ts";
import { isStatic, literal, unknownValue, type Value } from "./value.ts";
import { noOutput, type Position, type Walk, type Walked } from "./walk.ts";

const noExpansions = reads("nothing is expanded");
const noAssignments: readonly Assignment[] = [];
const maximumWords = 500;

/** A program with its words, assignments and redirections; or only some of these. */
export function judgeSimpleCommand(node: Command, at: Position, walk: Walk): Walked {
  const { state } = at;
  const { judge, report } = walk;
  const secretsBefore = report.secrets();
  const assignments = node.prefix.length === 0 ? noAssignments : node.prefix.filter(isAssignment);
  let finding = noExpansions;
  for (const item of assignments) finding = worse(finding, walk.inspect(item, state));
  if (node.name) finding = worse(finding, walk.inspect(node.name, state));
  for (const item of node.args) finding = worse(finding, walk.inspect(item, state));
  const input = judgeRedirects(node.redirects, at, walk);
  if (node.name === undefined) return walkAssignments(node, { assignments, expansions: finding, state }, walk);

  const settings = assignments.map((item) => ({ name: item.name, value: assignedValue(item, state, judge.places) }));
  const allWords = wordsOf(node, state, judge.places);
  const words = allWords.length > maximumWords ? allWords.slice(0, maximumWords) : allWords;
  const stdin: Stream = report.secrets() > secretsBefore ? { ...input.stdin, secret: true } : input.stdin;
  const call = toCall(words, { state, stdin, isGuess: false });
  finding = worse(judgeSettings(settings, words[0]?.text ?? ""), finding);
  finding = worse(call ? judge.judgeCall(call) : asks("which program runs is known only when it runs"), finding);
  if (words.length < allWords.length) finding = worse(finding, asks("it has too many words to judge them all"));
  if (words[0]?.expanded) finding = atLeastAsk(finding, "an expansion decides which program runs");
  if (call && input.usesNetwork) finding = judgeOnNetwork(finding, call, walk);
  report.add({ text: walk.textOf(node), from: node.pos, finding, words: plainWords(settings, allWords) });
  if (call === undefined) return { flow: steady(state), output: noOutput };
  if (changesShell(call) && !state.isSubshell) report.noteShellChange();
  const afterwards = assignAll(node.args.filter(isAssignment), state, judge.places);
  const flow = flowAfter(afterwards === state ? call : { ...call, state: afterwards }, judge.places);
  return { flow, output: () => judge.outputOf(call, finding) };
}

/** A redirection to a network connection turns reading into sending. */
function judgeOnNetwork(finding: Finding, call: Call, walk: Walk): Finding {
  if (finding.secret || call.stdin.secret) return denies("it sends the content of a likely secret");
  return walk.judge.isShell(call.program) ? denies("it hands a shell to the network") : finding;
}

type Variables = {
  readonly assignments: readonly Assignment[];
  readonly expansions: Finding;
  readonly state: ShellState;
};

function walkAssignments(node: Command, { assignments, expansions, state }: Variables, walk: Walk): Walked {
  if (assignments.length === 0) return { flow: steady(state), output: noOutput };
  const finding = worse(expansions, judgeVariables(assignments));
  walk.report.add({ text: walk.textOf(node), from: node.pos, finding });
  if (!state.isSubshell) walk.report.noteShellChange();
  return { flow: steady(assignAll(assignments, state, walk.judge.places)), output: noOutput };
}

function wordsOf(node: Command, state: ShellState, places: Places): readonly Value[] {
  const words: Value[] = node.name ? [...expandWord(node.name, state, places)] : [];
  for (const item of node.args) {
    if (item.type === "Word") words.push(...expandWord(item, state, places));
    else if (isStatic(assignedValue(item, state, places))) words.push(literal(item.text));
    else words.push({ ...unknownValue, text: `${item.name}=`, unknownAt: item.name.length + 1 });
  }
  return words;
}

type Setting = { readonly name: string; readonly value: Value };

/** What rules are matched against: every word, when none depends on an expansion. */
function plainWords(settings: readonly Setting[], words: readonly Value[]): readonly string[] | undefined {
  const isPlain = (value: Value) => isStatic(value) && !value.expanded;
  if (!words.every(isPlain) || !settings.every(({ value }) => isPlain(value))) return undefined;
  const texts = words.map(({ text }) => text);
  return settings.length === 0 ? texts : [...settings.map(({ name, value }) => `${name}=${value.text}`), ...texts];
}
