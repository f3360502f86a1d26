import type { ContextStep } from "./context.ts";
import type { FileChange } from "./file-change.ts";
import type { Message } from "./message.ts";
import type { SessionEntry, UndoScope } from "./session.ts";

/** Files that one call changed, and the prompt it was made for. */
export type TurnChange = {
  readonly promptId: string | undefined;
  readonly callId: string;
  readonly changes: readonly FileChange[];
};

/** What an undo took away: enough to bring it back. */
export type Undone = {
  readonly what: UndoScope;
  readonly steps: readonly ContextStep[];
  readonly changes: readonly TurnChange[];
  /** What the undo itself did to files. */
  readonly files: readonly FileChange[];
};

/**
 * A conversation is a fold over its log. The agent that holds it and the reader that takes it up again use this one fold, so both come to
 * the same.
 */
export type ConversationRecord = {
  readonly steps: readonly ContextStep[];
  readonly messages: readonly Message[];
  /** In the order in which they were made; those taken back are not among them. */
  readonly changes: readonly TurnChange[];
  /** The last one can be redone. */
  readonly undone: readonly Undone[];
  take(entry: SessionEntry, time: number): void;
};

export function createConversationRecord(): ConversationRecord {
  let steps: ContextStep[] = [];
  let messages: Message[] = [];
  let changes: TurnChange[] = [];
  let undone: Undone[] = [];
  let requestIsOpen = false;

  function add(message: Message, time: number): void {
    if (isPrompt(message)) undone = [];
    if (message.role === "assistant") {
      // logs of the first version do not name their requests
      if (!requestIsOpen) steps.push({ type: "request", rent: [], time });
      requestIsOpen = false;
    }
    steps.push({ type: "message", message, time });
    messages.push(message);
  }

  function keep(kept: ContextStep[]): void {
    steps = kept;
    messages = kept.flatMap((step) => (step.type === "message" ? [step.message] : []));
    requestIsOpen = kept.at(-1)?.type === "request";
  }

  function undo({ after, what, files }: Extract<SessionEntry, { type: "undo" }>): void {
    const end = steps.findIndex((step) => step.type === "message" && step.message.id === after) + 1;
    const cut = steps.slice(end);
    const prompts = new Set(cut.flatMap((step) => (step.type === "message" ? [step.message.id] : [])));
    const isCut = ({ promptId }: TurnChange) => promptId !== undefined && prompts.has(promptId);
    undone.push({
      what,
      files,
      steps: what === "files" ? [] : cut,
      changes: what === "conversation" ? [] : changes.filter(isCut),
    });
    if (what !== "files") keep(steps.slice(0, end));
    if (what !== "conversation") changes = changes.filter((change) => !isCut(change));
  }

  return {
    get steps() {
      return steps;
    },
    get messages() {
      return messages;
    },
    get changes() {
      return changes;
    },
    get undone() {
      return undone;
    },
    take(entry, time) {
      if ("parentCallId" in entry && entry.parentCallId !== undefined && entry.type !== "changes") return;
      switch (entry.type) {
        case "message":
          add(entry.message, time);
          break;
        case "edits":
          steps.push({ type: "edits", edits: entry.edits, ...(entry.receipt ? { receipt: entry.receipt } : {}), time });
          break;
        case "request":
          requestIsOpen = true;
          steps.push({ type: "request", rent: entry.rent, time });
          break;
        case "summary":
          steps.push({ type: "summary", text: entry.text });
          break;
        case "changes": {
          const promptId = messages.findLast(isPrompt)?.id;
          changes.push({ promptId, callId: entry.callId, changes: entry.changes });
          break;
        }
        case "undo":
          undo(entry);
          break;
        case "redo": {
          const last = undone.pop();
          if (last === undefined) break;
          keep([...steps, ...last.steps]);
          changes = [...changes, ...last.changes];
          break;
        }
        case "reset":
          keep([]);
          undone = [];
      }
    },
  };
}

/** A request of the person's, with which a turn begins. */
export function isPrompt({ role, synthetic }: Message): boolean {
  return role === "user" && synthetic !== true;
}
