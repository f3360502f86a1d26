import { messageOf } from "../contracts/errors.ts";
import type { McpConnection, McpServer } from "../contracts/mcp-server.ts";
import { expandConnection } from "./expand-variables.ts";
import type { Listing } from "./listing.ts";
import { createListingMemory } from "./listing-memory.ts";
import { createTokenStore, type TokenStore } from "./oauth.ts";
import { createServer, type Server } from "./server.ts";

export type ServersOptions = {
  readonly servers: readonly McpServer[];
  readonly cwd: string;
  readonly stateFolder: string;
  /** What processes inherit: free of keys. */
  readonly environment: Readonly<Record<string, string>>;
  /** What the person's own entries may name; a project's see only what processes inherit. */
  readonly ownEnvironment: Readonly<Record<string, string | undefined>>;
  readonly version: string;
  readonly startTimeoutMs: number;
  readonly callTimeoutMs: number;
  readonly onListing: (server: Server, listing: Listing, before: Listing | undefined) => void;
};

export function createServers(options: ServersOptions): readonly Server[] {
  const memory = createListingMemory(options.stateFolder);
  return options.servers.map((definition) => {
    const connection = expanded(definition, options);
    const server: Server = createServer({
      ...options,
      server: definition,
      connection,
      memory,
      tokens: tokensFor(definition, options),
      onListing: (listing, before) => options.onListing(server, listing, before),
    });
    return server;
  });
}

type Expanding = Pick<ServersOptions, "environment" | "ownEnvironment">;

function expanded(
  { connection, owner }: McpServer,
  { environment, ownEnvironment }: Expanding,
): McpConnection | { readonly problem: string } {
  try {
    return expandConnection(connection, owner === "person" ? ownEnvironment : environment);
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** Where the login for a server is kept. */
export function tokensFor(definition: McpServer, options: Expanding & { readonly stateFolder: string }): TokenStore {
  const connection = expanded(definition, options);
  return createTokenStore(options.stateFolder, definition, "url" in connection ? connection.url : "");
}
