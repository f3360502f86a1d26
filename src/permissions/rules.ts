/**
 * A rule names a tool and, in brackets, which of its calls: `bash(git status *)`, `edit_file(src/**)`, `mcp__*`.
 * Commands are matched word by word, with a final `*` for any further words; files by a glob pattern, relative to the
 * workspace, from the home folder (`~/…`) or absolute. Without brackets it is every call. Claude Code's names of tools are understood.
 */
export type Rule = {
  readonly text: string;
  readonly tool: string;
  readonly argument: string | undefined;
};

export type ParsedRule = { readonly rule: Rule } | { readonly problem: string };

export function parseRule(text: string): ParsedRule {
  const trimmed = text.trim();
  const found = /^([\w*.-]+)(?:\(([\s\S]*)\))?$/.exec(trimmed);
  if (!found) return problem(text, "is not a tool name with an optional pattern in brackets");
  const [, tool = "", argument] = found;
  const rule = { text: trimmed, tool, argument: argument?.trim() };
  if (rule.argument === "") return problem(text, "has empty brackets; leave them out to mean every call");
  if (tool.toLowerCase() !== "bash" || rule.argument === undefined) return { rule };
  const words = commandWords(rule.argument);
  if (words === undefined) return problem(text, "has a quote that is not closed");
  const star = words.findIndex((word) => word.isStar);
  if (star >= 0 && star < words.length - 1)
    return problem(text, "may have a * only as its last word; quote it to mean itself");
  return { rule };
}

function problem(text: string, what: string): ParsedRule {
  return {
    problem: `The permission rule ${JSON.stringify(text)} ${what}. Examples: bash(npm test), bash(git log *), edit_file(src/**).`,
  };
}

/** Several rules in one text, separated by commas or blanks outside of brackets and quotes. */
export function splitRules(list: string): readonly string[] {
  const rules: string[] = [];
  let depth = 0;
  let quote = "";
  let start = 0;
  for (let at = 0; at <= list.length; at++) {
    const character = list[at] ?? ",";
    if (quote !== "" && at < list.length) {
      if (character === quote) quote = "";
    } else if (character === "\\") at++;
    else if (depth > 0 && /['"]/.test(character)) quote = character;
    else if (character === "(") depth++;
    else if (character === ")") depth--;
    else if ((depth <= 0 && /[\s,]/.test(character)) || at >= list.length) {
      if (at > start) rules.push(list.slice(start, at));
      start = at + 1;
    }
  }
  return rules;
}

/** What rules of Claude Code mean by the names that are not ours: reading is done by several tools, and so is editing. */
const foreignTools: Readonly<Record<string, readonly string[]>> = {
  Read: ["read_file", "grep", "glob"],
  Edit: ["edit_file", "write_file"],
  MultiEdit: ["edit_file", "write_file"],
  Write: ["write_file"],
  Glob: ["glob"],
  Grep: ["grep"],
  Task: ["agent"],
  Agent: ["agent"],
  TodoWrite: ["todo_write"],
};

/** Our tools for a name of Claude Code's; undefined when it is none. */
export function foreignToolsOf(name: string): readonly string[] | undefined {
  return Object.hasOwn(foreignTools, name) ? foreignTools[name] : undefined;
}

/** The tools that a rule is for, as far as it names them. */
export function toolsOf({ tool }: Rule): readonly string[] {
  return foreignToolsOf(tool) ?? [tool];
}

/** `*` in a rule's tool name stands for any characters; case does not matter. */
export function matchesTool(rule: Rule, tool: string): boolean {
  return toolsOf(rule).some((named) => matchesName(named, tool));
}

function matchesName(named: string, tool: string): boolean {
  const shape = named.replace(/[.*+?^${}()|[\]\\]/g, (character) => (character === "*" ? ".*" : `\\${character}`));
  // `mcp__server` is every tool of that server
  const isServer = /^mcp__(?:(?!__).)+$/i.test(named);
  return new RegExp(`^${shape}${isServer ? "(__.*)?" : ""}$`, "i").test(tool);
}

export type CommandPattern = { readonly words: readonly string[]; readonly isOpen: boolean };

/** The words of a rule for commands. `git log:*` is accepted for `git log *`. */
export function commandPattern(argument: string): CommandPattern {
  const words = commandWords(argument.replace(/:\*$/, " *")) ?? [];
  const isOpen = words.at(-1)?.isStar ?? false;
  return { words: (isOpen ? words.slice(0, -1) : words).map(({ text }) => text), isOpen };
}

/** Whole words only: `git log *` is not for `git logout`. */
export function matchesWords(pattern: CommandPattern, words: readonly string[]): boolean {
  const fits = pattern.isOpen ? words.length >= pattern.words.length : words.length === pattern.words.length;
  return fits && pattern.words.every((word, at) => word === words[at]);
}

type RuleWord = { readonly text: string; readonly isStar: boolean };

/** Split like a shell would, quotes and backslashes included; undefined when a quote is left open. */
function commandWords(text: string): readonly RuleWord[] | undefined {
  const words: RuleWord[] = [];
  const piece = /\s+|'([^']*)'|"((?:[^"\\]|\\[\s\S])*)"|\\([\s\S])|([^\s'"\\]+)/y;
  let word: RuleWord | undefined;
  while (piece.lastIndex < text.length) {
    const found = piece.exec(text);
    if (!found) return undefined;
    const [whole, single, double, escaped, plain] = found;
    if (/^\s/.test(whole)) {
      if (word) words.push(word);
      word = undefined;
      continue;
    }
    const added = single ?? double?.replace(/\\([\s\S])/g, "$1") ?? escaped ?? plain ?? "";
    word = { text: (word?.text ?? "") + added, isStar: word === undefined && plain === "*" };
  }
  return word ? [...words, word] : words;
}

/** Words as a rule that matches exactly them. */
export function quoteWords(words: readonly string[]): string {
  return words
    .map((word) => (/^[\w@%+=:,./<>&|-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`))
    .join(" ");
}

/** A path as a pattern that matches exactly it. */
export function quotePath(path: string): string {
  return path.replace(/[*?[\]{}()!+@\\'"|,\s]/g, "\\$&");
}
