import type { ConversationRecord } from "../contracts/conversation-record.ts";
import { type ToolCallPart, toolCallsOf } from "../contracts/message.ts";

/** Calls of the last answer that have no result, because the program was stopped in between. */
export function openCalls({ messages }: ConversationRecord): readonly ToolCallPart[] {
  const answered = new Set<string>();
  for (const message of messages.toReversed()) {
    for (const part of message.parts) if (part.type === "tool-result") answered.add(part.callId);
    if (message.role === "assistant") return toolCallsOf(message).filter(({ callId }) => !answered.has(callId));
    if (message.role === "user") return [];
  }
  return [];
}

/** What is known about a call that was cut off. */
export function fateOf({ callId }: ToolCallPart, record: ConversationRecord, started: ReadonlySet<string>): string {
  if (!started.has(callId)) return "[interrupted: corecoder was stopped before this call ran; it did nothing]";
  const changed = record.changes
    .filter((change) => change.callId === callId)
    .flatMap(({ changes }) => changes.map(({ path }) => path));
  const known = changed.length > 0 ? ` It changed ${changed.slice(0, 20).join(", ")}.` : "";
  return `[interrupted: corecoder was stopped while this call ran, so its output is lost and it may have done part of its work.${known} Look before you repeat it.]`;
}
