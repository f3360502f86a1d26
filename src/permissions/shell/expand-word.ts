import type { Word, WordPart } from "unbash";
import { expandBraces } from "./expand-braces.ts";
import type { ShellState } from "./shell-state.ts";
import { concat, dropFirst, isStatic, literal, pattern, unknownValue, type Value } from "./value.ts";

/** What expansion needs to know of the world outside the command. */
export type ExpansionSetting = { readonly home: string; readonly stateFolder: string };

const maximumWords = 64;
const empty = literal("");

/** The words that `word` becomes, as far as they can be known without running anything. */
export function expandWord(word: Word, state: ShellState, setting: ExpansionSetting): readonly Value[] {
  const parts = word.parts;
  if (parts === undefined) {
    const value = literal(word.value);
    return [word.text.includes("~") ? expandTilde(value, word.text, state, setting) : value];
  }
  const [only] = parts;
  if (parts.length === 1 && only?.type === "SimpleExpansion") {
    return splitUnquoted(expandPart(only, state, setting));
  }
  if (parts.length === 1 && only?.type === "ParameterExpansion") {
    return splitUnquoted(expandPart(only, state, setting));
  }
  return expandParts(parts, state, setting).map((value) =>
    word.text.includes("~") ? expandTilde(value, word.text, state, setting) : value,
  );
}

/** The value of an assignment or a here-string: one word, no patterns. */
export function expandQuoted(word: Word, state: ShellState, setting: ExpansionSetting): Value {
  const values = word.parts === undefined ? [literal(word.value)] : expandParts(word.parts, state, setting, asWritten);
  const [value = empty] = values;
  return values.length > 1 ? unknownValue : expandTilde({ ...value, globAt: -1 }, word.text, state, setting);
}

/** Text with expansions in it, such as the body of a here-document. */
export function expandText(parts: readonly WordPart[], state: ShellState, setting: ExpansionSetting): Value {
  const values = expandParts(parts, state, setting, asWritten);
  return values.length === 1 ? { ...(values[0] ?? empty), globAt: -1 } : unknownValue;
}

/** How an unquoted expansion inside a longer word enters it. */
type Join = (value: Value) => Value;

const asWritten: Join = (value) => value;
/** The shell would split or match it: what comes out is not known. */
const splitIsUnknown: Join = (value) => (/[\s*?[]/.test(value.text) ? unknownValue : value);

function expandParts(
  parts: readonly WordPart[],
  state: ShellState,
  setting: ExpansionSetting,
  join: Join = splitIsUnknown,
): Value[] {
  let words: Value[] = [empty];
  for (const part of parts) {
    const choices = part.type === "BraceExpansion" ? expandBraces(part.text)?.map(expandedLiteral) : undefined;
    const piece = choices ? undefined : expandPart(part, state, setting);
    const joined = piece && (part.type.endsWith("Expansion") ? join(piece) : piece);
    words = words.flatMap((word) => (choices ?? [joined ?? unknownValue]).map((choice) => concat(word, choice)));
    if (words.length > maximumWords) return [unknownValue];
  }
  return words;
}

function expandedLiteral(text: string): Value {
  return { ...literal(text), expanded: true };
}

function expandPart(part: WordPart, state: ShellState, setting: ExpansionSetting): Value {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return literal(part.value);
    case "DoubleQuoted":
      return part.parts.reduce<Value>((value, child) => concat(value, expandPart(child, state, setting)), empty);
    case "Glob":
      return pattern(part.text, 0);
    case "SimpleExpansion":
      return lookUp(part.text.slice(1), state, setting);
    case "ParameterExpansion": {
      if (part.prefix !== undefined || part.index !== undefined) return unknownValue;
      const value = lookUp(part.parameter, state, setting);
      if (part.operation === undefined) return value;
      const keepsValue = part.operation.type === "Default" && /^:?[-?]$/.test(part.operation.operator);
      return keepsValue && value.text !== "" ? value : unknownValue;
    }
    case "ProcessSubstitution":
      return expandedLiteral("/dev/fd/63");
    default:
      return unknownValue;
  }
}

function lookUp(name: string, state: ShellState, setting: ExpansionSetting): Value {
  const known = state.variables.get(name);
  if (known !== undefined) return { ...known, expanded: true };
  if (name === "HOME") return expandedLiteral(setting.home);
  if (name === "CORECODER_HOME") return expandedLiteral(setting.stateFolder);
  const [folder] = state.folders ?? [];
  if (name === "PWD" && folder !== undefined && state.folders?.length === 1) return expandedLiteral(folder);
  return unknownValue;
}

/** An unquoted variable alone: its value is split at blanks and each piece may be a pattern. */
function splitUnquoted(value: Value): readonly Value[] {
  if (!isStatic(value)) return [value];
  return value.text
    .split(/\s+/)
    .filter((piece) => piece !== "")
    .map((piece) => {
      const globAt = piece.search(/[*?[]/);
      return globAt < 0 ? expandedLiteral(piece) : pattern(piece, globAt);
    });
}

/** `~` and `~/…` at the start, or after the `=` of something like an assignment. */
function expandTilde(value: Value, written: string, state: ShellState, setting: ExpansionSetting): Value {
  const prefix = /^(?:\w+=)?(?=[~{])/.exec(written)?.[0];
  if (prefix === undefined || !value.text.startsWith(`${prefix}~`)) return value;
  const rest = { ...dropFirst(value, prefix.length + 1), expanded: true };
  const isHome = (rest.text === "" && rest.unknownAt !== 0) || rest.text.startsWith("/");
  const home = isHome ? lookUp("HOME", state, setting) : unknownValue;
  return concat(concat(literal(prefix), home), rest);
}
