import { dropFirst, isStatic, startsKnown, unknownValue, type Value } from "../shell/value.ts";

/**
 * The options a program may be called with, written down positively: what is not named here is not understood.
 * `short` in getopt's notation: `n` stands alone, `k:` takes a value, `C::` may have one attached.
 * `long` by name, blank-separated: `sort=` takes a value, `color=?` may have one after `=`.
 */
export type OptionGrammar = {
  readonly short?: string;
  readonly long?: string;
  /** `-5` is an option. */
  readonly number?: true;
  /** Options end at the first operand, so what follows is never one. */
  readonly leading?: true;
  /** Options outside the grammar do no harm either, so a file whose name looks like one may slip in. */
  readonly harmless?: true;
};

export type GivenOption = { readonly name: string; readonly value: Value | undefined };

export type ParsedArguments = { readonly options: readonly GivenOption[]; readonly operands: readonly Value[] };

export type Misfit = { readonly problem: string };

type ValueRule = "none" | "required" | "attached";
type Compiled = { readonly short: ReadonlyMap<string, ValueRule>; readonly long: ReadonlyMap<string, ValueRule> };

const compiled = new WeakMap<OptionGrammar, Compiled>();

function compile(grammar: OptionGrammar): Compiled {
  const known = compiled.get(grammar);
  if (known) return known;
  const short = new Map<string, ValueRule>();
  for (const [, letter = "", rule] of (grammar.short ?? "").matchAll(/([^:])(:{0,2})/g)) {
    short.set(letter, rule === "::" ? "attached" : rule === ":" ? "required" : "none");
  }
  const long = new Map<string, ValueRule>();
  for (const [, name = "", rule] of (grammar.long ?? "").matchAll(/([^\s=]+)(=\??)?/g)) {
    long.set(name, rule === "=?" ? "attached" : rule === "=" ? "required" : "none");
  }
  const result = { short, long };
  compiled.set(grammar, result);
  return result;
}

export function isMisfit(result: ParsedArguments | Misfit): result is Misfit {
  return "problem" in result;
}

export function hasOption(parsed: ParsedArguments, ...names: readonly string[]): boolean {
  return parsed.options.some(({ name }) => names.includes(name));
}

/**
 * Splits arguments the way getopt does. Anything the grammar does not name is a misfit; so is a word whose beginning is
 * unknown or that may become several, because it could turn out to be an option.
 */
export function parseArguments(args: readonly Value[], grammar: OptionGrammar): ParsedArguments | Misfit {
  const { short, long } = compile(grammar);
  const options: GivenOption[] = [];
  const operands: Value[] = [];
  const queue = [...args].reverse();
  let onlyOperands = false;
  let hidesOption = false;
  while (queue.length > 0) {
    const word = queue.pop() ?? unknownValue;
    hidesOption ||= !onlyOperands && word.maySplit === true;
    if (onlyOperands || word.text[0] !== "-" || !startsKnown(word) || (word.text === "-" && isStatic(word))) {
      hidesOption ||= !onlyOperands && !startsKnown(word);
      operands.push(word);
      onlyOperands ||= grammar.leading === true;
      continue;
    }
    if (word.text === "--" && isStatic(word)) {
      onlyOperands = true;
      continue;
    }
    if (grammar.number && isStatic(word) && /^-\d+$/.test(word.text)) {
      options.push({ name: "-#", value: undefined });
      continue;
    }
    const given = word.text.startsWith("--") ? longOption(word, long, queue) : shortOptions(word, short, queue);
    if ("problem" in given) return given;
    options.push(...given);
    hidesOption ||= given.some(({ value }) => value?.maySplit);
  }
  if (hidesOption && !grammar.harmless) return { problem: "an argument could turn out to be an option" };
  return { options, operands };
}

/** For programs none of whose options can do harm: whatever begins with a dash is one. */
export function splitArguments(args: readonly Value[]): ParsedArguments {
  const end = args.findIndex((word) => word.text === "--" && isStatic(word));
  const isOption = (word: Value, at: number) =>
    (end < 0 || at < end) && word.text.length > 1 && word.text[0] === "-" && startsKnown(word);
  const options = args.filter(isOption).map((word) => {
    const equals = word.text.indexOf("=");
    return equals < 0
      ? { name: word.text, value: undefined }
      : { name: word.text.slice(0, equals), value: dropFirst(word, equals + 1) };
  });
  return { options, operands: args.filter((word, at) => at !== end && !isOption(word, at)) };
}

function longOption(word: Value, known: Compiled["long"], queue: Value[]): readonly GivenOption[] | Misfit {
  const equals = word.text.indexOf("=");
  const name = equals < 0 ? word.text : word.text.slice(0, equals);
  const rule = known.get(name.slice(2));
  if (rule === undefined || (equals < 0 && !isStatic(word))) return misfit(name);
  if (equals >= 0) return rule === "none" ? misfit(name) : [{ name, value: dropFirst(word, equals + 1) }];
  return [{ name, value: rule === "required" ? queue.pop() : undefined }];
}

function shortOptions(word: Value, known: Compiled["short"], queue: Value[]): readonly GivenOption[] | Misfit {
  const options: GivenOption[] = [];
  for (let at = 1; at < word.text.length; at++) {
    const name = `-${word.text[at]}`;
    const rule = known.get(word.text[at] ?? "");
    if (rule === undefined) return misfit(word.text.length > 2 ? `${name} (in ${word.text})` : name);
    if (rule === "none") {
      options.push({ name, value: undefined });
      continue;
    }
    const rest = dropFirst(word, at + 1);
    const isAttached = rest.text !== "" || !isStatic(rest);
    if (isAttached) return [...options, { name, value: rest }];
    return [...options, { name, value: rule === "required" ? queue.pop() : undefined }];
  }
  return isStatic(word) ? options : misfit(word.text);
}

function misfit(option: string): Misfit {
  return { problem: `the option ${option} is not one known to be harmless` };
}
