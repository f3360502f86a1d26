import { isHarmlessUnaryTest } from "../shell/test-operators.ts";
import { isStatic, type Value } from "../shell/value.ts";

const binaryOperators = /^(=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

/** Is this `test` or `[` expression one of the plain forms, so that no operand can turn out to be an operator? */
export function isHarmlessTest(args: readonly Value[]): boolean {
  let clause: Value[] = [];
  for (const word of args) {
    if (isStatic(word) && /^-[ao]$/.test(word.text) && clause.length > 1) {
      if (!isPlainClause(clause)) return false;
      clause = [];
    } else clause.push(word);
  }
  return isPlainClause(clause);
}

function isPlainClause(words: readonly Value[]): boolean {
  const [first, second] = words;
  if (first === undefined || second === undefined) return true;
  if (isStatic(first) && first.text === "!") return isPlainClause(words.slice(1));
  if (words.length === 2) return isStatic(first) && isHarmlessUnaryTest(first.text);
  return words.length === 3 && isStatic(second) && binaryOperators.test(second.text);
}
