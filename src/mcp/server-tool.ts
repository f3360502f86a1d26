import { ToolError } from "../contracts/errors.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";
import { readCallResult } from "./call-result.ts";
import { schemaFrom } from "./input-schema.ts";
import type { ServerTool } from "./listing.ts";
import type { Server } from "./server.ts";

type Input = Readonly<Record<string, unknown>>;

/**
 * A server's tool as one of ours. That it only reads is the server's word, so it is judged as something whose effect is unknown, with the
 * claim beside it; a project's server never runs beside others on its own word.
 */
export function serverTool(name: string, server: Server, tool: ServerTool): AnyTool {
  const { definition } = server;
  const isBelieved = tool.isReadOnly && definition.owner === "person";
  return defineTool<Input>({
    name,
    description: tool.description || `${tool.name}, a tool of the server ${definition.name}`,
    input: schemaFrom(tool.schema),
    effect: definition.connection.type === "stdio" ? "execute" : "network",
    concurrency: () => (isBelieved ? "parallel" : "alone"),
    describe: (input) => ({
      label: "mcp",
      title: `${definition.name} ${tool.name} ${shown(input)}`.trimEnd(),
      ...(tool.isReadOnly ? { readOnlyClaim: definition.owner } : {}),
    }),
    async run(input, context) {
      const current = server.listing()?.tools;
      if (current !== undefined && !current.some(({ name: known }) => known === tool.name))
        throw new ToolError(`The MCP server ${definition.name} does not offer ${tool.name} any more.`);
      const result = await server.request(
        "tools/call",
        { name: tool.name, arguments: input },
        { signal: context.signal, onProgress: context.progress },
      );
      return readCallResult(result, context);
    },
  });
}

function shown(input: Input): string {
  const text = Object.entries(input)
    .map(([key, value]) => `${key}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
  return text.length > 300 ? `${text.slice(0, 299)}…` : text;
}
