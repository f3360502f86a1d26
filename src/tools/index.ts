import type { AnyTool, RunSubagent } from "../contracts/tool.ts";
import { createAgentTool } from "./agent.ts";
import { createBash } from "./bash.ts";
import { compact } from "./compact.ts";
import { editFile } from "./edit-file.ts";
import { glob } from "./glob.ts";
import { grep } from "./grep.ts";
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
};

/** Every tool, one line each, in the order the model sees them. */
export function createTools({ parallelSafe, environment, runSubagent }: ToolDependencies): readonly AnyTool[] {
  return [
    createBash({ parallelSafe, environment }),
    readFile,
    writeFile,
    editFile,
    glob,
    grep,
    createAgentTool(runSubagent),
    compact,
    recall,
    todoWrite,
  ];
}
