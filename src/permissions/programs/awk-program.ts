/** Functions that compute and nothing else. */
const harmlessFunctions = new Set([
  ...["length", "substr", "index", "split", "sub", "gsub", "gensub", "match", "sprintf", "tolower", "toupper", "int"],
  ...["sqrt", "exp", "log", "sin", "cos", "atan2", "rand", "srand", "strftime", "systime", "asort", "asorti"],
]);

const keywords = new Set([
  ...["BEGIN", "END", "print", "printf", "if", "else", "while", "for", "do", "in", "next", "nextfile", "exit", "break"],
  ...["continue", "delete"],
]);

/** Doors to the environment and to files not named on the command line. */
const forbiddenNames = new Set([
  "ENVIRON",
  "ARGV",
  "ARGC",
  "PROCINFO",
  "SYMTAB",
  "FUNCTAB",
  "getline",
  "system",
  "close",
]);

const token =
  /\n|[^\S\n]+|#[^\n]*|"(?:[^"\\\n]|\\[\s\S])*"|\d+(?:\.\d*)?|[A-Za-z_]\w*|\+\+|--|&&|\|\||[-+*/%^=!<>]=|!~|[\s\S]/y;
const regularExpression = /\/(?:[^/\\\n]|\\.)*\//y;
const harmlessOperator = /^(\n|\+\+|--|&&|\|\||[-+*/%^=!<>]=|!~|[-+*/%^!<=~?:;,$(){}[\]])$/;

/** What stands before a slash settles whether it divides or opens a regular expression; where awks could differ, neither is assumed. */
const beforeDivision = /[\w\]"]$/;
const beforeExpression = /^(\n|&&|\|\||!?~|!|[-+*%^=!<>]=|[-+*%^=<>?:;,({}]|)$/;

/**
 * Does this awk program only compute and print? Every token has to be known. `|` and `getline` start programs, `>` after a
 * print opens a file; a comparison counts only outside of actions or inside parentheses, where it cannot be taken for that.
 */
export function isHarmlessAwkProgram(program: string): boolean {
  let braces = 0;
  let parentheses = 0;
  let previous = "";
  for (let at = 0; at < program.length; ) {
    token.lastIndex = at;
    const text = token.exec(program)?.[0] ?? "";
    if (text.startsWith("/") && (keywords.has(previous) || !beforeDivision.test(previous))) {
      const expression =
        keywords.has(previous) || beforeExpression.test(previous) ? expressionAt(program, at) : undefined;
      if (expression === undefined) return false;
      at += expression.length;
      previous = expression;
      continue;
    }
    at += text.length;
    if (/^([^\S\n]|#)/.test(text)) continue;
    if (text === "{") braces++;
    else if (text === "}") braces--;
    else if (text === "(") parentheses++;
    else if (text === ")") parentheses--;
    const isComparison = text === ">" && (braces === 0 || parentheses > 0);
    if (!isComparison && !isHarmlessToken(text, program.slice(at, at + 50))) return false;
    previous = text;
  }
  return braces === 0 && parentheses === 0;
}

/** Awks disagree on a slash inside brackets: such an expression counts as not understood. */
function expressionAt(program: string, at: number): string | undefined {
  regularExpression.lastIndex = at;
  const found = regularExpression.exec(program)?.[0];
  return found === undefined || /\[(?![^\]]*\])/.test(found.replace(/\\./g, "")) ? undefined : found;
}

function isHarmlessToken(text: string, rest: string): boolean {
  if (/^\d/.test(text) || (text.length > 1 && text.startsWith('"'))) return true;
  if (!/^[A-Za-z_]/.test(text)) return harmlessOperator.test(text);
  if (forbiddenNames.has(text)) return false;
  return !/^\s*\(/.test(rest) || keywords.has(text) || harmlessFunctions.has(text);
}
