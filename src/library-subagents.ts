import type { Agent } from "./agent/agent.ts";
import type { AgentOptions } from "./agent/agent-options.ts";
import { createSubagents, type Subagents } from "./agent/subagent.ts";
import { exploreKind } from "./agents/built-in-kinds.ts";
import { stateFolderOf } from "./config/load.ts";
import { processEnvironment } from "./config/process-environment.ts";
import type { PermissionPolicy } from "./contracts/permission.ts";
import { createWorktrees } from "./platform/git-worktree.ts";
import type { JobTable } from "./platform/jobs/job-table.ts";
import { projectSlug } from "./platform/project-slug.ts";

export type LibraryHome = {
  readonly agent: Agent;
  readonly options: AgentOptions;
  readonly jobs: JobTable;
  readonly environment: Readonly<Record<string, string>>;
  readonly readOnlyPolicy: () => PermissionPolicy;
  /** The prompt of the command line with other instructions. */
  readonly systemFor: (cwd: string, instructions: string) => string;
  /** A window for a conversation that begins with this prompt. */
  readonly contextFor: (system: string) => NonNullable<AgentOptions["createContext"]>;
};

/** Sub-agents of an agent that a program made: the kinds that are built in, with the model of their parent, and nothing of theirs saved. */
export function openLibrarySubagents({ agent, options, jobs, environment, ...home }: LibraryHome): Subagents {
  const { root } = options.workspace;
  const worktrees = createWorktrees({
    folder: `${stateFolderOf(processEnvironment())}-worktrees/${projectSlug(root)}`,
    environment,
  });
  return createSubagents({
    parent: () => ({ options, steps: agent.record.steps }),
    kinds: [exploreKind],
    jobs,
    makeWorktree: worktrees.make,
    readOnlyPolicy: home.readOnlyPolicy,
    furnish({ kind, workspace }) {
      const system = kind === undefined ? options.system : home.systemFor(workspace.root, kind.prompt);
      return {
        ...{ provider: options.provider, model: options.model, system },
        // what is logged is the parent's conversation
        log: () => {},
        createContext: home.contextFor(system),
        close: () => {},
      };
    },
  });
}
