import { isPrompt } from "../contracts/conversation-record.ts";
import type { AgentEvent } from "../contracts/event.ts";
import { type Message, type ToolCallPart, textOf, toolCallsOf } from "../contracts/message.ts";
import type { AnyTool } from "../contracts/tool.ts";
import type { ToolView } from "../contracts/tool-view.ts";
import type { PastItem } from "../ui/terminal/interface-options.ts";

const shownMessages = 40;

/** The last turn of a saved conversation as what it was made of, for a screen that shows it again; of a long turn its end. */
export function pastEvents(history: readonly Message[], tools: readonly AnyTool[]): readonly PastItem[] {
  const last = history.findLastIndex(isPrompt);
  const prompt = history[last];
  if (prompt === undefined) return [];
  const turn = history.slice(last + 1);
  const hidden = turn.length - shownMessages;
  const calls = new Map(turn.flatMap(toolCallsOf).map((call) => [call.callId, call]));
  const notice: AgentEvent = { type: "notice", text: `… ${hidden} earlier messages` };
  return [
    { type: "prompt", text: textOf(prompt) },
    ...(hidden > 0 ? [notice] : []),
    ...turn.slice(-shownMessages).flatMap((message) => eventsOf(message, (id) => viewOf(calls.get(id), tools))),
  ];
}

function eventsOf(message: Message, view: (callId: string) => ToolView | undefined): AgentEvent[] {
  if (message.role === "assistant") {
    const text = textOf(message);
    return [...(text === "" ? [] : [{ type: "text.delta", text } as const]), { type: "message.added", message }];
  }
  return message.parts.flatMap((part) => {
    if (part.type !== "tool-result") return [];
    const { callId, tool, isError, text } = part;
    const shown = view(callId) ?? { label: tool, title: "" };
    return [{ type: "tool.finished", callId, tool, view: shown, isError, text, durationMs: 0 } as const];
  });
}

/** Undefined when the tool is gone, or takes other arguments by now. */
function viewOf(call: ToolCallPart | undefined, tools: readonly AnyTool[]): ToolView | undefined {
  const tool = tools.find(({ name }) => name === call?.tool);
  const fits = call?.input !== undefined && tool?.input.problems(call.input).length === 0;
  return fits ? tool?.describe(call.input as never) : undefined;
}
