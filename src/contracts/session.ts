import type { ContextEdit, Receipt } from "./context.ts";
import type { AgentEvent } from "./event.ts";
import type { Message } from "./message.ts";

/** One line of the log. */
export type SessionEntry =
  | {
      readonly type: "session";
      readonly version: 1;
      readonly id: string;
      readonly cwd: string;
      readonly model: string;
      readonly program: string;
    }
  | { readonly type: "request.prefix"; readonly system: string; readonly tools: readonly unknown[] }
  | { readonly type: "message"; readonly message: Message; readonly parentCallId?: string }
  | {
      readonly type: "edits";
      readonly edits: readonly ContextEdit[];
      readonly receipt?: Receipt;
      readonly parentCallId?: string;
    }
  /** The person started over; the log goes on. */
  | { readonly type: "reset" }
  | { readonly type: "event"; readonly event: AgentEvent };

/** Append-only; `append` returns when the bytes are with the operating system. It never throws: trouble is told once through `onTrouble`. */
export interface SessionLog {
  readonly id: string;
  append(entry: SessionEntry): void;
  close(): void;
}
