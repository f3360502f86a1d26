import type { Receipt } from "../../contracts/context.ts";
import type { AgentEvent, TurnOutcome } from "../../contracts/event.ts";
import { emptyUsage, type Message, type Part, type Usage } from "../../contracts/message.ts";
import { type CreateDialect, type Line, type MachineSession, problemOf, type TurnResult } from "./dialect.ts";

/** The shape of the CLI contract: what readers of Claude Code's stream know, with our names of tools. */
export const createOwnDialect: CreateDialect = ({ session, partial }) => ({
  begin: () => [initLine(session)],
  prompt: () => [],
  event(event) {
    const line = lineOf(event, session.sessionId, { partial });
    return line ? [line] : [];
  },
  end: (result) => [resultLine(result, session)],
  summary: (result) => resultLine(result, session),
});

function initLine(session: MachineSession): Line {
  return {
    type: "system",
    subtype: "init",
    session_id: session.sessionId,
    model: session.model,
    cwd: session.cwd,
    tools: session.tools,
    permission_mode: session.permissionMode,
  };
}

/** Zero or one line an event. */
function lineOf(event: AgentEvent, sessionId: string, options: { partial: boolean }): Line | undefined {
  const place = { session_id: sessionId, parent_tool_use_id: event.parentCallId ?? null };
  switch (event.type) {
    case "message.added":
      return messageLine(event.message, place);
    case "retrying":
      return {
        type: "system",
        subtype: "api_retry",
        attempt: event.attempt,
        delay_ms: event.delayMs,
        reason: event.reason,
        session_id: sessionId,
      };
    case "context.edited":
      return event.receipt && boundaryLine(event.receipt, sessionId);
    case "notice":
      return { type: "system", subtype: "notice", text: event.text, session_id: sessionId };
    case "text.delta":
      return options.partial ? delta({ type: "text_delta", text: event.text }, place) : undefined;
    case "thinking.delta":
      return options.partial ? delta({ type: "thinking_delta", thinking: event.text }, place) : undefined;
    default:
      return undefined;
  }
}

function boundaryLine({ trigger, tokensBefore, tokensAfter, stages }: Receipt, sessionId: string): Line {
  const metadata = { trigger, pre_tokens: tokensBefore, post_tokens: tokensAfter, stages };
  return { type: "system", subtype: "compact_boundary", compact_metadata: metadata, session_id: sessionId };
}

function delta(content: Line, place: Line): Line {
  return { type: "stream_event", event: { type: "content_block_delta", index: 0, delta: content }, ...place };
}

function messageLine(message: Message, place: Line): Line | undefined {
  if (message.role === "assistant") {
    const content = message.parts.filter(hasContent).map(contentBlock);
    return {
      type: "assistant",
      message: { role: "assistant", content, usage: usageFields(message.usage ?? emptyUsage) },
      ...place,
    };
  }
  if (message.role !== "tool") return undefined;
  return { type: "user", message: { role: "user", content: message.parts.map(contentBlock) }, ...place };
}

/** Thinking without words only carries what its vendor wants back. */
function hasContent(part: Part): boolean {
  return part.type !== "thinking" || part.text !== "";
}

function contentBlock(part: Part): Line {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text };
    case "thinking":
      return { type: "thinking", thinking: part.text };
    case "image":
      return { type: "image", source: { type: "base64", media_type: part.mediaType, data: part.base64 } };
    case "tool-call":
      return { type: "tool_use", id: part.callId, name: part.tool, input: part.input ?? part.rawInput };
    case "tool-result":
      return { type: "tool_result", tool_use_id: part.callId, content: part.text, is_error: part.isError };
  }
}

/** Cached tokens are counted apart from `input_tokens`, as readers of this shape expect. */
export function usageFields(usage: Usage): Line {
  return {
    input_tokens: usage.inputTokens - usage.cacheReadTokens - usage.cacheWriteTokens,
    output_tokens: usage.outputTokens,
    cache_read_input_tokens: usage.cacheReadTokens,
    cache_creation_input_tokens: usage.cacheWriteTokens,
  };
}

const subtypes: Record<TurnOutcome["type"], string> = {
  done: "success",
  "round-limit": "error_max_turns",
  repetition: "error_max_turns",
  budget: "error_max_budget_usd",
  interrupted: "error_during_execution",
  failed: "error_during_execution",
};

/** Always the last line, also after an error. */
function resultLine(result: TurnResult, session: MachineSession): Line {
  const { outcome, totals, text, structured } = result;
  const problem = problemOf(result, session);
  return {
    type: "result",
    subtype: subtypes[outcome.type],
    is_error: outcome.type !== "done",
    result: text,
    ...(structured === undefined ? {} : { structured_output: structured }),
    num_turns: totals?.rounds ?? 0,
    duration_ms: Math.round(totals?.durationMs ?? 0),
    duration_api_ms: Math.round(totals?.apiMs ?? 0),
    total_cost_usd: totals?.costUsd ?? null,
    usage: usageFields(totals?.usage ?? emptyUsage),
    session_id: session.sessionId,
    permission_denials: (totals?.denials ?? []).map(({ tool, callId, input }) => ({
      tool_name: tool,
      tool_use_id: callId,
      tool_input: input,
    })),
    errors: problem === undefined ? [] : [problem],
  };
}
