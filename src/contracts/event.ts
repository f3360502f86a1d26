import type { ContextEdit, Receipt } from "./context.ts";
import type { FileChange } from "./file-change.ts";
import type { Message, Usage } from "./message.ts";
import type { ToolDisplay, ToolView } from "./tool-view.ts";

/** How a prompt ended. */
export type TurnOutcome =
  | { readonly type: "done" }
  | { readonly type: "round-limit"; readonly rounds: number }
  | { readonly type: "repetition"; readonly tool: string; readonly times: number }
  | { readonly type: "budget"; readonly limitUsd: number }
  | { readonly type: "interrupted" }
  | { readonly type: "failed"; readonly error: Error };

export type PermissionDenial = {
  readonly tool: string;
  readonly callId: string;
  readonly input: unknown;
  readonly because: string;
};

/** Sums over one prompt. `costUsd` is null when a price is unknown. */
export type TurnTotals = {
  readonly rounds: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
  readonly durationMs: number;
  readonly apiMs: number;
  readonly denials: readonly PermissionDenial[];
};

type EventBody =
  | { readonly type: "text.delta"; readonly text: string }
  | { readonly type: "thinking.delta"; readonly text: string }
  /** What was streamed so far of this answer is void: it comes again from the start. */
  | { readonly type: "answer.restarted" }
  /** Already on disk when it is seen. */
  | {
      readonly type: "message.added";
      readonly message: Message;
      /** Of a sub-agent's answer, when its model is not its parent's. */
      readonly model?: string;
    }
  | { readonly type: "tool.started"; readonly callId: string; readonly tool: string; readonly view: ToolView }
  | { readonly type: "tool.progress"; readonly callId: string; readonly text: string }
  | {
      readonly type: "tool.finished";
      readonly callId: string;
      readonly tool: string;
      readonly view: ToolView;
      readonly isError: boolean;
      readonly text: string;
      readonly durationMs: number;
      readonly display?: ToolDisplay;
    }
  /** The view changed; the history did not. Already on disk when it is seen. */
  | { readonly type: "context.edited"; readonly edits: readonly ContextEdit[]; readonly receipt: Receipt | undefined }
  /** A model call that added no message, such as one for a summary. */
  | { readonly type: "model.used"; readonly model: string; readonly usage: Usage }
  /** The vendor read anew what it should have had in its cache. */
  | {
      readonly type: "cache.missed";
      readonly expectedTokens: number;
      readonly readTokens: number;
      readonly cause: string;
    }
  /** What one call did to files, and what of it cannot be undone. Already on disk when it is seen. */
  | {
      readonly type: "files.changed";
      readonly callId: string;
      readonly changes: readonly FileChange[];
      readonly uncovered: readonly string[];
    }
  | { readonly type: "retrying"; readonly attempt: number; readonly delayMs: number; readonly reason: string }
  /** One line for the person. */
  | { readonly type: "notice"; readonly text: string }
  | { readonly type: "turn.finished"; readonly outcome: TurnOutcome; readonly totals: TurnTotals };

/** Everything that happens, in order. `parentCallId` names the `agent` call inside which a sub-agent's event happened. */
export type AgentEvent = EventBody & { readonly parentCallId?: string };
