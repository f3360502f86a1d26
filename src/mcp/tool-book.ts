import type { AnyTool } from "../contracts/tool.ts";
import type { ServerTool } from "./listing.ts";
import type { Server } from "./server.ts";
import { serverTool } from "./server-tool.ts";
import { createToolNames } from "./tool-names.ts";

export type BookEntry = {
  /** What the model calls it by. */
  readonly name: string;
  readonly server: Server;
  readonly tool: ServerTool;
};

/** The tools of all servers by the names the model knows them by. */
export type ToolBook = {
  /** Those that are offered now, by server and name. */
  entries(): readonly BookEntry[];
  /** Also one that was offered earlier in this session: its call says what became of it. */
  find(name: string): AnyTool | undefined;
};

export function createToolBook(servers: readonly Server[]): ToolBook {
  const names = createToolNames();
  const known = new Map<string, BookEntry>();
  function entries(): readonly BookEntry[] {
    const current = servers.flatMap((server) =>
      (server.listing()?.tools ?? []).map((tool) => ({
        name: names.nameOf(server.definition.name, tool.name),
        server,
        tool,
      })),
    );
    for (const entry of current) known.set(entry.name, entry);
    return current;
  }
  entries();
  return {
    entries,
    find(name) {
      entries();
      const found = known.get(name);
      return found && serverTool(found.name, found.server, found.tool);
    },
  };
}
