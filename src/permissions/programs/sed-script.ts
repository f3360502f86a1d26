/** Commands that stand alone and only look at, print or drop lines. */
const plainCommands = "=dDgGhHlnNpPxFz";

/**
 * Is this a sed script that only prints and transforms? A positive grammar: addresses, plain commands, `s` and `y` without
 * the flags that write or execute. `w`, `W`, `r`, `R`, `e` and whatever else is not named here make it false.
 */
export function isHarmlessSedScript(script: string): boolean {
  const reader = new Reader(script);
  let depth = 0;
  while (reader.skip(/[\s;]*/y) !== undefined) {
    if (reader.atEnd()) return depth === 0;
    if (reader.skip(/#[^\n]*/y)) continue;
    if (reader.skip(/\}/y)) {
      if (--depth < 0) return false;
    } else {
      if (!readAddresses(reader)) return false;
      if (reader.skip(/\{/y)) depth++;
      else if (!readCommand(reader)) return false;
    }
  }
  return false;
}

function readAddresses(reader: Reader): boolean {
  if (!readAddress(reader)) return false;
  if (reader.skip(/\s*,\s*/y) && !(reader.skip(/[+~]\d+/y) || readAddress(reader))) return false;
  reader.skip(/[\s!]*/y);
  return true;
}

/** True also when there is none. */
function readAddress(reader: Reader): boolean {
  if (reader.skip(/\d+(~\d+)?|\$/y)) return true;
  const opening = reader.skip(/\/|\\[^\n\w\\]/y);
  if (!opening) return true;
  return readUntil(reader, opening.at(-1) ?? "/", "expression") && reader.skip(/[IM]*/y) !== undefined;
}

function readCommand(reader: Reader): boolean {
  const command = reader.skip(/[a-zA-Z=:]/y);
  if (command === undefined) return false;
  if (plainCommands.includes(command)) return reader.endsCommand();
  switch (command) {
    case "q":
    case "Q":
      return reader.skip(/\s*\d*/y) !== undefined && reader.endsCommand();
    case "b":
    case "t":
    case "T":
    case ":":
      return reader.skip(/[ \t]*[\w.-]*/y) !== undefined && reader.endsCommand();
    case "a":
    case "i":
    case "c":
      return reader.skip(/[^\n\\]*(\\[\s\S][^\n\\]*)*/y) !== undefined;
    case "s":
      return readSubstitution(reader, /[gpiI\d]*/y);
    case "y":
      return readSubstitution(reader, /(?:)/y);
    default:
      return false;
  }
}

function readSubstitution(reader: Reader, flags: RegExp): boolean {
  const delimiter = reader.skip(/[^\n\\\w\s]/y);
  if (!delimiter) return false;
  if (!readUntil(reader, delimiter, "expression") || !readUntil(reader, delimiter, "replacement")) return false;
  return reader.skip(flags) !== undefined && reader.endsCommand();
}

/** Seds disagree on a delimiter inside brackets; then the rest could be read in two ways, and that is refused. */
function readUntil(reader: Reader, delimiter: string, kind: "expression" | "replacement"): boolean {
  const text = reader.until(delimiter);
  if (text === undefined) return false;
  return kind === "replacement" || !/\[(?![^\]]*\])/.test(text.replace(/\\[\s\S]/g, ""));
}

class Reader {
  private at = 0;
  constructor(private readonly text: string) {}

  atEnd(): boolean {
    return this.at >= this.text.length;
  }

  /** What the sticky expression matches here, moving past it. */
  skip(expression: RegExp): string | undefined {
    expression.lastIndex = this.at;
    const found = expression.exec(this.text)?.[0];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  endsCommand(): boolean {
    this.skip(/[ \t]*/y);
    const next = this.text[this.at];
    return next === undefined || next === ";" || next === "\n" || next === "}" || next === "#";
  }

  /** The text up to an unescaped delimiter, moving past that. */
  until(delimiter: string): string | undefined {
    const start = this.at;
    for (; this.at < this.text.length; this.at++) {
      const character = this.text[this.at];
      if (character === "\\") this.at++;
      else if (character === "\n") return undefined;
      else if (character === delimiter) return this.text.slice(start, this.at++);
    }
    return undefined;
  }
}
