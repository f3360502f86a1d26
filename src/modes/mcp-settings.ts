import { join } from "node:path";
import type { LoadedSettings } from "../config/load.ts";
import { readServers } from "../config/server-settings.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import { realOrSame } from "../platform/paths.ts";
import { readUnlessMissing, replacePrivateFile } from "../platform/private-files.ts";
import { showControl } from "../platform/terminal-text.ts";
import { writePage } from "../platform/write-page.ts";
import type { SubcommandContext } from "./subcommand.ts";

type Call = SubcommandContext & { readonly loaded: LoadedSettings; readonly rest: readonly string[] };

/** `mcp add`: into the person's settings, or with --scope project into `.mcp.json`. */
export function addServer(call: Call): ExitCode {
  const [name, ...words] = call.rest;
  if (name === undefined || words.length === 0)
    throw new UserError(
      exitCode.usage,
      'Usage: corecoder mcp add NAME -- [VARIABLE=VALUE…] COMMAND [ARGUMENT…], or NAME URL, or NAME \'{"type": "sse", "url": …}\'.',
    );
  const entry = entryFrom(words);
  const read = readServers({ [name]: entry }, "");
  if ("problem" in read) throw new UserError(exitCode.usage, `The server ${read.problem}.`);
  const target = targetOf(call);
  const before = target.read();
  const servers = { ...(before.mcpServers as object | undefined) };
  const isNew = !Object.hasOwn(servers, name);
  target.write({ ...before, mcpServers: { ...servers, [name]: entry } });
  call.output.out(
    `${isNew ? "Added" : "Replaced"} ${name} in ${showControl(target.path)}. Try it: corecoder mcp test ${name}.\n`,
  );
  if (target.scope === "project")
    call.output.out("Servers of a project are started once the folder is trusted: corecoder trust.\n");
  return exitCode.done;
}

export function removeServer(call: Call): ExitCode {
  const [name, ...more] = call.rest;
  if (name === undefined || more.length > 0)
    throw new UserError(exitCode.usage, "Usage: corecoder mcp remove NAME [--scope user|project].");
  const target = targetOf(call);
  const before = target.read();
  const { [name]: found, ...others } = (before.mcpServers ?? {}) as Record<string, unknown>;
  if (found === undefined)
    throw new UserError(
      exitCode.usage,
      `There is no server ${JSON.stringify(name)} in ${target.path}. \`corecoder mcp list\` shows where servers stand; --scope names the other file.`,
    );
  target.write({ ...before, mcpServers: others });
  call.output.out(`Removed ${name} from ${showControl(target.path)}.\n`);
  return exitCode.done;
}

/** A JSON object, an address, or a command with variables before it as in a shell. */
function entryFrom(words: readonly string[]): unknown {
  const [first = ""] = words;
  if (words.length === 1 && first.trimStart().startsWith("{")) {
    try {
      return JSON.parse(first);
    } catch (error) {
      throw new UserError(exitCode.usage, `The server is not valid JSON: ${messageOf(error)}.`);
    }
  }
  if (words.length === 1 && /^https?:\/\//.test(first)) return { type: "http", url: first };
  const at = words.findIndex((word) => !/^\w+=/.test(word));
  const env = Object.fromEntries(
    words
      .slice(0, Math.max(0, at))
      .map((word) => [word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1)]),
  );
  const [command, ...args] = at < 0 ? [] : words.slice(at);
  return { command, args, ...(at > 0 ? { env } : {}) };
}

function targetOf({ parsed, cwd, loaded }: Call) {
  const scope = parsed.run.scope ?? "user";
  const path = scope === "project" ? join(cwd, ".mcp.json") : join(loaded.stateFolder, "settings.json");
  return {
    scope,
    path,
    read: () => readObject(path),
    write(value: object) {
      const text = `${JSON.stringify(value, null, 2)}\n`;
      if (scope === "project") return writePage(path, text);
      try {
        replacePrivateFile(realOrSame(path), text);
      } catch (error) {
        throw new UserError(exitCode.config, `${path} cannot be written: ${messageOf(error)}. Mend its permissions.`);
      }
    },
  };
}

function readObject(path: string): Record<string, unknown> {
  let problem = "it must hold a JSON object";
  try {
    const value: unknown = JSON.parse(
      readUnlessMissing(path)
        ?.replace(/^\uFEFF/, "")
        .trim() || "{}",
    );
    if (value !== null && typeof value === "object" && !Array.isArray(value)) return value as Record<string, unknown>;
  } catch (error) {
    // the parser quotes the text around the mistake, which may be a key
    problem = messageOf(error).replace(/, (\.\.\.)?".*/s, "");
  }
  throw new UserError(exitCode.config, `${path} cannot be read: ${problem}. Mend it or move it away.`);
}
