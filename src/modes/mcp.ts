import type { LoadedSettings } from "../config/load.ts";
import { readServers } from "../config/server-settings.ts";
import { estimateTokens } from "../context/estimate-tokens.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import { createMcpExtension } from "../mcp/extension.ts";
import { expandPath } from "../platform/paths.ts";
import { readUnlessMissing } from "../platform/private-files.ts";
import { version } from "../version.ts";
import type { ModeContext } from "./mode-context.ts";

/** The servers of tools that settings, `.mcp.json` and --mcp-config name; undefined when that is none. */
export async function openMcp(context: ExtensionContext, mode: ModeContext): Promise<Extension | undefined> {
  const { loaded } = mode.resolved;
  const servers = serversOf(loaded, context.cwd);
  if (servers.length === 0) return undefined;
  const { cwd, stateFolder, environment, onNotice } = context;
  const { mcpWaitMs = 5_000, mcpDirectTools = 8 } = loaded.settings;
  return createMcpExtension({
    servers,
    cwd,
    stateFolder,
    environment,
    ownEnvironment: mode.environment,
    version,
    ...timeoutsOf(loaded),
    waitMs: mcpWaitMs,
    directTools: mcpDirectTools,
    estimateTokens,
    onNotice,
  });
}

export function timeoutsOf({ settings }: LoadedSettings) {
  const { mcpStartTimeoutMs = 30_000, mcpTimeoutMs = 60_000 } = settings;
  return { startTimeoutMs: mcpStartTimeoutMs, callTimeoutMs: mcpTimeoutMs };
}

/** Those of --mcp-config first: the latest word of the person. */
export function serversOf({ settings }: LoadedSettings, cwd: string): readonly McpServer[] {
  const given = (settings.mcpConfig ?? []).flatMap((text) => serversIn(text, cwd));
  const names = new Set(given.map(({ name }) => name));
  return [...given, ...(settings.mcpServers ?? []).filter(({ name }) => !names.has(name))];
}

function serversIn(given: string, cwd: string): readonly McpServer[] {
  const isJson = given.trimStart().startsWith("{");
  const where = isJson ? "--mcp-config" : expandPath(given, cwd);
  const text = isJson ? given : readFile(where);
  let value: { mcpServers?: unknown };
  try {
    value = JSON.parse(text.replace(/^\uFEFF/, "")) as { mcpServers?: unknown };
  } catch (error) {
    // the parser quotes the text around the mistake, which may be a key
    const problem = messageOf(error).replace(/, (\.\.\.)?".*/s, "");
    throw new UserError(
      exitCode.usage,
      `${where} is not valid JSON: ${problem}. It is a file like .mcp.json, or its content.`,
    );
  }
  const read = readServers(value?.mcpServers ?? {}, where);
  if ("problem" in read) throw new UserError(exitCode.usage, `${where}: "mcpServers" ${read.problem}.`);
  return read.value;
}

function readFile(path: string): string {
  let problem = "there is no such file";
  try {
    const text = readUnlessMissing(path);
    if (text !== undefined) return text;
  } catch (error) {
    problem = messageOf(error);
  }
  throw new UserError(
    exitCode.usage,
    `--mcp-config ${path}: ${problem}. Name a file like .mcp.json, or give its content as JSON.`,
  );
}
