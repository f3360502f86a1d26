import type { Word, WordPart } from "unbash";
import { expandBraces } from "./expand-braces.ts";
import type { ShellState } from "./shell-state.ts";
import { concat, dropFirst, isStatic, literal, pattern, unknownValue, unquoted, type Value } from "./value.ts";

/** What expansion needs to know of the world outside the command. */
export type ExpansionSetting = { readonly home: string; readonly stateFolder: string };

type Variables = (name: string) => Value;

const maximumWords = 64;
const maximumParts = 300;
const empty = literal("");

/** The words that `word` becomes, as far as they can be known without running anything. */
export function expandWord(word: Word, state: ShellState, setting: ExpansionSetting): readonly Value[] {
  const { parts, text } = word;
  if (parts === undefined && !text.includes("~")) return [literal(word.value)];
  const variables = variablesOf(state, setting);
  const [only] = parts ?? [];
  if (parts?.length === 1 && (only?.type === "SimpleExpansion" || only?.type === "ParameterExpansion")) {
    return splitUnquoted(expandPart(only, variables));
  }
  const values = parts === undefined ? [literal(word.value)] : expandParts(parts, variables, splitIsUnknown);
  return text.includes("~") ? values.map((value) => expandTilde(value, text, variables)) : values;
}

/** The value of an assignment or a here-string: one word, no patterns. */
export function expandQuoted(word: Word, state: ShellState, setting: ExpansionSetting): Value {
  if (word.parts === undefined && !word.text.includes("~")) return literal(word.value);
  const variables = variablesOf(state, setting);
  const value = word.parts === undefined ? literal(word.value) : joinParts(word.parts, variables);
  return expandTilde(value, word.text, variables);
}

/** Text with expansions in it, such as the body of a here-document. */
export function expandText(parts: readonly WordPart[], state: ShellState, setting: ExpansionSetting): Value {
  return joinParts(parts, variablesOf(state, setting));
}

function joinParts(parts: readonly WordPart[], variables: Variables): Value {
  const [value = empty, ...more] = expandParts(parts, variables, asWritten);
  return more.length > 0 ? unknownValue : { ...value, globAt: -1 };
}

/** How an unquoted expansion enters the word around it. */
type Join = (value: Value) => Value;

const asWritten: Join = (value) => value;
/** The shell would split or match it: what comes out is not known. */
const splitIsUnknown: Join = (value) => unquoted(/[\s*?[]/.test(value.text) ? unknownValue : value);

function expandParts(parts: readonly WordPart[], variables: Variables, join: Join): readonly Value[] {
  if (parts.length > maximumParts) return [{ ...unknownValue, maySplit: true }];
  let words: readonly Value[] = [empty];
  for (const part of parts) {
    const pieces = piecesOf(part, variables, join);
    words = words.flatMap((word) => pieces.map((piece) => concat(word, piece)));
    if (words.length > maximumWords) return [unknownValue];
  }
  return words;
}

function piecesOf(part: WordPart, variables: Variables, join: Join): readonly Value[] {
  if (part.type === "BraceExpansion") return expandBraces(part.text)?.map(expanded) ?? [unknownValue];
  const piece = expandPart(part, variables);
  return [/^(Simple|Parameter|Command)Expansion$/.test(part.type) ? join(piece) : piece];
}

function expandPart(part: WordPart, variables: Variables): Value {
  switch (part.type) {
    case "Literal":
    case "SingleQuoted":
    case "AnsiCQuoted":
      return literal(part.value);
    case "DoubleQuoted":
      return part.parts.reduce<Value>((value, child) => concat(value, expandPart(child, variables)), empty);
    case "Glob":
      return pattern(part.text, 0);
    case "SimpleExpansion":
      return part.text === "$@" ? unquoted(unknownValue) : variables(part.text.slice(1));
    case "ParameterExpansion": {
      if (part.index?.text === "@" || part.parameter === "@") return unquoted(unknownValue);
      if (part.prefix !== undefined || part.index !== undefined) return unknownValue;
      const value = variables(part.parameter);
      if (part.operation === undefined) return value;
      const keepsValue = part.operation.type === "Default" && /^:?[-?]$/.test(part.operation.operator);
      return keepsValue && value.text !== "" ? value : unknownValue;
    }
    case "ProcessSubstitution":
      return expanded("/dev/fd/63");
    default:
      return unknownValue;
  }
}

function expanded(text: string): Value {
  return { ...literal(text), expanded: true };
}

function variablesOf(state: ShellState, setting: ExpansionSetting): Variables {
  return (name) => {
    const known = state.variables.get(name);
    if (known !== undefined) return { ...known, expanded: true };
    if (name === "HOME") return expanded(setting.home);
    if (name === "CORECODER_HOME") return expanded(setting.stateFolder);
    const [folder, ...more] = state.folders ?? [];
    return name === "PWD" && folder !== undefined && more.length === 0 ? expanded(folder) : unknownValue;
  };
}

/** An unquoted variable alone: its value is split at blanks, and each piece may be a pattern. */
function splitUnquoted(value: Value): readonly Value[] {
  if (!isStatic(value)) return [unquoted(value)];
  const pieces = value.text.split(/\s+/).filter((piece) => piece !== "");
  return pieces.map((piece) => {
    const globAt = piece.search(/[*?[]/);
    return globAt < 0 ? expanded(piece) : pattern(piece, globAt);
  });
}

/** `~` and `~/…` at the start, or after the `=` of something like an assignment. */
function expandTilde(value: Value, written: string, variables: Variables): Value {
  const prefix = /^(?:\w+=)?(?=[~{])/.exec(written)?.[0];
  if (prefix === undefined || !value.text.startsWith(`${prefix}~`)) return value;
  const rest = { ...dropFirst(value, prefix.length + 1), expanded: true };
  const isHome = (rest.text === "" && rest.unknownAt !== 0) || rest.text.startsWith("/");
  return concat(concat(literal(prefix), isHome ? variables("HOME") : unknownValue), rest);
}
