import type { Extension } from "../contracts/extension.ts";
import type { AnyTool } from "../contracts/tool.ts";
import { callTool } from "./call-tool.ts";
import { catalogue } from "./catalogue.ts";
import { createServers, type ServersOptions } from "./create-servers.ts";
import { createFindTools } from "./find-tools.ts";
import type { Listing } from "./listing.ts";
import { promptCommands } from "./prompt-commands.ts";
import { createResourceTool } from "./resource-tool.ts";
import type { Server } from "./server.ts";
import { statusReport } from "./status-report.ts";
import { createToolBook, type ToolBook } from "./tool-book.ts";
import { valid } from "./tool-names.ts";

export type McpOptions = Omit<ServersOptions, "onListing"> & {
  /** Longest that a session waits for servers that it knows nothing about. */
  readonly waitMs: number;
  /** Up to so many tools are sent with their schemas. */
  readonly directTools: number;
  readonly estimateTokens: (text: string) => number;
  /** One line for the person. */
  readonly onNotice: (text: string) => void;
};

/** More than this is not sent with every request, whatever the number of tools. */
const directTokens = 1_500;
const sectionTokens = 1_000;
/** A list that nobody has looked at for longer is fetched again, in the background. */
const staleMs = 7 * 24 * 3600 * 1000;

/** The servers of a session. Those whose tools are remembered are not started before one of them is called. */
export async function createMcpExtension(options: McpOptions): Promise<Extension> {
  const { onNotice } = options;
  const notices: string[] = [];
  let isRunning = false;
  const servers = createServers({
    ...options,
    onListing: (server, listing, before) => {
      if (!isRunning) return;
      const text = changeOf(server, listing, before, book);
      if (text === undefined) return;
      notices.push(text);
      onNotice(text.split("\n")[0] ?? "");
    },
  });
  const book = createToolBook(servers);
  const waitingFor = await startUnknown(servers, options);
  for (const server of servers)
    if (server.listedAt !== undefined && Date.now() - server.listedAt > staleMs) server.start().catch(() => {});
  isRunning = true;
  const entries = book.entries();
  const direct = entries.map(({ name }) => book.find(name)).filter((tool) => tool !== undefined);
  const isDirect =
    waitingFor.length === 0 && direct.length <= options.directTools && tokensOf(direct, options) <= directTokens;
  const resources = servers.some((server) => server.listing()?.hasResources) ? [createResourceTool(servers)] : [];
  const names = waitingFor.map(({ definition }) => definition.name);
  return {
    tools: [...(isDirect ? direct : [createFindTools(book), callTool]), ...resources],
    ...(isDirect
      ? {}
      : { section: catalogue({ entries, waitingFor: names, budgetTokens: sectionTokens, ...options }) }),
    commands: promptCommands(servers),
    findTool: (name) => findTool(name, servers, book),
    pendingNotices: () => notices.splice(0),
    reports: { mcp: () => statusReport(servers) },
    async close() {
      await Promise.all(servers.map((server) => server.close()));
    },
  };
}

/** Starts those whose tools nobody knows, and answers with the ones that are not ready in time. */
async function startUnknown(servers: readonly Server[], { waitMs, onNotice }: McpOptions): Promise<readonly Server[]> {
  const unknown = servers.filter((server) => server.listing() === undefined);
  if (unknown.length === 0) return [];
  const starts = unknown.map((server) =>
    server.start().catch(() => {
      if (server.state() === "failed")
        onNotice(`The MCP server ${server.definition.name} cannot be used: ${server.problem()}.`);
    }),
  );
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([Promise.all(starts), new Promise((resolve) => (timer = setTimeout(resolve, waitMs)))]);
  clearTimeout(timer);
  return unknown.filter((server) => server.state() === "starting");
}

/** A tool of a server that is just starting is waited for. */
async function findTool(name: string, servers: readonly Server[], book: ToolBook): Promise<AnyTool | undefined> {
  if (!name.startsWith("mcp__")) return undefined;
  const found = book.find(name);
  if (found !== undefined) return found;
  const meant = servers.find(({ definition }) => name.startsWith(`mcp__${valid(definition.name)}__`));
  if (meant?.state() !== "starting") return undefined;
  await meant.start().catch(() => {});
  return book.find(name);
}

function tokensOf(tools: readonly AnyTool[], { estimateTokens }: McpOptions): number {
  return estimateTokens(JSON.stringify(tools.map(({ name, description, input }) => [name, description, input.json])));
}

/** What the model should know when a server offers something else than it was told; undefined when that is nothing. */
function changeOf(server: Server, { tools }: Listing, before: Listing | undefined, book: ToolBook): string | undefined {
  const { name } = server.definition;
  const entries = book.entries().filter((entry) => entry.server === server);
  const old = new Map(before?.tools.map((tool) => [tool.name, JSON.stringify(tool)]));
  const current = new Set(tools.map((tool) => tool.name));
  const added = entries.filter(({ tool }) => !old.has(tool.name)).map((entry) => entry.name);
  const changed = entries.filter(({ tool }) => (old.get(tool.name) ?? JSON.stringify(tool)) !== JSON.stringify(tool));
  const removed = [...old.keys()].filter((known) => !current.has(known));
  const parts = [
    ...(added.length > 0 ? [`${before === undefined ? "offers" : "offers also"} ${some(added)}`] : []),
    ...(changed.length > 0 ? [`describes ${some(changed.map((entry) => entry.name))} differently`] : []),
    ...(removed.length > 0 ? [`offers no more ${some(removed)}`] : []),
  ];
  if (parts.length === 0) return undefined;
  return `The MCP server ${name} ${before === undefined ? "is ready and " : ""}${parts.join(", ")}.\nCall such a tool by its name; call_tool and find_tools know it too, where you have them.`;
}

function some(names: readonly string[]): string {
  return names.length > 12 ? `${names.slice(0, 12).join(", ")} and ${names.length - 12} more` : names.join(", ");
}
