import { homedir } from "node:os";
import { type ParsedArguments, parseArguments, type RunOptions } from "./config/arguments.ts";
import { type Environment, type LoadedSettings, type LoadOptions, loadSettings, stateFolderOf } from "./config/load.ts";
import { asksForTrust } from "./config/project-trust.ts";
import { type ExitCode, exitCode, UserError } from "./contracts/errors.ts";
import { openNetwork } from "./modes/network.ts";
import { refuse, resolveModelOf } from "./modes/resolve-model.ts";
import type { ResumedSession } from "./modes/resume.ts";
import type { KeylessStart, LocalModel } from "./modes/without-key.ts";
import { enterFolder, problemWithFolder } from "./platform/current-folder.ts";
import { exitCodeOfError } from "./ui/describe-outcome.ts";
import { flushed, type Output, paint, processOutput } from "./ui/output.ts";
import { version } from "./version.ts";

export type MainOptions = { readonly environment: Environment; readonly exit: (code: number) => never };

/** argv → settings → mode. Answers with the exit code; nothing else ends the process. */
export async function main(argv: readonly string[], { environment, exit }: MainOptions): Promise<number> {
  const output = processOutput(wantsColor(environment));
  quietBrokenPipe(exit);
  let parsed: ParsedArguments | undefined;
  try {
    parsed = parseArguments(argv);
    return await dispatch(parsed, { environment, output: { ...output, isVerbose: parsed.run.verbose }, exit });
  } catch (error) {
    reportError(error, output, { verbose: argv.includes("--verbose") });
    if (parsed && parsed.run.outputFormat !== "text" && parsed.words.length === 0)
      await reportToMachine(error, parsed.run.dialect, output);
    return exitCodeOfError(error);
  } finally {
    await flushed();
  }
}

async function dispatch(
  parsed: ParsedArguments,
  { environment, output, exit }: MainOptions & { output: Output },
): Promise<ExitCode> {
  const { run, words } = parsed;
  if (run.version) {
    output.out(`corecoder ${version}\n`);
    return exitCode.done;
  }
  if (run.help) {
    const { helpPage } = await import("./config/help.ts");
    output.out(helpPage());
    return exitCode.done;
  }
  const cwd = enterFolder(run.cwd);
  const [subcommand, ...rest] = words;
  if (subcommand !== undefined) {
    const { runSubcommand } = await import("./modes/subcommand.ts");
    return runSubcommand({ name: subcommand, words: rest, parsed, cwd, environment, output, exit });
  }
  const isOneShot = run.prompt !== undefined || run.promptFromStdin === true;
  if (!isOneShot && !run.orDemo) requireTerminal();
  if (!isOneShot && hasTerminal()) await askOnScreen(parsed, environment);
  const resumed = await resumedSession(parsed, { cwd, environment, isOneShot });
  try {
    return await runMode(parsed, {
      environment,
      output: { ...output, root: cwd },
      exit,
      cwd,
      isOneShot,
      ...(resumed ? { resumed } : {}),
    });
  } finally {
    resumed?.lock.release();
  }
}

type ModeOptions = MainOptions & {
  readonly output: Output;
  readonly cwd: string;
  readonly isOneShot: boolean;
  readonly resumed?: ResumedSession;
};

/** One-shot or conversation, in a session of its own or in the saved one. */
async function runMode(
  parsed: ParsedArguments,
  { environment, output, exit, cwd, isOneShot, resumed }: ModeOptions,
): Promise<ExitCode> {
  const { run } = parsed;
  const session = resumed && { given: resumed.session.settings, ambient: resumed.session.ambient };
  const options = run.replay === undefined ? parsed.settings : await recordedOptions(parsed, cwd);
  const sources = { cwd, environment, options, ...(session ? { session } : {}) };
  const loaded = await loadWithTrust(sources, { output, mayAsk: !isOneShot && process.stdin.isTTY });
  refuse(
    loaded,
    "addDirs",
    loaded.settings.addDirs?.map(problemWithFolder).find((problem) => problem !== undefined),
  );
  const resolved = resolveModelOf(run, loaded, sources);
  for (const warning of (resolved?.loaded ?? loaded).warnings) output.err(`${paint(output, "dim", warning)}\n`);
  const local = resolved
    ? undefined
    : await localModel({ run, loaded, sources, isOneShot, hasTerminal: hasTerminal() });
  const connected = resolved ?? local?.resolved;
  if (connected === undefined) {
    const { runSubcommand } = await import("./modes/subcommand.ts");
    return runSubcommand({ name: "demo", words: [], parsed, cwd, environment, output, exit });
  }
  const home = homedir();
  const post = await openNetwork({ resolved: connected, run, cwd, home, output });
  const context = {
    parsed: local ? { ...parsed, settings: local.options } : parsed,
    resolved: connected,
    ...(post ? { post } : {}),
    cwd,
    home,
    environment,
    output,
    exit,
    ...(resumed ? { resumed } : {}),
  };
  if (isOneShot) return (await import("./modes/one-shot.ts")).runOneShot(context);
  requireTerminal();
  return (await import("./modes/conversation.ts")).runConversation(context);
}

async function askOnScreen(parsed: ParsedArguments, environment: Environment): Promise<void> {
  (await import("./modes/ask-on-screen.ts")).askOnScreen(parsed, environment);
}

async function localModel(start: KeylessStart): Promise<LocalModel | undefined> {
  return (await import("./modes/without-key.ts")).modelWithoutKey(start);
}

async function recordedOptions({ run, settings }: ParsedArguments, cwd: string): Promise<ParsedArguments["settings"]> {
  const { withRecordedModel } = await import("./modes/recorded-run.ts");
  return withRecordedModel(settings, run, cwd);
}

/** What a project wants beyond what it may have is asked about where somebody can be asked; the rules must be what their examples say. */
async function loadWithTrust(
  sources: LoadOptions,
  { output, mayAsk }: { output: Output; mayAsk: boolean },
): Promise<LoadedSettings> {
  let loaded = loadSettings(sources);
  if (mayAsk && asksForTrust(loaded.trust)) {
    const { askForTrust } = await import("./modes/trust.ts");
    if (await askForTrust(loaded, output)) loaded = loadSettings(sources);
  }
  if (loaded.settings.permissions !== undefined) {
    const { checkLoadedRules } = await import("./modes/loaded-rules.ts");
    await checkLoadedRules(loaded, sources.cwd);
  }
  return loaded;
}

/** The saved session that -c and -r name; undefined when a new one is to begin, and then nothing is loaded. */
async function resumedSession(
  { run }: ParsedArguments,
  { cwd, environment, isOneShot }: { cwd: string; environment: Environment; isOneShot: boolean },
): Promise<ResumedSession | undefined> {
  if (run.resume === undefined && !run.continueLast && !run.forkSession) return undefined;
  const { resumeFromOptions } = await import("./modes/resume.ts");
  return resumeFromOptions(run, { cwd, stateFolder: stateFolderOf(environment), isOneShot });
}

const hasTerminal = () => process.stdin.isTTY === true && process.stdout.isTTY === true;

function requireTerminal(): void {
  if (hasTerminal()) return;
  throw new UserError(
    exitCode.usage,
    'The interactive mode needs a terminal. Without one, give a prompt: corecoder -p "…", or echo "…" | corecoder -p.',
  );
}

function wantsColor(environment: Environment): boolean {
  if (environment.NO_COLOR) return false;
  if (environment.FORCE_COLOR) return environment.FORCE_COLOR !== "0";
  return process.stderr.isTTY === true && environment.TERM !== "dumb";
}

/** Readers of machine output get their result line also when nothing was ever started. */
async function reportToMachine(error: unknown, dialect: RunOptions["dialect"], output: Output): Promise<void> {
  const { failureLine } = await import("./ui/json-lines.ts");
  const { dialects } = await import("./ui/dialects/index.ts");
  output.out(`${JSON.stringify(failureLine(error, dialects[dialect]))}\n`);
}

function reportError(error: unknown, output: Output, { verbose }: { verbose: boolean }): void {
  const isExpected = error instanceof UserError;
  const message = error instanceof Error ? error.message : String(error);
  output.err(`${paint(output, "red", isExpected ? message : `Internal error: ${message}`)}\n`);
  if (verbose && error instanceof Error && error.stack) output.err(`${error.stack}\n`);
  else if (!isExpected) output.err("Run again with --verbose for details.\n");
}

/** `corecoder -p … | head` ends quietly when head has seen enough. */
function quietBrokenPipe(exit: (code: number) => never): void {
  process.stdout.on("error", (error: NodeJS.ErrnoException) => {
    if (error.code === "EPIPE") exit(exitCode.done);
    throw error;
  });
}
