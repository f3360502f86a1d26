import type { ContextStep } from "../contracts/context.ts";
import { createConversationRecord } from "../contracts/conversation-record.ts";
import type { RestoredConversation } from "./agent-options.ts";

/** Stands in the place of results that the original is still waiting for. */
const openCallAnswer = "[handled elsewhere: you are a fork of this conversation, made for the task that follows]";

/** A copy of a conversation as it is now: its first request is the original's last one, and what came since. */
export function forkConversation(steps: readonly ContextStep[]): RestoredConversation {
  const record = createConversationRecord();
  for (const step of steps) record.take(step, "time" in step ? (step.time ?? 0) : 0);
  const numbers = record.messages.map(({ id }) => Number(/^m(\d+)$/.exec(id)?.[1] ?? 0));
  return { record, lastMessage: Math.max(0, ...numbers), startedCalls: new Set(), openCallAnswer };
}

export function forkTask(task: string): string {
  return `[You are a fork of this conversation. Do only the following, in your own calls, and end with a short report; everything else goes on without you.]\n${task}`;
}
