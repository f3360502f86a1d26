import type { ContextEdit, Receipt } from "./context.ts";
import type { AgentEvent } from "./event.ts";
import type { FileChange } from "./file-change.ts";
import type { Message, Usage } from "./message.ts";
import type { Todo } from "./tool-view.ts";

/** Settings that come back when a session is taken up again. */
export type SessionSettings = Readonly<Record<string, string | number | boolean | readonly string[]>>;

/** Entries of a sub-agent's conversation name the `agent` call they belong to. */
type OfSubagent = { readonly parentCallId?: string };

/** One record of the log. */
export type SessionEntry =
  | {
      readonly type: "session";
      readonly version: 2;
      readonly id: string;
      readonly cwd: string;
      readonly model: string;
      readonly program: string;
      /** Given for this session; stronger than the environment when it is taken up again. */
      readonly settings?: SessionSettings;
      /** In force from elsewhere; weaker. */
      readonly ambient?: SessionSettings;
      readonly forkedFrom?: string;
      /** Of a sub-agent: the session that started it, and its kind. */
      readonly parent?: string;
      readonly agent?: string;
    }
  /** What every request begins with, from here on. `date` is the day the system prompt names. */
  | {
      readonly type: "request.prefix";
      readonly system: string;
      readonly tools: readonly unknown[];
      readonly date?: string;
    }
  | ({ readonly type: "message"; readonly message: Message; readonly model?: string } & OfSubagent)
  | ({ readonly type: "edits"; readonly edits: readonly ContextEdit[]; readonly receipt?: Receipt } & OfSubagent)
  /** A request goes out now; `rent` is what the context engine had put by. */
  | ({ readonly type: "request"; readonly rent: readonly number[] } & OfSubagent)
  /** A model call that left no message, such as a summary. */
  | ({ readonly type: "usage"; readonly model: string; readonly usage: Usage } & OfSubagent)
  /** Written ahead, for the case that the person stays away for longer than the vendor keeps a prefix. */
  | { readonly type: "summary"; readonly text: string }
  | { readonly type: "model"; readonly model: string; readonly settings: SessionSettings }
  /** What changed in the agent's own picture of its workspace; what is left out stayed as it was. */
  | WorkspaceEntry
  /** Files that one call changed. */
  | ({ readonly type: "changes"; readonly callId: string; readonly changes: readonly FileChange[] } & OfSubagent)
  /** A text too long for the conversation, kept beside the log under its hash. */
  | { readonly type: "kept"; readonly handle: string; readonly hash: string; readonly bytes: number }
  /** The person named the session. */
  | { readonly type: "name"; readonly name: string }
  /** Everything after this message is taken back (undefined: everything); `files` are the changes that doing so made. */
  | { readonly type: "undo"; readonly after?: string; readonly what: UndoScope; readonly files: readonly FileChange[] }
  /** The last undo is taken back. */
  | { readonly type: "redo"; readonly what: UndoScope; readonly files: readonly FileChange[] }
  /** The person started over; the log goes on. */
  | { readonly type: "reset" }
  | { readonly type: "event"; readonly event: AgentEvent };

export type UndoScope = "both" | "files" | "conversation";

export type WorkspaceEntry = {
  readonly type: "workspace";
  readonly cwd?: string;
  readonly previousCwd?: string;
  /** null: unset. */
  readonly exported?: readonly (readonly [name: string, value: string | null])[];
  /** null: no longer known. */
  readonly seen?: readonly (readonly [path: string, hash: string | null])[];
  readonly changed?: readonly string[];
  readonly todos?: readonly Todo[];
};

/** Append-only; `append` returns when the bytes are with the operating system. It never throws: trouble is told once through `onTrouble`. */
export interface SessionLog {
  readonly id: string;
  append(entry: SessionEntry): void;
  /** At the end of a turn: what was appended is on the disk when this resolves. Never rejects. */
  flush(): Promise<void>;
  close(): void;
}
