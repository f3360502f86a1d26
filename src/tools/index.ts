import type { AgentKind, RunSubagent } from "../contracts/subagent.ts";
import type { AnyTool } from "../contracts/tool.ts";
import { createJobTable, type JobTable } from "../platform/jobs/job-table.ts";
import { createAgentTool } from "./agent.ts";
import { createBash } from "./bash.ts";
import { compact } from "./compact.ts";
import type { SandboxOptions } from "./confined-command.ts";
import { editFile } from "./edit-file.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
import { createJobTool } from "./job.ts";
import { readFile } from "./read-file.ts";
import { recall } from "./recall.ts";
import { todoWrite } from "./todo-write.ts";
import { writeFile } from "./write-file.ts";

export type ToolDependencies = {
  /** Does this command only read, so that it may run beside others? */
  readonly parallelSafe: (command: string) => boolean | Promise<boolean>;
  /** What commands inherit. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly runSubagent: RunSubagent;
  /** Beside those that are built in. */
  readonly agentKinds?: readonly AgentKind[];
  /** Left out: a table of its own. */
  readonly jobs?: JobTable;
  readonly commands?: { readonly overLimit?: "end" | "background"; readonly sandbox?: SandboxOptions };
};

/** Every tool, one line each, in the order the model sees them. */
export function createTools(dependencies: ToolDependencies): readonly AnyTool[] {
  const { parallelSafe, environment, runSubagent, agentKinds, jobs = createJobTable(), commands } = dependencies;
  return [
    createBash({ parallelSafe, environment, jobs, ...commands }),
    readFile,
    writeFile,
    editFile,
    glob,
    grep,
    createJobTool(jobs),
    createAgentTool(runSubagent, agentKinds),
    compact,
    recall,
    todoWrite,
  ];
}
