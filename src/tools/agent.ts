import { type Infer, object, oneOf, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool, type RunSubagent } from "../contracts/tool.ts";

const input = object({
  task: string("the whole task, with all it needs to know"),
  type: optional(oneOf(["general"])),
});

/** Several in one answer run side by side. */
export function createAgentTool(runSubagent: RunSubagent): AnyTool {
  return defineTool<Infer<typeof input>>({
    name: "agent",
    description:
      "Hand a self-contained task to a fresh agent with the same tools; only its final report comes back. For wide searches and independent parts; several run in parallel.",
    input,
    effect: "none",
    concurrency: () => "parallel",
    describe: ({ task }) => ({ label: "agent", title: task.split("\n")[0] ?? "" }),
    run: ({ task }, context) => runSubagent(task, context),
  });
}
