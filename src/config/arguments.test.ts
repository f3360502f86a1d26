import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { UserError } from "../contracts/errors.ts";
import { parseArguments, runOptions } from "./arguments.ts";
import { type Setting, settingsTable } from "./settings-table.ts";

const runOf = (...argv: string[]) => parseArguments(argv).run;
const setting = (key: string, ...argv: string[]) => parseArguments(argv).settings.get(key)?.value;

function problemWith(...argv: string[]): UserError {
  try {
    parseArguments(argv);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error(`${argv.join(" ")} should have been refused.`);
}

describe("a prompt", () => {
  it.each([
    ["-p TEXT", ["-p", "do it"]],
    ["--prompt TEXT", ["--prompt", "do it"]],
    ["--prompt=TEXT", ["--prompt=do it"]],
    ["-pTEXT", ["-pdo it"]],
    ["-p with the text after other options", ["-p", "-m", "x", "do it"]],
    ["-p with words after other options", ["-p", "--verbose", "do", "it"]],
    ["-p before the words, options behind them", ["-p", "do it", "--verbose"]],
    ["-p alone and words in front", ["do", "it", "-p"]],
    ["-p -- TEXT", ["-p", "--", "do it"]],
    ["-p OPTION -- WORDS", ["-p", "--verbose", "--", "do", "it"]],
  ])("may be given as %s", (_name, argv) => {
    const { run, words } = parseArguments(argv);
    expect([run.prompt, run.promptFromStdin, words]).toEqual(["do it", undefined, []]);
  });

  it.each([
    ["-p alone", ["-p"]],
    ["--prompt alone", ["--prompt"]],
    ["-p -", ["-p", "-"]],
    ["--prompt=-", ["--prompt=-"]],
    ["-p and options", ["-p", "-m", "x"]],
    ["-p, options, -", ["-p", "--verbose", "-"]],
  ])("comes from standard input with %s", (_name, argv) => {
    const { run, words } = parseArguments(argv);
    expect([run.prompt, run.promptFromStdin, words]).toEqual([undefined, true, []]);
  });

  it.each(["-1 is odd, why?", "--not-an-option", "- a list\n- of things", "-x", "--no", "---", "-help"])(
    "may look like an option that does not exist: %j",
    (text) => {
      expect(runOf("-p", text).prompt).toBe(text);
    },
  );

  it.each(["--help", "-v", "--model=x"])("that is an option must be attached or follow --: %s", (text) => {
    expect(runOf("-p", text).prompt).toBeUndefined();
    expect(runOf(`--prompt=${text}`).prompt).toBe(text);
    expect(runOf("-p", "--", text)).toMatchObject({ prompt: text, help: false, version: false });
  });

  it("may be empty, which is not the same as none", () => {
    expect(runOf("-p", "").prompt).toBe("");
    expect(runOf("--prompt=").prompt).toBe("");
    expect(runOf().prompt).toBeUndefined();
  });

  it("keeps equals signs and line ends of its text", () => {
    expect(runOf("--prompt=a=b\n--c=d").prompt).toBe("a=b\n--c=d");
  });
});

describe("options of a run", () => {
  it("are all off without arguments", () => {
    expect(parseArguments([])).toEqual({
      run: {
        outputFormat: "text",
        includePartialMessages: false,
        dialect: "corecoder",
        inputFormat: "text",
        plain: false,
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
        help: false,
        version: false,
      },
      settings: new Map(),
      words: [],
    });
  });

  it("are switched on one by one, by their long and their short names", () => {
    for (const { name, short, field, takesValue } of runOptions) {
      if (takesValue !== "no") continue;
      const spellings = [`--${name}`, ...(short ? [`-${short}`] : [])];
      for (const spelling of spellings) expect(runOf(spelling), spelling).toEqual({ ...runOf(), [field]: true });
    }
  });

  it.each([
    [["-r"], true],
    [["--resume"], true],
    [["-r", "abc"], "abc"],
    [["--resume=abc"], "abc"],
    [["-rabc"], "abc"],
    [["-r", "--verbose"], true],
  ])("resume with or without an id: %j", (argv, id) => {
    expect(runOf(...argv).resume).toBe(id);
  });

  it.each(["text", "json", "stream-json"] as const)("know the output format %s", (format) => {
    expect(runOf("--output-format", format).outputFormat).toBe(format);
    expect(runOf(`--output-format=${format}`).outputFormat).toBe(format);
  });

  it("name the folder with -C DIR, -CDIR and --cwd", () => {
    for (const argv of [["-C", "/x"], ["-C/x"], ["--cwd", "/x"], ["--cwd=/x"]]) expect(runOf(...argv).cwd).toBe("/x");
  });

  it("turn --dangerously-skip-permissions into a permission mode", () => {
    expect(setting("permissionMode", "--dangerously-skip-permissions")).toBe("bypassPermissions");
  });
});

describe("settings as options", () => {
  const sample = ({ kind }: Setting): string =>
    typeof kind === "object" ? (kind.oneOf[0] ?? "") : kind === "number" || kind === "integer" ? "1" : "word";

  it("are read by every spelling of the table, separate and attached", () => {
    for (const row of settingsTable as readonly Setting[]) {
      if (row.option === undefined) continue;
      const given = sample(row);
      const value = row.kind === "list" ? [given] : row.kind === "number" || row.kind === "integer" ? 1 : given;
      for (const name of [row.option, ...(row.aliases ?? [])]) {
        expect(setting(row.key, `--${name}`, given), name).toEqual(value);
        expect(setting(row.key, `--${name}=${given}`), name).toEqual(value);
      }
      if (row.short) expect(setting(row.key, `-${row.short}`, given)).toEqual(value);
      if (row.short) expect(setting(row.key, `-${row.short}${given}`)).toEqual(value);
    }
  });

  it("remember the spelling as their origin", () => {
    expect(parseArguments(["-m", "x"]).settings.get("model")).toEqual({
      value: "x",
      origin: { layer: "option", name: "-m" },
    });
  });

  it("grow a list when repeated, whatever the spelling", () => {
    expect(setting("allowedTools", "--allowedTools", "a,b", "--allowed-tools", "bash(git log *)")).toEqual([
      "a",
      "b",
      "bash(git log *)",
    ]);
  });

  it("take a folder with blanks and commas in its name for one folder", () => {
    expect(setting("addDirs", "--add-dir", "/my files, all", "--add-dir=/b")).toEqual(["/my files, all", "/b"]);
  });

  it("are replaced by the last one otherwise", () => {
    expect(setting("model", "-m", "a", "--model", "b")).toBe("b");
  });

  it("may have a value that looks like an option", () => {
    expect(setting("appendSystemPrompt", "--append-system-prompt", "--be brief")).toBe("--be brief");
  });
});

describe("words", () => {
  it("are a subcommand and its arguments", () => {
    expect(parseArguments(["doctor", "--json", "now"]).words).toEqual(["doctor", "now"]);
  });

  it("are everything after --", () => {
    const { words, run } = parseArguments(["a", "--", "--help", "-p", "--"]);
    expect([words, run.help]).toEqual([["a", "--help", "-p", "--"], false]);
  });
});

describe("a mistake ends with exit 42 and names the option", () => {
  it.each([
    ["an unknown option", ["--modle", "x"], "Unknown option --modle"],
    ["an unknown option with a value, which is not shown", ["--key=sk-123"], /^Unknown option --key\. [^=]*$/],
    ["an unknown short option", ["-z"], "Unknown option -z"],
    ["a missing value", ["--model"], "--model needs a value (NAME)"],
    ["a missing value of a short option", ["-m"], "-m needs a value"],
    ["a missing value of a run option", ["--output-format"], "--output-format needs a value (FORMAT)"],
    ["a missing folder", ["-C"], "-C needs a value"],
    ["a bad number", ["--max-tokens", "many"], '--max-tokens must be a whole number of at least 1, got "many"'],
    ["a number out of range", ["--temperature=3"], "--temperature must be a number of at least 0 and at most 2"],
    ["an empty number", ["--max-rounds="], "--max-rounds must be"],
    ["a wrong choice", ["--permission-mode", "yolo"], "--permission-mode must be one of default"],
    ["a wrong format", ["--output-format", "xml"], '--output-format must be one of text, json, stream-json, got "xml"'],
    ["a value for a switch", ["--verbose=yes"], "--verbose takes no value"],
    ["a value attached to a short switch", ["-cx"], "-c takes no value"],
  ])("%s", (_name, argv, message) => {
    const problem = problemWith(...argv);
    expect(problem.exit).toBe(42);
    expect(problem.message).toEqual(
      typeof message === "string" ? expect.stringContaining(message) : expect.stringMatching(message),
    );
  });
});

describe("any command line", () => {
  const names = [
    ...runOptions.flatMap(({ name, short }) => [`--${name}`, `-${short ?? "x"}`]),
    ...settingsTable.flatMap((row) => ("option" in row ? [`--${row.option}`] : [])),
  ];
  const token = fc.oneof(
    fc.constantFrom(...names, "-", "--", "-p", "--allowedTools", "demo"),
    fc.tuple(fc.constantFrom(...names), fc.string()).map(([name, value]) => `${name}=${value}`),
    fc.string({ unit: "binary" }),
    fc.string().map((text) => `-${text}`),
  );

  it("is understood or refused with exit 42, and nothing else is thrown", () => {
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), (argv) => {
        try {
          const { run, words } = parseArguments(argv);
          expect(run.prompt === undefined || typeof run.prompt === "string").toBe(true);
          for (const word of words) expect(argv).toContain(word);
        } catch (error) {
          if (!(error instanceof UserError)) throw error;
          expect(error.exit).toBe(42);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  it("with a text behind -p has that text as its prompt, unless it is an option", () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => text !== "-" && !text.startsWith("-")),
        fc.constantFrom("-p", "--prompt"),
        (text, name) => {
          expect(runOf("--verbose", name, text, "-m", "x").prompt).toBe(text);
        },
      ),
    );
  });
});
