import { homedir } from "node:os";
import type { ParsedArguments } from "../config/arguments.ts";
import { type Environment, loadSettings } from "../config/load.ts";
import { type ExitCode, exitCode, UserError } from "../contracts/errors.ts";
import type { Output } from "../ui/output.ts";

export type SubcommandContext = {
  readonly name: string;
  readonly words: readonly string[];
  readonly parsed: ParsedArguments;
  readonly cwd: string;
  readonly environment: Environment;
  readonly output: Output;
  readonly exit: (code: number) => never;
};

type Subcommand = (context: SubcommandContext) => Promise<ExitCode>;

const subcommands: Readonly<Record<string, Subcommand>> = {
  acp: async (context) => (await import("./acp.ts")).runAcp(context),
  demo: async (context) => (await import("./demo.ts")).runDemoMode(context),
  doctor: async (context) => (await import("./doctor.ts")).runDoctor(context),
  config: runConfig,
  context: async (context) => (await import("./context.ts")).runContext(context),
  mcp: async (context) => (await import("./mcp-command.ts")).runMcp(context),
  models: async (context) => (await import("./models.ts")).runModels(context),
  permissions: runPermissions,
  sessions: async (context) => (await import("./sessions.ts")).runSessions(context),
  trust: async (context) => (await import("./trust.ts")).runTrust(context),
  stats: async (context) => (await import("./stats.ts")).runStats(context),
};

export function runSubcommand(context: SubcommandContext): Promise<ExitCode> {
  const { name } = context;
  const run = Object.hasOwn(subcommands, name) ? subcommands[name] : undefined;
  if (run) return run(context);
  throw new UserError(
    exitCode.usage,
    `Unknown command "${name}". To run a prompt: corecoder -p "${name} …". \`corecoder --help\` lists the commands.`,
  );
}

async function runConfig(context: SubcommandContext): Promise<ExitCode> {
  const { words, parsed, cwd, environment, output } = context;
  if (words[0] === "import") return (await import("./config-import.ts")).runConfigImport(context);
  if (words.length > 0)
    throw new UserError(
      exitCode.usage,
      `Unknown word "${words[0]}". \`corecoder config\` shows the settings, \`corecoder config import [FILE]\` takes over those of Claude Code.`,
    );
  const { describeSettings, settingsTableText } = await import("../config/describe-settings.ts");
  const loaded = loadSettings({ cwd, environment, options: parsed.settings });
  for (const warning of loaded.warnings) output.err(`${warning}\n`);
  const described = describeSettings(loaded);
  output.out(parsed.run.json ? `${JSON.stringify(described, null, 2)}\n` : `${settingsTableText(described)}\n`);
  return exitCode.done;
}

async function runPermissions({ words, parsed, cwd, environment, output }: SubcommandContext): Promise<ExitCode> {
  if (words[0] !== "explain")
    throw new UserError(
      exitCode.usage,
      "Usage: corecoder permissions explain, with one command a line on standard input.",
    );
  const { createExplainer } = await import("../permissions/explain.ts");
  const { linesOfStandardInput } = await import("../platform/standard-input.ts");
  const { realOrSame } = await import("../platform/paths.ts");
  const { effectiveRules } = await import("../config/effective-rules.ts");
  const { checkLoadedRules } = await import("./loaded-rules.ts");
  const loaded = loadSettings({ cwd, environment, options: parsed.settings });
  for (const warning of loaded.warnings) output.err(`${warning}\n`);
  await checkLoadedRules(loaded, cwd);
  const { settings, stateFolder } = loaded;
  const root = realOrSame(cwd);
  const explain = createExplainer({
    mode: settings.permissionMode ?? "default",
    ...effectiveRules(settings),
    home: homedir(),
    stateFolder,
    scope: { cwd: root, root, writableRoots: [root, ...(settings.addDirs ?? []).map(realOrSame)] },
  });
  for await (const line of linesOfStandardInput()) {
    if (line.trim() !== "") output.out(`${JSON.stringify(await explain(line))}\n`);
  }
  return exitCode.done;
}
