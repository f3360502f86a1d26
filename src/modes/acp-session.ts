import { resolve } from "node:path";
import type { McpServer } from "@agentclientprotocol/sdk";
import { createApp } from "../app.ts";
import type { Layer } from "../config/layers.ts";
import { loadSettings } from "../config/load.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { AskPermission } from "../contracts/permission.ts";
import { problemWithFolder } from "../platform/current-folder.ts";
import { paint } from "../ui/output.ts";
import { findExtensions } from "./extensions.ts";
import { checkLoadedRules } from "./loaded-rules.ts";
import { appOptions, type ModeContext } from "./mode-context.ts";
import { openNetwork } from "./network.ts";
import { resolveModelOf } from "./resolve-model.ts";
import type { ResumedSession } from "./resume.ts";
import type { SubcommandContext } from "./subcommand.ts";

/** What an editor says about a session it wants. */
export type SessionWish = {
  readonly cwd: string;
  readonly additionalDirectories?: readonly string[];
  readonly mcpServers?: readonly McpServer[];
  readonly resumed?: ResumedSession;
  readonly ask: AskPermission;
};

export type EditorSession = Awaited<ReturnType<typeof openEditorSession>>;

/** A session in the folder that the editor names, with that folder's settings. Throws UserError. */
export async function openEditorSession(start: SubcommandContext & { readonly home: string }, wish: SessionWish) {
  const context = await contextFor(start, wish);
  const { output } = context;
  const extensions = await findExtensions(context, "present");
  const app = createApp({
    ...appOptions(context),
    extensions,
    permissionMode: context.resolved.loaded.settings.permissionMode ?? "default",
    ask: wish.ask,
    wantsPrices: true,
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  });
  return {
    app,
    commands: extensions.flatMap((extension) => extension.commands ?? []),
    async close(): Promise<void> {
      await app.close();
      await Promise.all(extensions.map((extension) => extension.close?.()));
    },
  };
}

async function contextFor(
  { parsed, environment, output, exit, home }: SubcommandContext & { readonly home: string },
  { cwd, additionalDirectories = [], mcpServers = [], resumed }: SessionWish,
): Promise<ModeContext> {
  const problem =
    resolve(cwd) === cwd ? problemWithFolder(cwd) : `is ${cwd}, which is not a whole path. It begins with /.`;
  if (problem !== undefined) throw new UserError(exitCode.usage, `The session's cwd ${problem}`);
  const options = withWishes(parsed.settings, additionalDirectories, mcpServers);
  const session = resumed && { given: resumed.session.settings, ambient: resumed.session.ambient };
  const sources = { cwd, environment, options, ...(session ? { session } : {}) };
  const loaded = loadSettings(sources);
  if (loaded.settings.permissions !== undefined) await checkLoadedRules(loaded, cwd);
  const resolved = resolveModelOf(parsed.run, loaded, sources);
  for (const warning of (resolved?.loaded ?? loaded).warnings) output.err(`${warning}\n`);
  if (resolved === undefined)
    throw new UserError(
      exitCode.auth,
      "No API key. Set CORECODER_API_KEY or the vendor's own variable in the editor's settings for this agent.",
    );
  const post = await openNetwork({ resolved, run: parsed.run, cwd, home, output });
  return {
    parsed: { ...parsed, settings: options },
    resolved,
    ...(resumed ? { resumed } : {}),
    ...(post ? { post } : {}),
    cwd,
    home,
    environment,
    output,
    exit,
  };
}

/** What the editor adds counts as if it stood on the command line. */
function withWishes(given: Layer, folders: readonly string[], servers: readonly McpServer[]): Layer {
  const options = new Map(given);
  const add = (key: "addDirs" | "mcpConfig", more: readonly string[]) => {
    const before = (options.get(key)?.value ?? []) as readonly string[];
    if (more.length > 0)
      options.set(key, { value: [...before, ...more], origin: { layer: "option", name: "the editor" } });
  };
  add("addDirs", folders);
  add(
    "mcpConfig",
    servers.map((server) => JSON.stringify({ mcpServers: { [server.name]: definitionOf(server) } })),
  );
  return options;
}

function definitionOf(server: McpServer): unknown {
  const pairs = (list: readonly { readonly name: string; readonly value: string }[]) =>
    Object.fromEntries(list.map(({ name, value }) => [name, value]));
  if ("command" in server) return { command: server.command, args: server.args, env: pairs(server.env) };
  return { type: server.type, url: server.url, headers: pairs(server.headers) };
}
