import type { AndOr, CommandNode, CompoundList, Pipeline, PipelineNode, Script, Statement, SyntaxNode } from "unbash";
import { expandWord } from "./expand-word.ts";
import { asks, denies, type Finding, reads } from "./finding.ts";
import { createForkBombDetector } from "./fork-bomb.ts";
import { inspectExpansions } from "./inspect-expansions.ts";
import type { Judge, Stream } from "./judge.ts";
import { judgeArithmetic } from "./judge-arithmetic.ts";
import { judgeRedirects, judgeSimpleCommand, type Surroundings } from "./judge-simple-command.ts";
import { judgeTestExpression } from "./judge-test-expression.ts";
import type { ShellParser } from "./parser.ts";
import type { Report } from "./report.ts";
import { after, assign, type Flow, inFolders, merge, type ShellState, steady, subshell } from "./shell-state.ts";
import { unknownValue } from "./value.ts";
import { isOwnVariable } from "./variables.ts";

export type WalkSetting = { readonly parser: ShellParser; readonly judge: Judge; readonly report: Report };

type Walked = { readonly flow: Flow; readonly output: Stream };
type NodeOf<Type extends CommandNode["type"]> = Extract<CommandNode, { type: Type }>;

const maximumUnrolled = 16;
const maximumPasses = 3;
const noExpansions = reads("no expansions");

/** Walks the whole tree of a script in the order of execution and reports on every command in it. */
export function walkScript(
  script: Script & { readonly errors?: readonly { readonly message: string }[] | undefined },
  source: string,
  state: ShellState,
  setting: WalkSetting,
): Flow {
  const { parser, judge, report } = setting;
  const isForkBomb = createForkBombDetector(parser);
  const textOf = ({ pos, end }: { readonly pos: number; readonly end: number }) => source.slice(pos, end);
  const around: Surroundings = { judge, report, inspect, textOf };

  for (const error of script.errors ?? []) {
    report.add({ text: source, finding: asks(`bash may read this differently: ${error.message}`) });
  }
  return walkList(script.commands, state, {});

  function inspect(node: SyntaxNode, at: ShellState): Finding {
    if (node.type === "Word" && node.parts === undefined) return noExpansions;
    const onScript = (inner: Script) => walkScript(inner, inner.source ?? source, subshell(at), setting);
    return inspectExpansions(node, { parser, state: at, onScript });
  }

  function walkList(statements: readonly Statement[], start: ShellState, stdin: Stream): Flow {
    let flow = steady(start);
    for (const statement of statements) {
      if (!report.step()) break;
      flow = walkStatement(statement, after(flow), stdin);
    }
    return flow;
  }

  function walkStatement(node: Statement, start: ShellState, stdin: Stream): Flow {
    if (!node.background) return walkAndOr(node.command, start, stdin).flow;
    report.add({ text: textOf(node), finding: asks("it leaves something running in the background") });
    walkAndOr(node.command, subshell(start), stdin);
    return steady(start);
  }

  function walkAndOr(node: PipelineNode | AndOr, start: ShellState, stdin: Stream): Walked {
    if (node.type !== "AndOr") return walkPipeline(node, start, stdin);
    let flow = steady(start);
    for (const [index, command] of node.commands.entries()) {
      if (!report.step()) break;
      const operator = node.operators[index - 1];
      const { ok, fail } = walkPipeline(command, operator === "||" ? flow.fail : flow.ok, stdin).flow;
      if (operator === undefined) flow = { ok, fail };
      else flow = operator === "&&" ? { ok, fail: merge(flow.fail, fail) } : { ok: merge(flow.ok, ok), fail };
    }
    return { flow, output: {} };
  }

  function walkPipeline(node: PipelineNode, start: ShellState, stdin: Stream): Walked {
    if (node.type !== "Pipeline") return walkCommand(node, start, stdin);
    return node.commands.length === 1 ? walkPrefixed(node, start, stdin) : walkStages(node, start, stdin);
  }

  /** `! command` or `time command`. */
  function walkPrefixed(node: Pipeline, start: ShellState, stdin: Stream): Walked {
    const [command] = node.commands;
    if (command === undefined) return { flow: steady(start), output: {} };
    const { flow, output } = walkCommand(command, start, stdin);
    const isNegated = node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
    return { flow: isNegated ? { ok: flow.fail, fail: flow.ok } : flow, output };
  }

  function walkStages(node: Pipeline, start: ShellState, stdin: Stream): Walked {
    let stream = stdin;
    for (const command of node.commands) {
      if (!report.step()) break;
      const secretsBefore = report.secrets();
      const { output } = walkCommand(command, subshell(start), stream);
      stream = report.secrets() > secretsBefore || stream.secret ? { ...output, secret: true } : output;
    }
    return { flow: steady(start), output: stream };
  }

  function walkCommand(node: CommandNode, start: ShellState, stdin: Stream): Walked {
    switch (node.type) {
      case "Command":
        return judgeSimpleCommand(node, start, stdin, around);
      case "Redirected":
        return walkCommand(node.command, start, judgeRedirects(node.redirects, start, stdin, around).stdin);
      default:
        return { flow: walkCompound(node, start, stdin), output: {} };
    }
  }

  function walkCompound(
    node: Exclude<CommandNode, NodeOf<"Command" | "Redirected">>,
    start: ShellState,
    stdin: Stream,
  ): Flow {
    const list = ({ commands }: CompoundList, from: ShellState) => walkList(commands, from, stdin);
    switch (node.type) {
      case "BraceGroup":
        return list(node.body, start);
      case "Subshell":
        list(node.body, subshell(start));
        return steady(start);
      case "If":
        return steady(walkBranches([node, ...node.elif], node.else, start, list));
      case "While":
        return steady(
          settle(start, (from) => {
            const clause = list(node.clause, from);
            return merge(clause.fail, after(list(node.body, clause.ok)));
          }),
        );
      case "For":
        return steady(walkFor(node, start, list));
      case "Case":
        return steady(walkCase(node, start, list));
      case "ArithmeticFor":
        return steady(walkArithmeticFor(node, start, list));
      case "ArithmeticCommand":
        return steady(walkArithmetic(node, node.expression ? [node.expression] : [], start));
      case "TestCommand":
        report.add({ text: textOf(node), finding: judgeTestExpression(node.expression, start, around) });
        return steady(start);
      case "Select":
        report.add({ text: textOf(node), finding: asks("it waits for a choice at the terminal") });
        list(node.body, assign(start, node.name.value, unknownValue));
        return steady(inFolders(start, undefined));
      case "Function":
        return walkFunction(node, start, list);
      case "Coproc":
        report.add({ text: textOf(node), finding: asks("it leaves something running in the background") });
        if (node.body.type === "CompoundList") list(node.body, subshell(start));
        else walkCommand(node.body, subshell(start), stdin);
        return steady(start);
    }
  }

  type WalkBody = (body: CompoundList, from: ShellState) => Flow;

  function walkBranches(
    branches: readonly { readonly clause: CompoundList; readonly then: CompoundList }[],
    otherwise: CompoundList | undefined,
    start: ShellState,
    list: WalkBody,
  ): ShellState {
    const [branch, ...rest] = branches;
    if (branch === undefined) return otherwise ? after(list(otherwise, start)) : start;
    const clause = list(branch.clause, start);
    const taken = after(list(branch.then, clause.ok));
    return merge(taken, walkBranches(rest, otherwise, clause.fail, list));
  }

  /** Runs a loop's body until another round would not change where the shell stands. */
  function settle(start: ShellState, round: (from: ShellState) => ShellState): ShellState {
    let state = start;
    for (let pass = 0; pass < maximumPasses; pass++) {
      const next = merge(state, round(state));
      if (next === state) return state;
      state = next;
    }
    const anywhere = inFolders(state, undefined);
    round(anywhere);
    return anywhere;
  }

  /** Each known word takes its turn, so that the body is judged with what it will really see. */
  function walkFor(node: NodeOf<"For">, start: ShellState, list: WalkBody): ShellState {
    const name = node.name.value;
    for (const word of node.wordlist ?? []) {
      const finding = inspect(word, start);
      if (finding.verdict !== "allow") report.add({ text: textOf(word), finding });
    }
    if (!isOwnVariable(name))
      report.add({ text: textOf(node), finding: asks(`it sets ${name}, which other programs may see`) });
    const values = node.wordlist?.flatMap((word) => expandWord(word, start, judge.places)) ?? [unknownValue];
    const turns = values.length <= maximumUnrolled ? values : [unknownValue];
    let state = start;
    for (const value of turns) state = settle(state, (from) => after(list(node.body, assign(from, name, value))));
    return state;
  }

  function walkCase(node: NodeOf<"Case">, start: ShellState, list: WalkBody): ShellState {
    for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)]) {
      const finding = inspect(word, start);
      if (finding.verdict !== "allow") report.add({ text: textOf(word), finding });
    }
    let state = start;
    for (const item of node.items) state = merge(state, after(list(item.body, state)));
    return state;
  }

  function walkArithmetic(
    node: SyntaxNode,
    expressions: readonly Parameters<typeof judgeArithmetic>[0][],
    start: ShellState,
  ): ShellState {
    let state = start;
    for (const expression of expressions) {
      const result = judgeArithmetic(expression, state);
      report.add({ text: textOf(node), finding: result.finding });
      inspect(expression, state);
      state = result.state;
    }
    if (expressions.length === 0)
      report.add({ text: textOf(node), finding: asks("arithmetic that is not understood") });
    return state;
  }

  function walkArithmeticFor(node: NodeOf<"ArithmeticFor">, start: ShellState, list: WalkBody): ShellState {
    const { initialize, test, update } = node;
    const begun = initialize ? walkArithmetic(initialize, [initialize], start) : start;
    return settle(begun, (from) => {
      const tested = test ? walkArithmetic(test, [test], from) : from;
      const state = after(list(node.body, tested));
      return update ? walkArithmetic(update, [update], state) : state;
    });
  }

  /** A later command of that name would mean something else: never unasked. */
  function walkFunction(node: NodeOf<"Function">, start: ShellState, list: WalkBody): Flow {
    const bomb = isForkBomb(node);
    const finding = bomb
      ? denies("a function that multiplies itself until the machine stops")
      : asks("it defines a function");
    report.add({ text: textOf(node), finding });
    if (node.body.type === "CompoundList") list(node.body, subshell(start));
    else walkCommand(node.body, subshell(start), {});
    return steady(start);
  }
}
