import { boolean, type Infer, object, oneOf, optional, string } from "../contracts/schema.ts";
import type { AgentKind, RunSubagent } from "../contracts/subagent.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";

/** Several in one answer run side by side. */
export function createAgentTool(runSubagent: RunSubagent, kinds: readonly AgentKind[] = []): AnyTool {
  const input = object({
    task: string("the whole task, with all it needs to know"),
    type: optional(oneOf(["general", "explore", "fork", ...kinds.map(({ name }) => name)])),
    run_in_background: optional(boolean()),
    isolation: optional(oneOf(["worktree"])),
  });
  return defineTool<Infer<typeof input>>({
    name: "agent",
    description: `Hand a self-contained task to a fresh agent; only its report comes back. explore only reads; fork knows this conversation. For wide searches and independent parts; several run in parallel.${describeKinds(kinds)}`,
    input,
    effect: "none",
    concurrency: () => "parallel",
    describe: ({ task, type }) => {
      const [line = ""] = task.split("\n");
      return { label: "agent", title: type === undefined || type === "general" ? line : `${type}: ${line}` };
    },
    run: runSubagent,
  });
}

const descriptionLimit = 240;
/** Those that find no room here are known by their names. */
const descriptionsLimit = 4_000;

function describeKinds(kinds: readonly AgentKind[]): string {
  let text = "";
  for (const { name, description } of kinds) {
    const short =
      description.length > descriptionLimit ? `${description.slice(0, descriptionLimit - 1)}…` : description;
    const line = `\n- ${name}: ${short}`;
    if (text.length + line.length <= descriptionsLimit) text += line;
  }
  return text;
}
