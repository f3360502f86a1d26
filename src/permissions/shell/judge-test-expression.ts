import type { TestExpression, Word } from "unbash";
import { isHarmlessUnaryTest } from "../programs/test-expression.ts";
import { expandQuoted } from "./expand-word.ts";
import { asks, type Finding, reads, worse } from "./finding.ts";
import type { Surroundings } from "./judge-simple-command.ts";
import type { ShellState } from "./shell-state.ts";
import { isWholeNumber } from "./value.ts";

/** `[[ … ]]`: unlike `[`, it evaluates what it compares as numbers, and that can run commands. */
export function judgeTestExpression(expression: TestExpression, state: ShellState, around: Surroundings): Finding {
  switch (expression.type) {
    case "TestGroup":
      return judgeTestExpression(expression.expression, state, around);
    case "TestNot":
      return judgeTestExpression(expression.operand, state, around);
    case "TestLogical":
      return expression.operands.map((operand) => judgeTestExpression(operand, state, around)).reduce(worse);
    case "TestUnary": {
      const operator = isHarmlessUnaryTest(expression.operator)
        ? reads("only tests")
        : asks(`${expression.operator} looks a variable up by a computed name`);
      return worse(operator, around.inspect(expression.operand, state));
    }
    case "TestBinary": {
      const sides = [expression.left, expression.right];
      const isNumber = (word: Word) => isWholeNumber(expandQuoted(word, state, around.judge.places));
      const risky = /^-(eq|ne|lt|le|gt|ge)$/.test(expression.operator) && !sides.every(isNumber);
      const comparison = risky
        ? asks("it compares something that may not be a number, which can run commands")
        : reads("only tests");
      return sides.map((side) => around.inspect(side, state)).reduce(worse, comparison);
    }
  }
}
