import { describe, expect, it } from "vitest";
import { ProviderError, type ProviderErrorCode } from "../contracts/errors.ts";
import type { AgentEvent } from "../contracts/event.ts";
import type { ModelAnswer, Provider, ProviderEvent } from "../contracts/provider.ts";
import { callModel, type ModelCall } from "./model-call.ts";

const answer: ModelAnswer = { parts: [{ type: "text", text: "fine" }], stopReason: "end", usage: undefined };

type Step = ModelAnswer | ProviderError | { emit: readonly ProviderEvent[]; outcome: ModelAnswer | ProviderError };

function callWith(steps: readonly Step[], extra: Partial<ModelCall> = {}) {
  let asked = 0;
  const events: AgentEvent[] = [];
  const provider: Provider = {
    endpoint: "test",
    async stream(_request, { onEvent }) {
      const step = steps[Math.min(asked++, steps.length - 1)] as Step;
      const { emit, outcome } = "outcome" in step ? step : { emit: [], outcome: step };
      for (const event of emit) onEvent(event);
      if (outcome instanceof ProviderError) throw outcome;
      return outcome;
    },
  };
  const call = callModel({
    provider,
    request: { model: "m", system: "", tools: [], messages: [] },
    signal: new AbortController().signal,
    budget: { used: 0 },
    retryBaseMs: 0,
    emit: (event) => events.push(event),
    onCall: () => {},
    onRestart: () => {},
    ...extra,
  });
  return { call, events, asked: () => asked };
}

const fail = (code: ProviderErrorCode, retryAfterMs?: number) =>
  new ProviderError(code, code, retryAfterMs === undefined ? {} : { retryAfterMs });

describe("a model call", () => {
  it.each(["rate-limit", "overloaded", "network", "stalled", "broken-stream"] as const)(
    "that fails with %s is tried again, five times at most, visibly",
    async (code) => {
      const recovered = callWith([fail(code), fail(code), answer]);
      expect(await recovered.call).toEqual(answer);
      expect(recovered.events.map((event) => event.type)).toEqual(["retrying", "retrying"]);
      const hopeless = callWith([fail(code)]);
      await expect(hopeless.call).rejects.toMatchObject({ code });
      expect(hopeless.asked()).toBe(5);
    },
  );

  it.each(["auth", "quota", "bad-request", "not-found", "context-overflow", "content-filter", "not-a-stream"] as const)(
    "that fails with %s is not tried again",
    async (code) => {
      const { call, asked, events } = callWith([fail(code), answer]);
      await expect(call).rejects.toMatchObject({ code });
      expect(asked()).toBe(1);
      expect(events).toEqual([]);
    },
  );

  it.each(["parameter-refused", "stale"] as const)(
    "sends again at once, and without a word, after %s",
    async (code) => {
      const { call, asked, events } = callWith([fail(code), answer]);
      expect(await call).toEqual(answer);
      expect(asked()).toBe(2);
      expect(events).toEqual([]);
    },
  );

  it("counts what an answer cost that was thrown away, and voids what was shown of its thinking", async () => {
    const usage = { inputTokens: 10, outputTokens: 50, cacheReadTokens: 0, cacheWriteTokens: 0 };
    const cut = new ProviderError("parameter-refused", "cut before it began", { usage });
    const { call, events } = callWith([{ emit: [{ type: "thinking", text: "hmm" }], outcome: cut }, answer]);
    expect(await call).toEqual(answer);
    expect(events).toEqual([
      { type: "thinking.delta", text: "hmm" },
      { type: "model.used", model: "m", usage },
      { type: "answer.restarted" },
    ]);
  });

  it("makes six requests at the very most, whatever the mixture of failures", async () => {
    const { call, asked } = callWith([
      fail("stale"),
      fail("parameter-refused"),
      fail("overloaded"),
      fail("network"),
      fail("stalled"),
      fail("rate-limit"),
      answer,
    ]);
    await expect(call).rejects.toThrow();
    expect(asked()).toBeLessThanOrEqual(6);
  });

  it("asks an empty-handed model once more, then says so", async () => {
    const empty: ModelAnswer = { parts: [], stopReason: "end", usage: undefined };
    const { call, asked } = callWith([empty]);
    await expect(call).rejects.toMatchObject({ code: "empty" });
    expect(asked()).toBe(2);
  });

  it("that breaks after text was shown comes back as an interrupted answer instead of repeating itself", async () => {
    const { call, asked } = callWith([
      { emit: [{ type: "text", text: "Hello wor" }], outcome: fail("broken-stream") },
      answer,
    ]);
    expect(await call).toEqual({
      parts: [{ type: "text", text: "Hello wor" }],
      stopReason: "interrupted",
      usage: undefined,
    });
    expect(asked()).toBe(1);
  });

  it("that breaks after thinking alone starts over and voids what was shown of it", async () => {
    const { call, events } = callWith([
      { emit: [{ type: "thinking", text: "hmm" }], outcome: fail("broken-stream") },
      answer,
    ]);
    expect(await call).toEqual(answer);
    expect(events.map((event) => event.type)).toEqual(["thinking.delta", "retrying", "answer.restarted"]);
  });

  it("waits as long as the server asked, and an interruption ends the wait at once", async () => {
    const stop = new AbortController();
    const { call } = callWith([fail("rate-limit", 60_000), answer], {
      signal: stop.signal,
      emit: (event) => {
        if (event.type !== "retrying") return;
        expect(event.delayMs).toBe(60_000);
        setImmediate(() => stop.abort());
      },
    });
    await expect(call).rejects.toMatchObject({ code: "aborted" });
  });
});
