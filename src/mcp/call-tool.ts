import { ToolError } from "../contracts/errors.ts";
import * as schema from "../contracts/schema.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";

type Input = { readonly name: string; readonly input?: Readonly<Record<string, unknown>> };

/** Any object: the tool that it is for checks it. */
const anyObject: schema.Schema<Readonly<Record<string, unknown>>> = {
  json: { type: "object", description: "its arguments, as find_tools shows them" },
  problems: (value, path = "input") =>
    value !== null && typeof value === "object" && !Array.isArray(value) ? [] : [`${path} must be an object`],
};

/** Calls a tool whose schema was not sent; the loop looks up, checks, judges and runs the tool itself. */
export const callTool: AnyTool = defineTool<Input>({
  name: "call_tool",
  description: "Calls a tool of an MCP server by its name, mcp__server__tool. find_tools shows what it takes.",
  input: schema.object({ name: schema.string(), input: schema.optional(anyObject) }) as unknown as schema.Schema<Input>,
  effect: "none",
  standsFor: ({ name, input = {} }) => ({ tool: /^mcp__/.test(name) ? name : `mcp__${name}`, input }),
  describe: ({ name }) => ({ label: "mcp", title: name }),
  async run({ name }) {
    throw new ToolError(`There is no tool ${name}. find_tools lists those of the MCP servers.`);
  },
});
