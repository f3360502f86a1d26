import type { AgentEvent } from "../../contracts/event.ts";
import type { FileChange } from "../../contracts/file-change.ts";
import { emptyUsage, type Message, toolCallsOf } from "../../contracts/message.ts";
import { type CreateDialect, type Dialect, type Line, problemOf, type TurnResult } from "./dialect.ts";

/** Threads, turns and items, as `codex exec --json` tells them. */
export const createCodexDialect: CreateDialect = ({ session }) => {
  let items = 0;
  const nextId = () => `item_${items++}`;
  /** Items that have begun, by their call. */
  const open = new Map<string, Line>();
  /** What the model wrote, and what came of it on disk, by call. */
  const inputs = new Map<string, unknown>();
  const changes = new Map<string, readonly Line[]>();

  const completed = (fields: Line): Line => ({ type: "item.completed", item: { id: nextId(), ...fields } });

  function started({ callId, view, tool }: Extract<AgentEvent, { type: "tool.started" }>): readonly Line[] {
    if (tool === "todo_write") return [];
    const fields =
      view.command === undefined
        ? toolItem(tool, view, inputs.get(callId))
        : { type: "command_execution", command: view.command, aggregated_output: "", exit_code: null };
    const item = { id: nextId(), ...fields, status: "in_progress" };
    open.set(callId, item);
    return [{ type: "item.started", item }];
  }

  function finished(event: Extract<AgentEvent, { type: "tool.finished" }>): readonly Line[] {
    const { callId, display, isError, text } = event;
    if (display?.type === "todos") {
      const todos = display.todos.map(({ content, status }) => ({ text: content, completed: status === "completed" }));
      return [completed({ type: "todo_list", items: todos })];
    }
    const item = open.get(callId);
    open.delete(callId);
    inputs.delete(callId);
    if (item === undefined) return [];
    const status = isError ? "failed" : "completed";
    const exit = display?.type === "exit" ? display.code : isError ? 1 : 0;
    const outcome =
      item.type === "command_execution"
        ? { aggregated_output: text, exit_code: exit }
        : item.type === "mcp_tool_call"
          ? {
              result: isError ? null : { content: [{ type: "text", text }] },
              error: isError ? { message: text } : null,
            }
          : { changes: changes.get(callId) ?? item.changes };
    changes.delete(callId);
    return [{ type: "item.completed", item: { ...item, ...outcome, status } }];
  }

  function event(event: AgentEvent): readonly Line[] {
    // what a sub-agent does is its own thread's business
    if (event.parentCallId !== undefined) return [];
    switch (event.type) {
      case "message.added":
        for (const call of toolCallsOf(event.message)) inputs.set(call.callId, call.input);
        return spoken(event.message).map(completed);
      case "files.changed":
        changes.set(event.callId, event.changes.map(changeOf));
        return [];
      case "tool.started":
        return started(event);
      case "tool.finished":
        return finished(event);
      case "retrying":
        return [{ type: "error", message: `${event.reason}; trying again in ${event.delayMs} ms` }];
      default:
        return [];
    }
  }

  function end(result: TurnResult): readonly Line[] {
    const message = problemOf(result, session);
    if (message !== undefined)
      return [
        { type: "error", message },
        { type: "turn.failed", error: { message } },
      ];
    return [{ type: "turn.completed", usage: usageOf(result) }];
  }

  const dialect: Dialect = {
    begin: () => [{ type: "thread.started", thread_id: session.sessionId }],
    prompt: () => [{ type: "turn.started" }],
    event,
    end,
    summary: (result) => end(result).at(-1) as Line,
  };
  return dialect;
};

function usageOf({ totals }: TurnResult): Line {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens } = totals?.usage ?? emptyUsage;
  return {
    input_tokens: inputTokens,
    cached_input_tokens: cacheReadTokens,
    cache_write_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
    reasoning_output_tokens: 0,
  };
}

function spoken(message: Message): readonly Line[] {
  if (message.role !== "assistant") return [];
  return message.parts.flatMap((part): Line[] => {
    if (part.type === "text" && part.text.trim() !== "") return [{ type: "agent_message", text: part.text }];
    if (part.type === "thinking" && part.text.trim() !== "") return [{ type: "reasoning", text: part.text }];
    return [];
  });
}

function changeOf({ path, before, after }: FileChange): Line {
  return { path, kind: before === undefined ? "add" : after === undefined ? "delete" : "update" };
}

type View = { readonly title: string; readonly writes?: readonly string[] };

function toolItem(tool: string, view: View, input: unknown): Line {
  if (view.writes && view.writes.length > 0)
    return { type: "file_change", changes: view.writes.map((path) => ({ path, kind: "update" })) };
  const [, server, name] = /^mcp__(.+?)__(.+)$/.exec(tool) ?? [undefined, "corecoder", tool];
  return { type: "mcp_tool_call", server, tool: name, arguments: input ?? { title: view.title } };
}
