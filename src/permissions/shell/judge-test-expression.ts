import type { TestExpression, Word } from "unbash";
import { expandQuoted } from "./expand-word.ts";
import { asks, type Finding, reads, worse } from "./finding.ts";
import type { ShellState } from "./shell-state.ts";
import { isHarmlessUnaryTest } from "./test-operators.ts";
import { isWholeNumber } from "./value.ts";
import type { Walk } from "./walk.ts";

const tests = reads("it only tests");

/** `[[ … ]]`: unlike `[`, it evaluates what it compares as numbers, and that can run commands. */
export function judgeTestExpression(expression: TestExpression, state: ShellState, walk: Walk): Finding {
  switch (expression.type) {
    case "TestGroup":
      return judgeTestExpression(expression.expression, state, walk);
    case "TestNot":
      return judgeTestExpression(expression.operand, state, walk);
    case "TestLogical":
      return expression.operands.map((operand) => judgeTestExpression(operand, state, walk)).reduce(worse);
    case "TestUnary": {
      const { operator, operand } = expression;
      const own = isHarmlessUnaryTest(operator) ? tests : asks(`${operator} looks a variable up by a computed name`);
      return worse(own, walk.inspect(operand, state));
    }
    case "TestBinary": {
      const sides = [expression.left, expression.right];
      const isNumber = (word: Word) => isWholeNumber(expandQuoted(word, state, walk.judge.places));
      const isRisky = /^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator) && !sides.every(isNumber);
      const own = isRisky ? asks("it compares something that may not be a number, which can run commands") : tests;
      return sides.map((side) => walk.inspect(side, state)).reduce(worse, own);
    }
  }
}
