import type { AndOr, Pipeline, PipelineNode, Script, Statement, SyntaxNode } from "unbash";
import { asks, reads } from "./finding.ts";
import { createForkBombDetector } from "./fork-bomb.ts";
import { inspectExpansions } from "./inspect-expansions.ts";
import type { Judge } from "./judge.ts";
import { judgeRedirects } from "./judge-redirects.ts";
import { judgeSimpleCommand } from "./judge-simple-command.ts";
import type { ShellParser } from "./parser.ts";
import type { Report } from "./report.ts";
import { after, type Flow, merge, type ShellState, steady, subshell } from "./shell-state.ts";
import { noOutput, type Position, type Walk, type Walked } from "./walk.ts";
import { walkCompound } from "./walk-compound.ts";

export type WalkSetting = {
  readonly parser: ShellParser;
  readonly judge: Judge;
  readonly report: Report;
  /** How many substitutions this one is inside of. */
  readonly depth: number;
};

const maximumDepth = 24;

/** A script of the tree with the text its positions count in. */
type SourcedScript = { readonly script: ParsedScript; readonly source: string };
type ParsedScript = Script & { readonly errors?: readonly { readonly message: string }[] | undefined };

const noExpansions = reads("nothing is expanded");

/** Walks the whole tree of a script in the order of execution and reports on every command in it. */
export function walkScript({ script, source }: SourcedScript, state: ShellState, setting: WalkSetting): Flow {
  if (setting.depth > maximumDepth) {
    setting.report.giveUp("…", "substitutions are nested too deeply to be judged");
    return steady(state);
  }
  const walk = createWalk(source, { ...setting, depth: setting.depth + 1 });
  for (const error of script.errors ?? []) {
    setting.report.giveUp(source, `bash may read this differently: ${error.message}`);
  }
  return walkStatements(script.commands, { state, stdin: {} }, walk);
}

function createWalk(source: string, setting: WalkSetting): Walk {
  const { parser, judge, report } = setting;
  let forkBombs: Walk["isForkBomb"] | undefined;
  const walk: Walk = {
    judge,
    report,
    isForkBomb: (definition) => (forkBombs ??= createForkBombDetector(parser))(definition),
    textOf: ({ pos, end }) => source.slice(pos, end),
    inspect(node: SyntaxNode, state) {
      if (node.type === "Word" && node.parts === undefined) return noExpansions;
      const onScript = (script: Script) =>
        walkScript({ script, source: script.source ?? source }, subshell(state), setting);
      return inspectExpansions(node, { parser, state, source, onScript });
    },
    list: ({ commands }, at) => walkStatements(commands, at, walk),
    command(node, at) {
      if (node.type === "Command") return judgeSimpleCommand(node, at, walk);
      if (node.type !== "Redirected") return { flow: walkCompound(node, at, walk), output: noOutput };
      const { stdin } = judgeRedirects(node.redirects, at, walk);
      return walk.command(node.command, { ...at, stdin });
    },
  };
  return walk;
}

function walkStatements(statements: readonly Statement[], { state, stdin }: Position, walk: Walk): Flow {
  let flow = steady(state);
  for (const statement of statements) {
    if (!walk.report.step()) break;
    flow = walkStatement(statement, { state: after(flow), stdin }, walk);
  }
  return flow;
}

function walkStatement(node: Statement, at: Position, walk: Walk): Flow {
  if (!node.background) return walkAndOr(node.command, at, walk).flow;
  const finding = asks("it leaves something running in the background");
  walk.report.add({ text: walk.textOf(node), from: node.pos, finding });
  walkAndOr(node.command, { ...at, state: subshell(at.state) }, walk);
  return steady(at.state);
}

function walkAndOr(node: PipelineNode | AndOr, { state, stdin }: Position, walk: Walk): Walked {
  if (node.type !== "AndOr") return walkPipeline(node, { state, stdin }, walk);
  let flow = steady(state);
  for (const [index, command] of node.commands.entries()) {
    if (!walk.report.step()) break;
    const operator = node.operators[index - 1];
    const from = operator === "||" ? flow.fail : flow.ok;
    const { ok, fail } = walkPipeline(command, { state: from, stdin }, walk).flow;
    if (operator === undefined) flow = { ok, fail };
    else flow = operator === "&&" ? { ok, fail: merge(flow.fail, fail) } : { ok: merge(flow.ok, ok), fail };
  }
  return { flow, output: noOutput };
}

function walkPipeline(node: PipelineNode, at: Position, walk: Walk): Walked {
  if (node.type !== "Pipeline") return walk.command(node, at);
  return node.commands.length === 1 ? walkPrefixed(node, at, walk) : walkStages(node, at, walk);
}

/** `! command` or `time command`. */
function walkPrefixed(node: Pipeline, at: Position, walk: Walk): Walked {
  const [command] = node.commands;
  if (command === undefined) return { flow: steady(at.state), output: noOutput };
  const { flow, output } = walk.command(command, at);
  const isNegated = node.prefixes.filter(({ type }) => type === "Negation").length % 2 === 1;
  return { flow: isNegated ? { ok: flow.fail, fail: flow.ok } : flow, output };
}

function walkStages(node: Pipeline, { state, stdin }: Position, walk: Walk): Walked {
  let stream = stdin;
  for (const command of node.commands) {
    if (!walk.report.step()) break;
    const secretsBefore = walk.report.secrets();
    const { output } = walk.command(command, { state: subshell(state), stdin: stream });
    const isSecret = walk.report.secrets() > secretsBefore || stream.secret;
    stream = isSecret ? { ...output(), secret: true } : output();
  }
  return { flow: steady(state), output: () => stream };
}
