import { report } from "./report.ts";

export const mcp = report(
  "mcp",
  "servers of tools and their state",
  async (host) =>
    host.report("mcp") ??
    "No MCP servers. Add one: corecoder mcp add NAME -- COMMAND, or in .mcp.json (docs/mcp.md).\n",
);
