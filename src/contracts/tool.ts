import type { RecallAnswer, RecallRequest } from "./context.ts";
import type { AgentEvent } from "./event.ts";
import type { ImagePart } from "./message.ts";
import type { Schema } from "./schema.ts";
import type { ToolDisplay, ToolView } from "./tool-view.ts";
import type { Workspace } from "./workspace.ts";

/** What a call does to the world; permissions decide by this and by the view, never by a tool's name. */
export type ToolEffect = "read" | "write" | "execute" | "network" | "none";

export type ToolOutput = {
  /** For the model. */
  readonly text: string;
  readonly images?: readonly ImagePart[];
  /** True when the model should treat the text as an error although the call itself worked (a failing command). */
  readonly isError?: boolean;
  /** For the person: a unified diff, a task list. Never sent to the model. */
  readonly display?: ToolDisplay;
};

export type ToolContext = {
  readonly callId: string;
  /** Short name of the result, `#12`; texts too long for the conversation are saved under it. */
  readonly handle: string;
  readonly workspace: Workspace;
  readonly signal: AbortSignal;
  /** The call was allowed for a sandbox, not for the open. */
  readonly inSandbox?: boolean;
  /** Asks the person for more than was granted, with a reason; undefined when they say yes, otherwise what the model should read. */
  approve?(because: string): Promise<string | undefined>;
  /** Live output for the person; the model never sees it. */
  progress(text: string): void;
  /** Anything that has left the view of this conversation. */
  recall(request: RecallRequest): RecallAnswer;
  /** Folds the conversation once all calls of this answer are done. */
  requestCompaction(focus: string | undefined): void;
  /** Model calls that are left for this prompt when the answer to this call has been read; left out: no limit is known. */
  readonly roundsLeft?: number;
  /** Events of work done inside this call, such as a sub-agent's; they are stamped with the call. */
  emit(event: AgentEvent): void;
  /** Keeps a text that is too long for the conversation; answers with the path that read_file can open, or undefined when it cannot be kept. */
  keep(text: string): string | undefined;
  /** Keeps a file written into the output folder under this call's handle; answers with where it lies from now on. */
  keepFile(path: string): string;
  /** Folder for files written while a call runs; created on demand, undefined when there is no state folder. */
  outputFolder(): string | undefined;
};

export type Concurrency = "parallel-read" | "parallel" | "alone";

/** One capability, described as data. `run` throws ToolError for what the model should read. */
export interface Tool<Input = never> {
  readonly name: string;
  readonly description: string;
  readonly input: Schema<Input>;
  readonly effect: ToolEffect;
  /**
   * May this call run beside others? Calls that only read may, and may start while the model is still streaming.
   * Left out: decided by `effect` ("read" and "none" may).
   */
  concurrency?(input: Input): Concurrency | Promise<Concurrency>;
  /** A call that only names another tool: that one is looked up, checked, judged, shown and run in its place. */
  standsFor?(input: Input): { readonly tool: string; readonly input: Readonly<Record<string, unknown>> } | undefined;
  describe(input: Input): ToolView;
  /** For a question about the call: what it would do to a file, as a unified diff. Asked for only then; changes nothing. */
  preview?(input: Input, workspace: Workspace): Promise<string | undefined>;
  run(input: Input, context: ToolContext): Promise<ToolOutput>;
}

/** A tool whose input type is settled inside; what registries and the loop hold. */
export type AnyTool = Tool<never>;

export function defineTool<Input>(tool: Tool<Input>): AnyTool {
  return tool as unknown as AnyTool;
}
