import type { ArithmeticExpression } from "unbash";
import { expandWord } from "./expand-word.ts";
import { asks } from "./finding.ts";
import { judgeArithmetic } from "./judge-arithmetic.ts";
import { after, assign, inFolders, merge, type ShellState } from "./shell-state.ts";
import { unknownValue } from "./value.ts";
import { isOwnVariable } from "./variables.ts";
import { type NodeOf, type Position, report, type Walk } from "./walk.ts";

const maximumUnrolled = 16;
const maximumPasses = 3;

export function walkWhile(node: NodeOf<"While">, at: Position, walk: Walk): ShellState {
  return settle(at.state, walk, (state) => {
    const clause = walk.list(node.clause, { ...at, state });
    return merge(clause.fail, after(walk.list(node.body, { ...at, state: clause.ok })));
  });
}

/** Each known word takes its turn, so that the body is judged with what it will really see. */
export function walkFor(node: NodeOf<"For">, at: Position, walk: Walk): ShellState {
  const name = node.name.value;
  const words = node.wordlist ?? [];
  for (const word of words) report(walk, word, walk.inspect(word, at.state));
  if (!isOwnVariable(name)) report(walk, node, asks(`it sets ${name}, which other programs may see`));
  const values = node.wordlist
    ? words.flatMap((word) => expandWord(word, at.state, walk.judge.places))
    : [unknownValue];
  let { state } = at;
  for (const value of values.length <= maximumUnrolled ? values : [unknownValue]) {
    state = settle(state, walk, (from) => after(walk.list(node.body, { ...at, state: assign(from, name, value) })));
  }
  return state;
}

export function walkArithmeticFor(node: NodeOf<"ArithmeticFor">, at: Position, walk: Walk): ShellState {
  const compute = (expression: ArithmeticExpression | undefined, state: ShellState): ShellState => {
    if (expression === undefined) return state;
    const result = judgeArithmetic(expression, state);
    report(walk, expression, result.finding);
    walk.inspect(expression, state);
    return result.state;
  };
  return settle(compute(node.initialize, at.state), walk, (from) => {
    const state = after(walk.list(node.body, { ...at, state: compute(node.test, from) }));
    return compute(node.update, state);
  });
}

/** Loops in loops multiply, so a round counts as several steps. */
const stepsOfRound = 4;

/** Goes round a loop until another round would not change where the shell stands. */
function settle(start: ShellState, walk: Walk, round: (from: ShellState) => ShellState): ShellState {
  let state = start;
  for (let pass = 0; pass < maximumPasses; pass++) {
    for (let step = 0; step < stepsOfRound; step++) if (!walk.report.step()) return inFolders(state, undefined);
    const next = merge(state, round(state));
    if (next === state) return state;
    state = next;
  }
  const anywhere = inFolders(state, undefined);
  round(anywhere);
  return anywhere;
}
