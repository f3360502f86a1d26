import type { AgentEvent } from "../../contracts/event.ts";
import { emptyUsage, toolCallsOf } from "../../contracts/message.ts";
import { type CreateDialect, type Line, problemOf, type TurnResult } from "./dialect.ts";

/** Gemini CLI's stream: a time on every line, text as deltas, one result with statistics. */
export const createGeminiDialect: CreateDialect = ({ session }) => {
  let toolCalls = 0;
  const timed = (line: Line): Line => {
    const { type, ...rest } = line;
    return { type, timestamp: new Date().toISOString(), ...rest };
  };

  function lines(event: AgentEvent): readonly Line[] {
    if (event.parentCallId !== undefined) return [];
    switch (event.type) {
      case "text.delta":
        return [{ type: "message", role: "assistant", content: event.text, delta: true }];
      case "message.added": {
        const { message } = event;
        if (message.role === "assistant") return toolCallsOf(message).map(useLine);
        if (message.role !== "tool") return [];
        return message.parts.flatMap((part): Line[] => (part.type === "tool-result" ? [resultOf(part)] : []));
      }
      case "notice":
        return [{ type: "error", severity: "warning", message: event.text }];
      case "retrying":
        return [{ type: "error", severity: "warning", message: event.reason }];
      default:
        return [];
    }
  }

  function useLine(call: { callId: string; tool: string; input?: unknown; rawInput: string }): Line {
    toolCalls++;
    return { type: "tool_use", tool_name: call.tool, tool_id: call.callId, parameters: call.input ?? {} };
  }

  function statistics({ totals }: TurnResult): Line {
    const { inputTokens, outputTokens, cacheReadTokens } = totals?.usage ?? emptyUsage;
    const tokens = {
      total_tokens: inputTokens + outputTokens,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
      cached: cacheReadTokens,
      input: inputTokens - cacheReadTokens,
    };
    return {
      ...tokens,
      duration_ms: Math.round(totals?.durationMs ?? 0),
      tool_calls: toolCalls,
      models: { [session.model]: tokens },
    };
  }

  function outcome(result: TurnResult): Line {
    const message = problemOf(result, session);
    if (message === undefined) return { status: "success" };
    return { status: "error", error: { type: result.outcome.type, message } };
  }

  return {
    begin: () => [timed({ type: "init", session_id: session.sessionId, model: session.model })],
    prompt: (text) => [timed({ type: "message", role: "user", content: text })],
    event: (event) => lines(event).map(timed),
    end: (result) => [timed({ type: "result", ...outcome(result), stats: statistics(result) })],
    summary(result) {
      const { error } = outcome(result);
      return {
        session_id: session.sessionId,
        response: result.text,
        stats: statistics(result),
        ...(error === undefined ? {} : { error }),
      };
    },
  };
};

function resultOf(part: { callId: string; isError: boolean; text: string }): Line {
  const { callId, isError, text } = part;
  const status = isError ? "error" : "success";
  const error = isError ? { error: { type: "tool_error", message: text } } : {};
  return { type: "tool_result", tool_id: callId, status, output: text, ...error };
}
