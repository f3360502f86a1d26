import type { ContentBlock, SessionUpdate } from "@agentclientprotocol/sdk";
import type { AgentEvent } from "../contracts/event.ts";
import type { Message, ToolCallPart } from "../contracts/message.ts";
import type { Todo } from "../contracts/tool-view.ts";
import { contentOf, kindOf, locationsOf, textContent, titleOf } from "./tool-call-content.ts";

export type UpdateOptions = {
  readonly root: string;
  /** Notices may be sent only to those who asked for them. */
  readonly wantsNotices: boolean;
};

/** Live output of a command that an editor is shown; the whole comes with the result. */
const shownTail = 4_000;

/** What happens, in the words of the protocol. What a sub-agent does shows in the call it works for. */
export function createUpdates({ root, wantsNotices }: UpdateOptions): (event: AgentEvent) => readonly SessionUpdate[] {
  const live = new Map<string, string>();

  function progress(callId: string, text: string): SessionUpdate {
    const tail = `${live.get(callId) ?? ""}${text}`.slice(-shownTail);
    live.set(callId, tail);
    return { sessionUpdate: "tool_call_update", toolCallId: callId, content: [textContent(tail)] };
  }

  function inside(parentCallId: string, event: AgentEvent): readonly SessionUpdate[] {
    return event.type === "tool.started" ? [progress(parentCallId, `${titleOf(event.view)}\n`)] : [];
  }

  return (event) => {
    if (event.parentCallId !== undefined) return inside(event.parentCallId, event);
    switch (event.type) {
      case "text.delta":
        return [spoken("agent_message_chunk", event.text)];
      case "thinking.delta":
        return [spoken("agent_thought_chunk", event.text)];
      case "tool.started": {
        const { callId, tool, view } = event;
        return [
          {
            sessionUpdate: "tool_call",
            toolCallId: callId,
            name: tool,
            title: titleOf(view),
            kind: kindOf(view),
            status: "in_progress",
            locations: locationsOf(view, root),
            ...(view.command === undefined ? {} : { rawInput: { command: view.command } }),
          },
        ];
      }
      case "tool.progress":
        return [progress(event.callId, event.text)];
      case "tool.finished": {
        const { callId, isError, text, display } = event;
        live.delete(callId);
        const finished: SessionUpdate = {
          sessionUpdate: "tool_call_update",
          toolCallId: callId,
          status: isError ? "failed" : "completed",
          content: contentOf({ text, ...(display ? { display } : {}) }, root),
        };
        return display?.type === "todos" ? [finished, planOf(display.todos)] : [finished];
      }
      case "notice":
        return wantsNotices ? [{ sessionUpdate: "notice", severity: "info", title: event.text }] : [];
      case "retrying": {
        const title = `Trying again in ${(event.delayMs / 1000).toFixed(1)} s: ${event.reason}`;
        return wantsNotices ? [{ sessionUpdate: "notice", severity: "warning", title }] : [];
      }
      default:
        return [];
    }
  };
}

function spoken(
  kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk",
  text: string,
): SessionUpdate {
  const content: ContentBlock = { type: "text", text };
  return { sessionUpdate: kind, content };
}

function planOf(todos: readonly Todo[]): SessionUpdate {
  const entries = todos.map(({ content, status }) => ({ content, status, priority: "medium" as const }));
  return { sessionUpdate: "plan", entries };
}

/** A saved conversation, told again from its start. */
export function historyUpdates(history: readonly Message[]): readonly SessionUpdate[] {
  const results = new Map(
    history.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [[part.callId, part] as const] : [])),
    ),
  );
  const toldCall = ({ callId, tool, input, rawInput }: ToolCallPart): SessionUpdate => {
    const result = results.get(callId);
    return {
      sessionUpdate: "tool_call",
      toolCallId: callId,
      name: tool,
      title: tool,
      kind: "other",
      status: result === undefined || result.isError ? "failed" : "completed",
      rawInput: input ?? rawInput,
      ...(result ? { content: [textContent(result.text)] } : {}),
    };
  };
  return history.flatMap((message) => {
    if (message.role === "tool" || message.synthetic) return [];
    return message.parts.flatMap((part): SessionUpdate[] => {
      if (part.type === "text")
        return [spoken(message.role === "user" ? "user_message_chunk" : "agent_message_chunk", part.text)];
      if (part.type === "thinking") return [spoken("agent_thought_chunk", part.text)];
      return part.type === "tool-call" ? [toldCall(part)] : [];
    });
  });
}
