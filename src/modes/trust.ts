import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { forgetTrust, type ProjectTrust, rememberTrust } from "../config/project-trust.ts";
import { serverLine } from "../config/server-settings.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { HookDefinition } from "../contracts/hook.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import type { RuleLists } from "../contracts/permission.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { chooseKey } from "../ui/ask-person.ts";
import { type Output, paint } from "../ui/output.ts";
import type { SubcommandContext } from "./subcommand.ts";

/** `corecoder trust`: what the project's settings and skills want beyond what a project may have, and the person's word on it. */
export async function runTrust({ words, parsed, cwd, environment, output }: SubcommandContext): Promise<ExitCode> {
  if (words.length > 0) throw new UserError(exitCode.usage, "Usage: corecoder trust [--show | --revoke | --yes].");
  const { run } = parsed;
  const loaded = loadSettings({ cwd, environment, options: parsed.settings });
  const { trust, stateFolder } = loaded;
  if (run.revoke) return revoke(trust, stateFolder, output);
  output.out(description(trust));
  if (run.show || trust.wants.length + trust.skills.length === 0 || trust.state === "trusted") return exitCode.done;
  if (!run.yes && !process.stdin.isTTY)
    throw new UserError(
      exitCode.usage,
      "Nobody can be asked here, so nothing was trusted. When you have read the above: corecoder trust --yes.",
    );
  if (!run.yes && !(await agrees("Trust this folder as it is now?"))) {
    output.out("Not trusted.\n");
    return exitCode.done;
  }
  remember(loaded);
  output.out("Trusted. It is asked again when any of this changes.\n");
  return exitCode.done;
}

/** At the start of a conversation. True when the person said yes. */
export async function askForTrust(loaded: LoadedSettings, output: Output): Promise<boolean> {
  output.err(description(loaded.trust));
  const isTrusted = await agrees("Trust this folder as it is now? Without it these settings are ignored.");
  if (isTrusted) remember(loaded);
  else output.err(`${paint(output, "dim", "Not trusted: going on without them. `corecoder trust` asks again.")}\n`);
  return isTrusted;
}

async function agrees(question: string): Promise<boolean> {
  return (await chooseKey(`${question}  y yes  n no (default) `, "yn", "n")) === "y";
}

function remember({ trust, stateFolder }: LoadedSettings): void {
  try {
    rememberTrust(stateFolder, trust.folder, trust.coverage());
  } catch (error) {
    throw new UserError(
      exitCode.failed,
      `The trust in ${trust.folder} cannot be saved in ${stateFolder}: ${messageOf(error)}. Mend the folder's permissions, or set CORECODER_HOME.`,
    );
  }
}

function revoke({ folder, isListed }: ProjectTrust, stateFolder: string, output: Output): ExitCode {
  const wasTrusted = forgetTrust(stateFolder, folder);
  output.out(wasTrusted ? `${folder} is not trusted any more.\n` : `${folder} was not trusted.\n`);
  if (isListed)
    output.err(
      `It still counts as trusted: trustedFolders in ${stateFolder}/settings.json lists it. Take it out there.\n`,
    );
  return exitCode.done;
}

const states: Readonly<Record<ProjectTrust["state"], string>> = {
  "not-needed": "wants nothing that needs trust",
  trusted: "is trusted",
  untrusted: "is not trusted",
  changed: "was trusted before, and has changed since",
};

function description(trust: ProjectTrust): string {
  const { folder, state, wants, skills, changed, isListed } = trust;
  const covered = wants.length + skills.length > 0 ? Object.keys(trust.coverage()) : [];
  const lines = [
    `${showControl(folder)} ${states[state]}${isListed ? " (trustedFolders)" : ""}.`,
    ...(wants.length > 0 ? ["Its settings want:"] : []),
    ...wants.flatMap(({ key, value, origin }) =>
      wishes(key, value).map((wish) => `  ${displayPath(origin.file ?? origin.name, folder)}: ${wish}`),
    ),
    ...(skills.length > 0 ? ["Its skills want:", ...skills.map(({ place, wish }) => `  ${place}: ${wish}`)] : []),
    ...(changed.length > 0 ? [`Changed since it was trusted: ${changed.join(", ")}`] : []),
    ...(covered.length > 0 ? [`Trust covers, as they are now: ${covered.join(", ")}`] : []),
  ];
  return `${lines.map(showControl).join("\n")}\n`;
}

function wishes(key: string, value: unknown): readonly string[] {
  if (key === "hooks")
    return (value as readonly HookDefinition[]).map(
      ({ event, matcher, command }) => `run at ${event}${matcher ? ` of ${matcher}` : ""}: ${command}`,
    );
  if (key === "mcpServers")
    return (value as readonly McpServer[]).map((server) => {
      const verb = server.connection.type === "stdio" ? "start" : "connect to";
      return `${verb} the server of tools ${server.name}: ${serverLine(server)}`;
    });
  if (key === "permissions") return (value as RuleLists).allow.map(({ rule }) => `allow without a question: ${rule}`);
  return [`${key}: ${typeof value === "string" ? value : JSON.stringify(value)}`];
}
