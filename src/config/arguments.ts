import { exitCode, UserError } from "../contracts/errors.ts";
import type { Found, Layer } from "./layers.ts";
import { readValue } from "./setting-values.ts";
import { type Setting, settingsTable } from "./settings-table.ts";

/** Options that steer this one run and are no settings. */
export type RunOptions = {
  readonly prompt?: string;
  /** `-p` without a text: the prompt comes from standard input. */
  readonly promptFromStdin?: true;
  readonly outputFormat: "text" | "json" | "stream-json";
  readonly includePartialMessages: boolean;
  /** Whose words the machine output is in. */
  readonly dialect: "corecoder" | "claude" | "codex" | "gemini";
  readonly inputFormat: "text" | "stream-json";
  /** A file, or the schema itself. */
  readonly jsonSchema?: string;
  readonly resume?: string | true;
  readonly continueLast: boolean;
  readonly forkSession: boolean;
  readonly keepPrefix: boolean;
  readonly cwd?: string;
  /** Where the raw traffic of this run goes, or comes from. */
  readonly record?: string;
  readonly replay?: string;
  readonly verbose: boolean;
  readonly json: boolean;
  /** `context compare`: also a page, written here. */
  readonly html?: string;
  /** `context`: a row of prices by its name. */
  readonly prices?: string;
  /** `sessions list`: of all projects. */
  readonly all: boolean;
  /** `sessions export`. */
  readonly format?: "md" | "json" | "html";
  readonly outputFile?: string;
  /** `stats`: so many days back. */
  readonly days?: string;
  /** `sessions prune`: only say what would go. */
  readonly dryRun: boolean;
  /** `sessions doctor`. */
  readonly repair: boolean;
  /** `trust`, `config import`: do it without a question. */
  readonly yes: boolean;
  /** `trust`: only say how things are. */
  readonly show: boolean;
  readonly revoke: boolean;
  /** `mcp add`, `mcp remove`: whose settings. */
  readonly scope?: "user" | "project";
  readonly orDemo: boolean;
  readonly skipPermissions: boolean;
  /** A line at a time instead of the terminal interface. */
  readonly plain: boolean;
  readonly help: boolean;
  readonly version: boolean;
};

export type ParsedArguments = {
  readonly run: RunOptions;
  readonly settings: Layer;
  /** Words that belong to no option: a subcommand and its arguments. */
  readonly words: readonly string[];
};

type RunOption = {
  readonly name: string;
  readonly short?: string;
  readonly field: keyof RunOptions;
  /** "maybe": may stand alone. */
  readonly takesValue: "yes" | "no" | "maybe";
  readonly value?: string;
  readonly oneOf?: readonly string[];
  readonly help?: string;
};

export const runOptions: readonly RunOption[] = [
  {
    name: "prompt",
    short: "p",
    field: "prompt",
    takesValue: "maybe",
    value: "TEXT",
    help: "answer one prompt and exit; `-p -` or a pipe reads it from standard input",
  },
  {
    name: "resume",
    short: "r",
    field: "resume",
    takesValue: "maybe",
    value: "[ID]",
    help: "go on with a saved session: its id, the beginning of it, or its name",
  },
  {
    name: "continue",
    short: "c",
    field: "continueLast",
    takesValue: "no",
    help: "go on with the last session of this folder",
  },
  {
    name: "fork-session",
    field: "forkSession",
    takesValue: "no",
    help: "with -r or -c: go on in a copy, the old session stays as it is",
  },
  {
    name: "keep-prefix",
    field: "keepPrefix",
    takesValue: "no",
    help: "with -r or -c: instructions and tools as they were when the session began, also if they changed since",
  },
  {
    name: "output-format",
    field: "outputFormat",
    takesValue: "yes",
    value: "FORMAT",
    oneOf: ["text", "json", "stream-json"],
    help: "text, json or stream-json (default text)",
  },
  {
    name: "include-partial-messages",
    field: "includePartialMessages",
    takesValue: "no",
    help: "with stream-json: also every piece of text as it arrives",
  },
  {
    name: "dialect",
    field: "dialect",
    takesValue: "yes",
    value: "NAME",
    oneOf: ["corecoder", "claude", "codex", "gemini"],
    help: "json and stream-json in the words of claude, codex or gemini, for scripts written for these",
  },
  {
    name: "input-format",
    field: "inputFormat",
    takesValue: "yes",
    value: "FORMAT",
    oneOf: ["text", "stream-json"],
    help: "stream-json: prompts from standard input, one JSON object a line, answered one after the other",
  },
  {
    name: "json-schema",
    field: "jsonSchema",
    takesValue: "yes",
    value: "FILE",
    help: "the answer is JSON that fits this schema: checked, asked again with the errors, exit 1 if it never fits",
  },
  {
    name: "dangerously-skip-permissions",
    field: "skipPermissions",
    takesValue: "no",
    help: "same as --permission-mode bypassPermissions",
  },
  { name: "plain", field: "plain", takesValue: "no", help: "interactive mode a line at a time, for screen readers" },
  { name: "cwd", short: "C", field: "cwd", takesValue: "yes", value: "DIR", help: "work in this folder" },
  { name: "json", field: "json", takesValue: "no", help: "machine-readable output of subcommands" },
  {
    name: "html",
    field: "html",
    takesValue: "yes",
    value: "FILE",
    help: "context compare: also draw the window over time, as a page in this file",
  },
  {
    name: "prices",
    field: "prices",
    takesValue: "yes",
    value: "NAME",
    help: "context: whose prices count, such as opus-5.5, gpt-6.1, deepseek-flash, no-cache (default sonnet-5.5)",
  },
  { name: "all", field: "all", takesValue: "no", help: "sessions list: those of all folders, not only of this one" },
  {
    name: "format",
    field: "format",
    takesValue: "yes",
    value: "FORMAT",
    oneOf: ["md", "json", "html"],
    help: "sessions export: md, json or html (default: by the file's ending, else md)",
  },
  {
    name: "output",
    short: "o",
    field: "outputFile",
    takesValue: "yes",
    value: "FILE",
    help: "sessions export: write to this file (default: standard output)",
  },
  { name: "days", field: "days", takesValue: "yes", value: "N", help: "stats: of the last N days (default 30)" },
  { name: "dry-run", field: "dryRun", takesValue: "no", help: "sessions prune: say what would go, and leave it" },
  {
    name: "repair",
    field: "repair",
    takesValue: "no",
    help: "sessions doctor: mend damaged logs; what is cut out is kept",
  },
  { name: "yes", short: "y", field: "yes", takesValue: "no", help: "trust, config import: do it without a question" },
  {
    name: "show",
    field: "show",
    takesValue: "no",
    help: "trust: say what this folder's settings want, and change nothing",
  },
  { name: "revoke", field: "revoke", takesValue: "no", help: "trust: this folder is not trusted any more" },
  {
    name: "scope",
    field: "scope",
    takesValue: "yes",
    value: "SCOPE",
    oneOf: ["user", "project"],
    help: "mcp add, mcp remove: user (your own settings) or project (.mcp.json) (default user)",
  },
  { name: "or-demo", field: "orDemo", takesValue: "no", help: "without a key run the offline demo instead of failing" },
  {
    name: "record",
    field: "record",
    takesValue: "yes",
    value: "DIR",
    help: "save what goes over the network in this folder, one file an exchange, secrets masked",
  },
  {
    name: "replay",
    field: "replay",
    takesValue: "yes",
    value: "DIR",
    help: "answer from such a recording instead of the network; needs no key",
  },
  { name: "verbose", field: "verbose", takesValue: "no", help: "say more, and show stack traces" },
  { name: "version", short: "v", field: "version", takesValue: "no", help: "print the version" },
  { name: "help", short: "h", field: "help", takesValue: "no", help: "print this page" },
];

/** Reads the command line by the two tables. Throws UserError 42 that names the option. */
export function parseArguments(argv: readonly string[]): ParsedArguments {
  const run: Record<string, unknown> = {};
  const settings = new Map<string, Found>();
  const words: string[] = [];
  const rest = [...argv];
  while (rest.length > 0) {
    const token = rest.shift() as string;
    if (token === "--") words.push(...rest.splice(0));
    else if (token === "-" || !token.startsWith("-")) words.push(token);
    else readOption({ token, rest, run, settings });
  }
  if (run.prompt === true) takePromptElsewhere(run, words);
  const defaults: RunOptions = {
    outputFormat: "text",
    includePartialMessages: false,
    dialect: "corecoder",
    inputFormat: "text",
    continueLast: false,
    forkSession: false,
    keepPrefix: false,
    verbose: false,
    json: false,
    all: false,
    dryRun: false,
    repair: false,
    yes: false,
    show: false,
    revoke: false,
    orDemo: false,
    skipPermissions: false,
    plain: false,
    help: false,
    version: false,
  };
  return { run: { ...defaults, ...run } as RunOptions, settings, words };
}

/** `-p` alone: the prompt is what stands further right, else standard input. */
function takePromptElsewhere(run: Record<string, unknown>, words: string[]): void {
  delete run.prompt;
  if (words.length > 0 && words[0] !== "-") run.prompt = words.splice(0).join(" ");
  else {
    if (words[0] === "-") words.shift();
    run.promptFromStdin = true;
  }
}

type Reading = { token: string; rest: string[]; run: Record<string, unknown>; settings: Map<string, Found> };

function readOption({ token, rest, run, settings }: Reading): void {
  const equals = token.startsWith("--") ? token.indexOf("=") : -1;
  const name = equals > 0 ? token.slice(0, equals) : token.startsWith("--") ? token : token.slice(0, 2);
  const attached =
    equals > 0 ? token.slice(equals + 1) : !token.startsWith("--") && token.length > 2 ? token.slice(2) : undefined;
  const option = runOptions.find(
    (candidate) => name === `--${candidate.name}` || (candidate.short && name === `-${candidate.short}`),
  );
  if (option) {
    run[option.field] = valueOfRunOption({ option, name, attached, rest, run });
    if (option.field === "plain") settings.set("interface", { value: "plain", origin: { layer: "option", name } });
    if (option.field === "skipPermissions")
      settings.set("permissionMode", { value: "bypassPermissions", origin: { layer: "option", name } });
    return;
  }
  const setting = (settingsTable as readonly Setting[]).find((candidate) => spellings(candidate).includes(name));
  if (!setting) throw new UserError(exitCode.usage, `Unknown option ${name}. \`corecoder --help\` lists the options.`);
  const given = attached ?? rest.shift();
  if (given === undefined) throw new UserError(exitCode.usage, `${name} needs a value (${setting.value}).`);
  const read = oneValueEach.includes(setting.key) ? { value: [given] } : readValue(setting, given);
  if ("problem" in read)
    throw new UserError(
      exitCode.usage,
      `${name} ${read.problem}, got ${JSON.stringify(setting.secret ? "…" : given)}.`,
    );
  const before = setting.kind === "list" ? ((settings.get(setting.key)?.value ?? []) as string[]) : undefined;
  const value = before ? [...before, ...(read.value as string[])] : read.value;
  settings.set(setting.key, { value, origin: { layer: "option", name } });
}

/** Lists whose items may hold blanks and commas, such as the names of folders: one option, one item. */
const oneValueEach = ["addDirs", "mcpConfig"];

function spellings({ option, short, aliases = [] }: Setting): string[] {
  return [...(option ? [option, ...aliases] : []).map((word) => `--${word}`), ...(short ? [`-${short}`] : [])];
}

type RunReading = {
  option: RunOption;
  name: string;
  attached: string | undefined;
  rest: string[];
  run: Record<string, unknown>;
};

function valueOfRunOption({ option, name, attached, rest, run }: RunReading): unknown {
  if (option.takesValue === "no") {
    if (attached !== undefined) throw new UserError(exitCode.usage, `${name} takes no value.`);
    return true;
  }
  const next = rest[0];
  const value =
    attached ?? (next !== undefined && (option.takesValue === "yes" || !isOption(next)) ? rest.shift() : undefined);
  if (value === undefined) {
    if (option.takesValue === "maybe") return true;
    throw new UserError(exitCode.usage, `${name} needs a value (${option.value}).`);
  }
  if (option.oneOf && !option.oneOf.includes(value)) {
    throw new UserError(exitCode.usage, `${name} must be one of ${option.oneOf.join(", ")}, got "${value}".`);
  }
  if (option.field !== "prompt" || value !== "-") return value;
  run.promptFromStdin = true;
  return undefined;
}

function isOption(token: string): boolean {
  if (token === "--") return true;
  if (!token.startsWith("-") || token === "-") return false;
  const name = token.replace(/=.*/s, "");
  return (
    runOptions.some((option) => name === `--${option.name}` || name === `-${option.short}`) ||
    (settingsTable as readonly Setting[]).some((setting) => spellings(setting).includes(name))
  );
}
