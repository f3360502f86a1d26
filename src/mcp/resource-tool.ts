import { ToolError } from "../contracts/errors.ts";
import * as schema from "../contracts/schema.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";
import { boundedText, resourceText } from "./call-result.ts";
import { cleanLine } from "./clean-text.ts";
import { fieldsOf } from "./listing.ts";
import type { Server } from "./server.ts";

type Input = { readonly server: string; readonly uri?: string };

const mostListed = 200;

/** Lists and reads what servers offer beside tools. */
export function createResourceTool(servers: readonly Server[]): AnyTool {
  const offering = () => servers.filter((server) => server.listing()?.hasResources);
  const serverNamed = (name: string) => servers.find(({ definition }) => definition.name === name);
  return defineTool<Input>({
    name: "mcp_resource",
    description: "Reads a resource of an MCP server; without uri: lists its resources.",
    input: schema.object({ server: schema.string(), uri: schema.optional(schema.string()) }) as schema.Schema<Input>,
    effect: "execute",
    concurrency: () => "parallel",
    describe({ server, uri }) {
      const owner = serverNamed(server)?.definition.owner;
      return {
        label: "resource",
        title: `${server} ${uri ?? ""}`.trimEnd(),
        ...(owner ? { readOnlyClaim: owner } : {}),
      };
    },
    async run({ server: name, uri }, context) {
      const server = serverNamed(name);
      if (server === undefined) {
        const names = offering().map(({ definition }) => definition.name);
        throw new ToolError(
          `There is no MCP server ${JSON.stringify(name)} with resources. There are: ${names.join(", ")}.`,
        );
      }
      const { signal } = context;
      if (uri === undefined) return { text: boundedText(await listOf(server, signal), context) };
      const { contents } = fieldsOf(await server.request("resources/read", { uri }, { signal }));
      const texts = (Array.isArray(contents) ? contents : []).map(resourceText);
      return { text: boundedText(texts.join("\n") || "(the resource is empty)", context) };
    },
  });
}

async function listOf(server: Server, signal: AbortSignal): Promise<string> {
  const listed = fieldsOf(await server.request("resources/list", {}, { signal })).resources;
  const templates = await server
    .request("resources/templates/list", {}, { signal })
    .then((answer) => fieldsOf(answer).resourceTemplates)
    .catch(() => []);
  const lines = [listed, templates].flatMap((list) =>
    (Array.isArray(list) ? list : []).slice(0, mostListed).map((item) => {
      const { uri, uriTemplate, name, mimeType, description } = fieldsOf(item);
      const parts = [
        cleanLine(uri ?? uriTemplate, 500),
        cleanLine(name, 100),
        cleanLine(mimeType, 60),
        cleanLine(description, 200),
      ];
      return parts.filter(Boolean).join("  ");
    }),
  );
  return lines.join("\n") || "(no resources)";
}
