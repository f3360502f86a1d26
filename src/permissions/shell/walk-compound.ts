import type { CommandNode, CompoundList } from "unbash";
import { asks, denies } from "./finding.ts";
import { judgeArithmetic } from "./judge-arithmetic.ts";
import { judgeTestExpression } from "./judge-test-expression.ts";
import { after, assign, type Flow, inFolders, merge, type ShellState, steady, subshell } from "./shell-state.ts";
import { unknownValue } from "./value.ts";
import { type NodeOf, type Position, report, type Walk } from "./walk.ts";
import { walkArithmeticFor, walkFor, walkWhile } from "./walk-loops.ts";

type Compound = Exclude<CommandNode, NodeOf<"Command" | "Redirected">>;

/** Walks over groups, branches, loops and definitions; says where the shell stands afterwards. */
export function walkCompound(node: Compound, at: Position, walk: Walk): Flow {
  const { state } = at;
  const inSubshell = { ...at, state: subshell(state) };
  switch (node.type) {
    case "BraceGroup":
      return walk.list(node.body, at);
    case "Subshell":
      walk.list(node.body, inSubshell);
      return steady(state);
    case "If":
      return steady(walkIf(node, at, walk));
    case "Case":
      return steady(walkCase(node, at, walk));
    case "While":
      return steady(walkWhile(node, at, walk));
    case "For":
      return steady(walkFor(node, at, walk));
    case "ArithmeticFor":
      return steady(walkArithmeticFor(node, at, walk));
    case "ArithmeticCommand":
      return steady(walkArithmeticCommand(node, state, walk));
    case "TestCommand":
      walk.report.add({
        text: walk.textOf(node),
        from: node.pos,
        finding: judgeTestExpression(node.expression, state, walk),
      });
      return steady(state);
    case "Select":
      report(walk, node, asks("it waits for a choice at the terminal"));
      walk.list(node.body, { ...at, state: assign(state, node.name.value, unknownValue) });
      return steady(inFolders(state, undefined));
    case "Function":
      // A later command of that name would mean something else: never unasked.
      report(
        walk,
        node,
        walk.isForkBomb(node) ? denies("it multiplies itself until the machine stops") : asks("it defines a function"),
      );
      walkBody(node.body, inSubshell, walk);
      return steady(state);
    case "Coproc":
      report(walk, node, asks("it leaves something running in the background"));
      walkBody(node.body, inSubshell, walk);
      return steady(state);
  }
}

function walkBody(body: CommandNode | CompoundList, at: Position, walk: Walk): void {
  if (body.type === "CompoundList") walk.list(body, at);
  else walk.command(body, at);
}

function walkIf(node: NodeOf<"If">, at: Position, walk: Walk): ShellState {
  let { state } = at;
  const ends: ShellState[] = [];
  for (const branch of [node, ...node.elif]) {
    const clause = walk.list(branch.clause, { ...at, state });
    ends.push(after(walk.list(branch.then, { ...at, state: clause.ok })));
    state = clause.fail;
  }
  return ends.reduce(merge, node.else ? after(walk.list(node.else, { ...at, state })) : state);
}

function walkCase(node: NodeOf<"Case">, at: Position, walk: Walk): ShellState {
  for (const word of [node.word, ...node.items.flatMap(({ pattern }) => pattern)]) {
    report(walk, word, walk.inspect(word, at.state));
  }
  let { state } = at;
  for (const item of node.items) state = merge(state, after(walk.list(item.body, { ...at, state })));
  return state;
}

function walkArithmeticCommand(node: NodeOf<"ArithmeticCommand">, state: ShellState, walk: Walk): ShellState {
  if (node.expression === undefined) {
    report(walk, node, asks("its arithmetic is not understood"));
    return state;
  }
  const result = judgeArithmetic(node.expression, state);
  walk.report.add({ text: walk.textOf(node), from: node.pos, finding: result.finding });
  walk.inspect(node.expression, state);
  return result.state;
}
