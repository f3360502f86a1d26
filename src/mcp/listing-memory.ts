import { join } from "node:path";
import type { McpConnection } from "../contracts/mcp-server.ts";
import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";
import { sha256 } from "../platform/sha256.ts";
import { fieldsOf, type Listing, type ServerPrompt, type ServerTool } from "./listing.ts";

export type RememberedListing = Listing & { readonly at: number };

/** What a server offered when it last ran, so that nobody has to start it to know. */
export type ListingMemory = {
  recall(connection: McpConnection): RememberedListing | undefined;
  remember(connection: McpConnection, listing: Listing): void;
};

/** By the hash of how the server is reached: another command, another list. A folder that cannot be written remembers nothing. */
export function createListingMemory(stateFolder: string): ListingMemory {
  const fileOf = (connection: McpConnection) => join(stateFolder, "mcp", `${hashOf(connection)}.json`);
  return {
    recall(connection) {
      try {
        const { at, tools, prompts, hasResources, instructions } = fieldsOf(
          JSON.parse(readIfThere(fileOf(connection)) ?? "null"),
        );
        if (typeof at !== "number" || !Array.isArray(tools) || !Array.isArray(prompts)) return undefined;
        return {
          at,
          tools: tools as ServerTool[],
          prompts: prompts as ServerPrompt[],
          hasResources: hasResources === true,
          instructions: typeof instructions === "string" ? instructions : "",
        };
      } catch {
        return undefined;
      }
    },
    remember(connection, listing) {
      try {
        replacePrivateFile(fileOf(connection), JSON.stringify({ at: Date.now(), ...listing }));
      } catch {
        // the next session asks the server again
      }
    },
  };
}

/** Of everything that decides which server answers. */
export function hashOf(connection: McpConnection): string {
  return sha256(Buffer.from(JSON.stringify(connection))).slice("sha256:".length, "sha256:".length + 32);
}
