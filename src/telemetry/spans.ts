import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import type { Usage } from "../contracts/message.ts";

/** One piece of work with a beginning and an end, in the words of OpenTelemetry's conventions for generative AI. */
export type Span = {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: "internal" | "client";
  readonly startMs: number;
  readonly endMs: number;
  readonly attributes: Readonly<Record<string, string | number | boolean>>;
  readonly error?: string;
};

export type SpanSource = {
  readonly sessionId: string;
  readonly model: () => string;
  readonly vendor: () => string;
  /** Wall time in milliseconds. */
  readonly now: () => number;
};

/** Eight or sixteen bytes in hex. Unique, not secret. */
function hexName(bytes: number): string {
  let name = "";
  while (name.length < bytes * 2)
    name += Math.floor(Math.random() * 0x1_0000_0000)
      .toString(16)
      .padStart(8, "0");
  return name.slice(0, bytes * 2);
}

type OpenSpan = { readonly spanId: string; readonly startMs: number };

/** Watches one prompt and answers with its spans when it is over: the turn, every model call, every call of a tool. No texts, only names and numbers. */
export function createSpanRecorder({ sessionId, model, vendor, now }: SpanSource) {
  const traceId = hexName(16);
  const turn: OpenSpan = { spanId: hexName(8), startMs: now() };
  const tools = new Map<string, OpenSpan>();
  const spans: Span[] = [];
  /** By the call that a sub-agent works for; the person's own agent has none. */
  const modelSince = new Map<string | undefined, number>([[undefined, turn.startMs]]);
  const common = () => ({
    "gen_ai.provider.name": vendor(),
    "gen_ai.conversation.id": sessionId,
  });
  const parentOf = (callId: string | undefined) => tools.get(callId ?? "")?.spanId ?? turn.spanId;

  function modelCall(parentCallId: string | undefined, usage: Usage | undefined): void {
    const endMs = now();
    spans.push({
      traceId,
      spanId: hexName(8),
      parentSpanId: parentOf(parentCallId),
      name: `chat ${model()}`,
      kind: "client",
      startMs: modelSince.get(parentCallId) ?? turn.startMs,
      endMs,
      attributes: {
        ...common(),
        "gen_ai.operation.name": "chat",
        "gen_ai.request.model": model(),
        ...(usage ? usageAttributes(usage) : {}),
      },
    });
    modelSince.set(parentCallId, endMs);
  }

  function toolEnded({ callId, tool, isError, parentCallId }: Extract<AgentEvent, { type: "tool.finished" }>): void {
    const open = tools.get(callId);
    tools.delete(callId);
    if (open === undefined) return;
    const endMs = now();
    spans.push({
      traceId,
      spanId: open.spanId,
      parentSpanId: parentOf(parentCallId),
      name: `execute_tool ${tool}`,
      kind: "internal",
      startMs: open.startMs,
      endMs,
      attributes: {
        ...common(),
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": tool,
        "gen_ai.tool.call.id": callId,
      },
      ...(isError ? { error: "tool_error" } : {}),
    });
    modelSince.set(parentCallId, endMs);
  }

  function turnEnded({ outcome, totals }: Extract<AgentEvent, { type: "turn.finished" }>): readonly Span[] {
    const error = problemOf(outcome);
    const whole: Span = {
      traceId,
      spanId: turn.spanId,
      name: "invoke_agent corecoder",
      kind: "internal",
      startMs: turn.startMs,
      endMs: now(),
      attributes: {
        ...common(),
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "corecoder",
        "gen_ai.request.model": model(),
        ...usageAttributes(totals.usage),
        "corecoder.rounds": totals.rounds,
        ...(totals.costUsd === null ? {} : { "corecoder.cost_usd": totals.costUsd }),
      },
      ...(error === undefined ? {} : { error }),
    };
    return [whole, ...spans];
  }

  return {
    /** The spans, when this event ends the prompt. */
    take(event: AgentEvent): readonly Span[] | undefined {
      switch (event.type) {
        case "message.added":
          if (event.message.role === "assistant") modelCall(event.parentCallId, event.message.usage);
          return undefined;
        case "model.used":
          modelCall(event.parentCallId, event.usage);
          return undefined;
        case "tool.started":
          tools.set(event.callId, { spanId: hexName(8), startMs: now() });
          modelSince.set(event.callId, now());
          return undefined;
        case "tool.finished":
          toolEnded(event);
          return undefined;
        case "turn.finished":
          return event.parentCallId === undefined ? turnEnded(event) : undefined;
        default:
          return undefined;
      }
    },
  };
}

function usageAttributes({ inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens }: Usage) {
  return {
    "gen_ai.usage.input_tokens": inputTokens,
    "gen_ai.usage.output_tokens": outputTokens,
    "gen_ai.usage.cache_read.input_tokens": cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": cacheWriteTokens,
  };
}

function problemOf(outcome: TurnOutcome): string | undefined {
  return outcome.type === "done" ? undefined : outcome.type;
}
