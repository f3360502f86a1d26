import { ToolError } from "../contracts/errors.ts";
import type { Extension } from "../contracts/extension.ts";
import type { AgentKind } from "../contracts/subagent.ts";
import type { AnyTool, Tool } from "../contracts/tool.ts";

export type SubagentTools = { readonly tools: readonly AnyTool[]; readonly missing: readonly string[] };

/** Of the parent's tools those that a kind names. A sub-agent starts no others: a fork is told so, the rest do not know the tool. */
export function toolsFor(
  kind: AgentKind | undefined,
  parents: readonly AnyTool[],
  history: "fork" | "fresh",
): SubagentTools {
  if (history === "fork")
    return { tools: parents.map((tool) => (tool.name === "agent" ? refusing(tool) : tool)), missing: [] };
  const tools = parents.filter(({ name }) => name !== "agent");
  const wanted = kind?.tools;
  if (wanted === undefined) return { tools, missing: [] };
  // what left the view can be had again, and who starts jobs looks after them
  const isCompanion = (name: string) =>
    name === "recall" || (name === "job" && wanted.includes("bash") && !kind?.isReadOnly);
  return {
    tools: tools.filter(({ name }) => wanted.includes(name) || isCompanion(name)),
    // a server's tools may be found by their names later
    missing: wanted.filter((name) => !name.startsWith("mcp__") && !tools.some((tool) => tool.name === name)),
  };
}

function refusing(tool: AnyTool): AnyTool {
  const refused: Tool<never> = {
    ...tool,
    run: async () => {
      throw new ToolError("A sub-agent cannot start others. Do the work yourself.");
    },
  };
  return refused;
}

/** Sub-agents use what extensions bring; what is to be told is told to the person's conversation, unless there is one of it for each. */
export function extensionsFor(kind: AgentKind | undefined, extensions: readonly Extension[]): readonly Extension[] {
  const isWanted = (name: string) => kind?.tools === undefined || kind.tools.includes(name);
  return extensions.flatMap(({ findTool, onTouched, forSubagent }) => {
    const own = forSubagent?.();
    if (own !== undefined) return own;
    if (findTool === undefined && onTouched === undefined) return [];
    return {
      ...(findTool ? { findTool: async (name: string) => (isWanted(name) ? findTool(name) : undefined) } : {}),
      ...(onTouched ? { onTouched } : {}),
    };
  });
}
