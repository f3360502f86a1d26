import { isStatic, type Value } from "../shell/value.ts";

/** `-v` and `-R` look a variable up by a computed name, and a subscript in that name is executed. */
const unaryOperators = /^-[abcdefghknoprstuwxzGLNOS]$/;
const binaryOperators = /^(=|==|!=|<|>|-eq|-ne|-lt|-le|-gt|-ge|-nt|-ot|-ef)$/;

export function isHarmlessUnaryTest(operator: string): boolean {
  return unaryOperators.test(operator);
}

/** Is this `test` or `[` expression one of the plain forms, so that no operand can turn out to be an operator? */
export function isHarmlessTest(args: readonly Value[]): boolean {
  let clause: Value[] = [];
  for (const word of args) {
    if (isStatic(word) && (word.text === "-a" || word.text === "-o") && clause.length > 1) {
      if (!isPlainClause(clause)) return false;
      clause = [];
    } else clause.push(word);
  }
  return isPlainClause(clause);
}

function isPlainClause(words: readonly Value[]): boolean {
  const [first, second, third] = words;
  if (words.length > 1 && first && isStatic(first) && first.text === "!") return isPlainClause(words.slice(1));
  if (words.length <= 1) return true;
  if (words.length === 2) return first !== undefined && isStatic(first) && unaryOperators.test(first.text);
  return words.length === 3 && third !== undefined && second !== undefined && isOperator(second);
}

function isOperator(word: Value): boolean {
  return isStatic(word) && binaryOperators.test(word.text);
}
