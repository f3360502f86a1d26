import type { Effort } from "./provider.ts";
import type { ToolContext, ToolOutput } from "./tool.ts";

/** What a sub-agent of a kind is and may use. It never may do more than its parent. */
export type AgentKind = {
  readonly name: string;
  /** When to use it, for the model. */
  readonly description: string;
  /** The tools it has, by our names; left out: all of its parent's. */
  readonly tools?: readonly string[];
  /** Left out: its parent's. */
  readonly model?: string;
  readonly effort?: Effort;
  readonly maxRounds?: number;
  readonly isolation?: "worktree";
  /** Nothing is changed, whatever its parent may do. */
  readonly isReadOnly?: true;
  /** Who it is and how it works; takes the place of the usual prompt. */
  readonly prompt: string;
};

export type SubagentRequest = {
  readonly task: string;
  /** The name of a kind. */
  readonly type?: string;
  readonly run_in_background?: boolean;
  readonly isolation?: "worktree";
};

/** Runs a task in a conversation of its own and answers with its last words, or at once when it runs in the background. */
export type RunSubagent = (request: SubagentRequest, context: ToolContext) => Promise<ToolOutput>;
