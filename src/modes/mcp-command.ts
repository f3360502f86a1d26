import { type LoadedSettings, loadSettings } from "../config/load.ts";
import { serverLine } from "../config/server-settings.ts";
import { type ExitCode, exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import { createServers, tokensFor } from "../mcp/create-servers.ts";
import { expandConnection } from "../mcp/expand-variables.ts";
import { statusOf } from "../mcp/status-report.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { version } from "../version.ts";
import { serversOf, timeoutsOf } from "./mcp.ts";
import { addServer, removeServer } from "./mcp-settings.ts";
import { environmentForChildren } from "./mode-context.ts";
import type { SubcommandContext } from "./subcommand.ts";

type Call = SubcommandContext & { readonly loaded: LoadedSettings; readonly rest: readonly string[] };

const usage =
  "Usage: corecoder mcp list | add NAME -- COMMAND… | add NAME URL | add NAME JSON | remove NAME | test [NAME] | login NAME | logout NAME (--scope user|project, --json).";

const actions: Readonly<Record<string, (call: Call) => Promise<ExitCode> | ExitCode>> = {
  list: runList,
  add: addServer,
  remove: removeServer,
  test: runTest,
  login: runLogin,
  logout: runLogout,
};

/** `corecoder mcp …`: the servers of tools, without a model. */
export async function runMcp(context: SubcommandContext): Promise<ExitCode> {
  const [action = "list", ...rest] = context.words;
  const run = Object.hasOwn(actions, action) ? actions[action] : undefined;
  if (run === undefined) throw new UserError(exitCode.usage, usage);
  const { cwd, environment, parsed } = context;
  return run({ ...context, rest, loaded: loadSettings({ cwd, environment, options: parsed.settings }) });
}

function serversFor({ loaded, cwd, environment }: Call, servers: readonly McpServer[]) {
  return createServers({
    servers,
    cwd,
    version,
    ...surroundings(loaded, environment),
    ...timeoutsOf(loaded),
    onListing: () => {},
  });
}

function surroundings({ stateFolder, settings }: LoadedSettings, environment: SubcommandContext["environment"]) {
  const forChildren = environmentForChildren(environment, settings.apiKey ?? "");
  return { stateFolder, environment: forChildren, ownEnvironment: environment };
}

/** Nothing is started: what is known of tools is what the last session saw. */
function runList(call: Call): ExitCode {
  const { loaded, cwd, output, parsed, rest } = call;
  if (rest.length > 0) throw new UserError(exitCode.usage, usage);
  const known = serversFor(call, serversOf(loaded, cwd)).map((server) => ({
    definition: server.definition,
    ...statusOf(server),
  }));
  const waiting = loaded.trust.wants.flatMap(({ key, value }) =>
    key === "mcpServers" && loaded.trust.state !== "trusted" ? (value as readonly McpServer[]) : [],
  );
  const rows = [
    ...known.map(({ definition, name, transport, tools, from }) => ({
      ...{ name, transport, state: "usable", tools, command: serverLine(definition), from },
    })),
    ...waiting.map((server) => ({
      ...{ name: server.name, transport: server.connection.type, state: "not trusted", tools: null },
      ...{ command: serverLine(server), from: server.file },
    })),
  ];
  if (parsed.run.json) output.out(`${JSON.stringify(rows, null, 2)}\n`);
  else if (rows.length === 0)
    output.out("No MCP servers. Add one: corecoder mcp add NAME -- COMMAND, or in .mcp.json (docs/mcp.md).\n");
  for (const { name, state, tools, command, from } of parsed.run.json ? [] : rows) {
    const count = tools === null ? "tools unknown" : `${tools} tools`;
    const trust = state === "not trusted" ? "not trusted: corecoder trust" : count;
    output.out(`${showControl(`${name}  ${command}  ${trust}  (${displayPath(from, cwd)})`)}\n`);
  }
  return exitCode.done;
}

/** The server of that name; throws when it is not there, or not trusted. */
function named({ loaded, cwd, rest }: Call): McpServer {
  const servers = serversOf(loaded, cwd);
  const [name, ...more] = rest;
  const found = servers.find((server) => server.name === name);
  if (found !== undefined && more.length === 0) return found;
  if (name === undefined || more.length > 0) throw new UserError(exitCode.usage, usage);
  const isWaiting = loaded.trust.wants.some(
    ({ key, value }) => key === "mcpServers" && (value as readonly McpServer[]).some((server) => server.name === name),
  );
  throw new UserError(
    exitCode.usage,
    isWaiting
      ? `The server ${name} comes from this project, which you have not trusted as it is now. See what it wants with: corecoder trust.`
      : `There is no MCP server ${JSON.stringify(name)}. There are: ${servers.map((server) => server.name).join(", ") || "none"}.`,
  );
}

/** Starts one server or all, and says what they offer. */
async function runTest(call: Call): Promise<ExitCode> {
  const { output, parsed, rest, loaded, cwd } = call;
  const servers = serversFor(call, rest.length > 0 ? [named(call)] : serversOf(loaded, cwd));
  await Promise.all(servers.map((server) => server.start().catch(() => {})));
  const results = servers.map((server) => {
    const { name, state, problem, prompts, resources } = statusOf(server);
    const tools = state === "ready" ? server.listing()?.tools.map((tool) => tool.name) : undefined;
    return { name, ok: state === "ready", problem, tools: tools ?? null, prompts, resources };
  });
  await Promise.all(servers.map((server) => server.close()));
  if (parsed.run.json) output.out(`${JSON.stringify(results, null, 2)}\n`);
  for (const { name, ok, problem, tools } of parsed.run.json ? [] : results) {
    const text = ok ? `${name}  ok, ${tools?.length} tools: ${tools?.join(", ")}` : `${name}  failed: ${problem}`;
    output.out(`${showControl(text)}\n`);
  }
  return results.every(({ ok }) => ok) ? exitCode.done : exitCode.failed;
}

/** Time for a person to log in. */
const loginMs = 300_000;

async function runLogin(call: Call): Promise<ExitCode> {
  const { output, parsed, loaded, environment } = call;
  const server = named(call);
  const around = surroundings(loaded, environment);
  const connection = expandConnection(server.connection, server.owner === "person" ? environment : around.environment);
  if (connection.type === "stdio")
    throw new UserError(
      exitCode.usage,
      `The server ${server.name} is a program on this machine: there is nothing to log in to.`,
    );
  const { logIn } = await import("../mcp/login.ts");
  try {
    const outcome = await logIn({
      connection,
      store: tokensFor(server, around),
      version,
      timeoutMs: loginMs,
      async show(address) {
        output.out(`Log in at this address:\n${showControl(address.href)}\n`);
        if (parsed.run.yes || (await wantsBrowser())) {
          const { openBrowser } = await import("../platform/open-browser.ts");
          if (!(await openBrowser(address, around.environment)))
            output.err("No browser could be opened: open the address yourself.\n");
        }
      },
    });
    output.out(outcome === "done" ? `Logged in to ${server.name}.\n` : `${server.name} wants no login.\n`);
    return exitCode.done;
  } catch (error) {
    throw new UserError(
      exitCode.failed,
      `The login to ${server.name} failed: ${showControl(messageOf(error))}. Try again: corecoder mcp login ${server.name}.`,
    );
  }
}

async function wantsBrowser(): Promise<boolean> {
  if (!process.stdin.isTTY) return false;
  const { chooseKey } = await import("../ui/ask-person.ts");
  return (await chooseKey("Open it in the browser?  y yes  n no (default) ", "yn", "n")) === "y";
}

function runLogout(call: Call): ExitCode {
  const server = named(call);
  const isForgotten = tokensFor(server, surroundings(call.loaded, call.environment)).forget();
  call.output.out(isForgotten ? `Logged out of ${server.name}.\n` : `There was no login for ${server.name}.\n`);
  return exitCode.done;
}
