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
const forbiddenNames = new Set(["ENVIRON", "ARGV", "ARGC", "PROCINFO", "SYMTAB", "FUNCTAB", "getline", "system", "close"]);

const token = /\s+|#[^\n]*|"(?:[^"\\\n]|\\[^])*"|\d+(?:\.\d*)?|[A-Za-z_]\w*|\+\+|--|&&|\|\||[-+*/%^=!<>]=|!~|[^]/y;

/**
 * Does this awk program only compute and print? Every token has to be known. `|` and `getline` start programs, `>` after a
 * print opens a file; a comparison counts only outside of actions or inside parentheses, where it cannot be taken for that.
 */
export function isHarmlessAwkProgram(program: string): boolean {
  let braces = 0;
  let parentheses = 0;
  let previous = "";
  let at = 0;
  while (at < program.length) {
    token.lastIndex = at;
    const text = token.exec(program)?.[0] ?? "";
    const isRegExp = text === "/" || text === "/=" ? !endsOperand(previous) : false;
    if (isRegExp) {
      const expression = /\/(?:[^/\\\n]|\\.)*\//y;
      expression.lastIndex = at;
      const found = expression.exec(program)?.[0];
      if (found === undefined || /^(\+\+|--)$/.test(previous)) return false;
      at += found.length;
      previous = found;
      continue;
    }
    at += text.length;
    if (/^(\s|#)/.test(text)) continue;
    if (text === "{") braces++;
    if (text === "}") braces--;
    if (text === "(") parentheses++;
    if (text === ")") parentheses--;
    if (!isHarmlessToken(text, program.slice(at), { braces, parentheses })) return false;
    previous = text;
  }
  return braces === 0 && parentheses === 0;
}

function isHarmlessToken(text: string, rest: string, depth: { braces: number; parentheses: number }): boolean {
  if (/^["\d]/.test(text)) return text !== '"';
  if (/^[A-Za-z_]/.test(text)) {
    if (forbiddenNames.has(text)) return false;
    return !/^\s*\(/.test(rest) || keywords.has(text) || harmlessFunctions.has(text);
  }
  if (text === ">") return depth.braces === 0 || depth.parentheses > 0;
  return /^(\+\+|--|&&|\|\||[-+*/%^=!<>]=|!~|[-+*/%^!<=~?:;,.$(){}[\]\\])$/.test(text);
}

/** After a value a slash divides; elsewhere it opens a regular expression. */
function endsOperand(previous: string): boolean {
  if (keywords.has(previous)) return false;
  return /[\w)\]"$]$/.test(previous);
}
