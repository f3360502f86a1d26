import type { ContentBlock } from "@agentclientprotocol/sdk";
import { exitCode, UserError } from "../contracts/errors.ts";
import type { Part } from "../contracts/message.ts";

/** What an editor sends as a prompt, as parts of a message. Throws UserError for what cannot be read. */
export function partsOf(blocks: readonly ContentBlock[]): readonly Part[] {
  const parts = blocks.map(partOf);
  if (parts.length === 0) throw new UserError(exitCode.usage, "The prompt is empty.");
  return parts;
}

function partOf(block: ContentBlock): Part {
  switch (block.type) {
    case "text":
      return { type: "text", text: block.text };
    case "image":
      return { type: "image", mediaType: block.mimeType, base64: block.data };
    case "resource_link":
      return { type: "text", text: `[${block.name}: ${pathOf(block.uri)}]` };
    case "resource": {
      const { resource } = block;
      if ("text" in resource)
        return { type: "text", text: `[${pathOf(resource.uri)}, as it is in the editor:]\n${resource.text}` };
      return { type: "text", text: `[${pathOf(resource.uri)}: binary, not shown]` };
    }
    default:
      throw new UserError(exitCode.usage, `A prompt cannot hold ${block.type}.`);
  }
}

/** Files by their path; anything else by its address. */
function pathOf(uri: string): string {
  if (!uri.startsWith("file://")) return uri;
  try {
    return decodeURIComponent(new URL(uri).pathname);
  } catch {
    return uri;
  }
}
