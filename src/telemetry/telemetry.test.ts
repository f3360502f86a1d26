import { describe, expect, it } from "vitest";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import { createTelemetry } from "./telemetry.ts";

const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 0 };
const view = { label: "$", title: "ls -la secret" };

function eventsOf(outcome: TurnOutcome = { type: "done" }): AgentEvent[] {
  const said = { id: "m", role: "assistant", parts: [{ type: "text", text: "private words" }], usage } as const;
  return [
    { type: "message.added", message: said },
    { type: "tool.started", callId: "c1", tool: "bash", view },
    { type: "message.added", message: said, parentCallId: "c1" },
    { type: "tool.finished", callId: "c1", tool: "bash", view, isError: true, text: "private", durationMs: 1 },
    { type: "message.added", message: said },
    {
      type: "turn.finished",
      outcome,
      totals: { rounds: 2, usage, costUsd: 0.5, durationMs: 1, apiMs: 1, denials: [] },
    },
  ];
}

async function* stream(events: readonly AgentEvent[]) {
  yield* events;
}

async function watch(events: readonly AgentEvent[], fail?: Error) {
  const sent: Record<string, string> = {};
  const troubles: unknown[] = [];
  let now = 1_700_000_000_000;
  const telemetry = createTelemetry({
    sessionId: "s1",
    model: () => "gpt",
    vendor: () => "openai",
    now: () => (now += 250),
    serviceName: "mine",
    version: "1",
    async send(path, body) {
      if (fail) throw fail;
      sent[path] = body;
    },
    onTrouble: (problem) => troubles.push(problem),
  });
  const seen: AgentEvent[] = [];
  for await (const event of telemetry.watch(stream(events))) seen.push(event);
  await telemetry.flush();
  return { sent, troubles, seen };
}

type Told = { name: string; spanId: string; parentSpanId?: string; status: { code?: number }; attributes: unknown[] };

describe("telemetry", () => {
  it("tells the turn, every model call and every tool as a tree of spans", async () => {
    const { sent, seen } = await watch(eventsOf());
    expect(seen).toHaveLength(6);
    const { resourceSpans } = JSON.parse(sent["/v1/traces"] ?? "");
    expect(JSON.stringify(resourceSpans[0].resource)).toContain('"mine"');
    const spans: Told[] = resourceSpans[0].scopeSpans[0].spans;
    expect(spans.map(({ name }) => name)).toEqual([
      "invoke_agent corecoder",
      "chat gpt",
      "chat gpt",
      "execute_tool bash",
      "chat gpt",
    ]);
    const [turn, first, inner, tool] = spans;
    expect([first?.parentSpanId, tool?.parentSpanId, inner?.parentSpanId]).toEqual([
      turn?.spanId,
      turn?.spanId,
      tool?.spanId,
    ]);
    expect([turn?.status.code, tool?.status.code]).toEqual([undefined, 2]);
    expect(JSON.stringify(turn?.attributes)).toContain(
      '{"key":"gen_ai.usage.input_tokens","value":{"intValue":"100"}}',
    );
  });

  it("counts tokens and seconds by operation", async () => {
    const { sent } = await watch(eventsOf());
    const [seconds, tokens] = JSON.parse(sent["/v1/metrics"] ?? "").resourceMetrics[0].scopeMetrics[0].metrics;
    expect([seconds.name, tokens.name]).toEqual(["gen_ai.client.operation.duration", "gen_ai.client.token.usage"]);
    expect(tokens.histogram.dataPoints.map(({ count, sum }: { count: string; sum: number }) => [count, sum])).toEqual([
      ["3", 300],
      ["3", 60],
    ]);
    expect(seconds.histogram.dataPoints).toHaveLength(3);
  });

  it("carries no text of anybody's", async () => {
    const { sent } = await watch(eventsOf());
    expect(JSON.stringify(sent)).not.toMatch(/private|secret/);
  });

  it("says how a prompt ended that did not end well", async () => {
    const { sent } = await watch(eventsOf({ type: "round-limit", rounds: 2 }));
    expect(sent["/v1/traces"]).toContain('"status":{"code":2,"message":"round-limit"}');
  });

  it("mentions a collector that does not answer once, and costs nothing else", async () => {
    const { troubles, seen } = await watch([...eventsOf(), ...eventsOf()], new Error("refused"));
    expect([troubles.length, seen.length]).toEqual([1, 12]);
  });
});
