import type { ArithmeticExpression, WordPart } from "unbash";
import { asks, type Finding, reads, worse } from "./finding.ts";
import { assign, type ShellState } from "./shell-state.ts";
import { isWholeNumber, unknownNumber } from "./value.ts";
import { isOwnVariable } from "./variables.ts";

export type ArithmeticResult = { readonly finding: Finding; readonly state: ShellState };

const computes = reads("only computes");
const numbersOfTheShell = /^([#?$!]|RANDOM|SECONDS|LINENO|UID|EUID|PPID|BASHPID|EPOCHSECONDS)$/;
const notANumber = asks("arithmetic on something that may not be a number can run commands");

/**
 * The value of a variable is evaluated as an expression again, and a subscript in it is executed: only numbers and
 * variables known to hold one are harmless.
 */
export function judgeArithmetic(expression: ArithmeticExpression, state: ShellState): ArithmeticResult {
  switch (expression.type) {
    case "ArithmeticGroup":
      return judgeArithmetic(expression.expression, state);
    case "ArithmeticUnary": {
      const operand = judgeArithmetic(expression.operand, state);
      return /^(\+\+|--)$/.test(expression.operator) ? assignNumber(expression.operand, operand) : operand;
    }
    case "ArithmeticBinary": {
      const right = judgeArithmetic(expression.right, state);
      if (/^([-+*/%&|^]|<<|>>)?=$/.test(expression.operator)) return assignNumber(expression.left, right);
      return both(judgeArithmetic(expression.left, right.state), right);
    }
    case "ArithmeticTernary": {
      const test = judgeArithmetic(expression.test, state);
      const consequent = both(judgeArithmetic(expression.consequent, test.state), test);
      return both(judgeArithmetic(expression.alternate, consequent.state), consequent);
    }
    case "ArithmeticWord":
      return { finding: isNumber(expression.value, expression.parts, state) ? computes : notANumber, state };
    case "ArithmeticCommandExpansion":
      return { finding: notANumber, state };
  }
}

function both(later: ArithmeticResult, earlier: ArithmeticResult): ArithmeticResult {
  return { finding: worse(earlier.finding, later.finding), state: later.state };
}

function assignNumber(target: ArithmeticExpression, value: ArithmeticResult): ArithmeticResult {
  const isOwn = target.type === "ArithmeticWord" && isOwnVariable(target.value);
  if (!isOwn)
    return both({ finding: asks("it sets a variable that other programs may see"), state: value.state }, value);
  return { finding: value.finding, state: assign(value.state, target.value, unknownNumber) };
}

function isNumber(text: string, parts: readonly WordPart[] | undefined, state: ShellState): boolean {
  if (parts === undefined) return /^(\d+|0[xX][\da-fA-F]+|\d+#\w+)$/.test(text) || isNumberVariable(text, state);
  return parts.every((part) => {
    if (part.type === "SimpleExpansion") return isNumberVariable(part.text.slice(1), state);
    if (part.type !== "ParameterExpansion") return false;
    if (part.prefix === "#") return part.index === undefined || /^[@*\d]+$/.test(part.index.value);
    return (
      part.prefix === undefined &&
      part.index === undefined &&
      part.operation === undefined &&
      isNumberVariable(part.parameter, state)
    );
  });
}

function isNumberVariable(name: string, state: ShellState): boolean {
  const value = state.variables.get(name);
  return value ? isWholeNumber(value) : numbersOfTheShell.test(name);
}
