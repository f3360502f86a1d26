import { describe, expect, it } from "vitest";
import { ProviderError, UserError } from "../contracts/errors.ts";
import type { AgentEvent, TurnOutcome, TurnTotals } from "../contracts/event.ts";
import type { Message } from "../contracts/message.ts";
import type { MachineSession } from "./dialects/dialect.ts";
import { createOwnDialect } from "./dialects/own.ts";
import { failureLine, printJsonLines } from "./json-lines.ts";

const session: MachineSession = {
  sessionId: "s1",
  model: "m1",
  cwd: "/work",
  tools: ["bash", "read_file"],
  permissionMode: "default",
  endpoint: "http://localhost:9/v1",
};
const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 10 };
const usageOnWire = {
  input_tokens: 30,
  output_tokens: 20,
  cache_read_input_tokens: 60,
  cache_creation_input_tokens: 10,
};
const totals: TurnTotals = {
  rounds: 2,
  usage,
  costUsd: 0.0123,
  durationMs: 1234.6,
  apiMs: 999.4,
  denials: [{ tool: "bash", callId: "c1", input: { command: "rm -rf /" }, because: "dangerous" }],
};
const dialectWith = (partial: boolean) => createOwnDialect({ session, partial });
const lineOf = (event: AgentEvent, options: { partial: boolean }) => dialectWith(options.partial).event(event)[0];
const place = { session_id: "s1", parent_tool_use_id: null };
const added = (message: Message, more: { parentCallId?: string } = {}) =>
  lineOf({ type: "message.added", message, ...more }, { partial: false });

async function* stream(events: readonly AgentEvent[]) {
  yield* events;
}

async function print(events: readonly AgentEvent[], mode: { every: boolean; partial?: boolean }) {
  let out = "";
  let err = "";
  const output = {
    out: (text: string) => void (out += text),
    err: (text: string) => void (err += text),
    color: false,
    oneScreen: false,
  };
  const outcome = await printJsonLines({
    events: stream(events),
    prompt: "hi",
    dialect: dialectWith(mode.partial ?? false),
    output,
    every: mode.every,
    finalText: () => "final words",
  });
  expect(out.endsWith("\n")).toBe(true);
  return {
    lines: out
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line)),
    err,
    outcome,
  };
}

describe("lines for machines", () => {
  it("begin with the session", () => {
    expect(dialectWith(false).begin()[0]).toEqual({
      type: "system",
      subtype: "init",
      session_id: "s1",
      model: "m1",
      cwd: "/work",
      tools: ["bash", "read_file"],
      permission_mode: "default",
    });
  });

  it("show what the model said: text, thinking and calls, with its tokens", () => {
    const message: Message = {
      id: "m",
      role: "assistant",
      parts: [
        { type: "thinking", text: "hmm", opaque: { signature: "secret to the vendor" } },
        { type: "text", text: "Look." },
        { type: "tool-call", callId: "c1", tool: "bash", input: { command: "ls" }, rawInput: '{"command":"ls"}' },
      ],
      usage,
    };
    expect(added(message)).toEqual({
      type: "assistant",
      message: {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hmm" },
          { type: "text", text: "Look." },
          { type: "tool_use", id: "c1", name: "bash", input: { command: "ls" } },
        ],
        usage: usageOnWire,
      },
      ...place,
    });
  });

  it("show the arguments of a broken call as they were written", () => {
    const message: Message = {
      id: "m",
      role: "assistant",
      parts: [{ type: "tool-call", callId: "c1", tool: "bash", input: undefined, rawInput: '{"comm' }],
    };
    expect(added(message)).toMatchObject({
      message: {
        content: [{ type: "tool_use", id: "c1", name: "bash", input: '{"comm' }],
        usage: { input_tokens: 0, output_tokens: 0, cache_read_input_tokens: 0, cache_creation_input_tokens: 0 },
      },
    });
  });

  it("show the results of calls as a user's message", () => {
    const message: Message = {
      id: "m",
      role: "tool",
      parts: [
        { type: "tool-result", callId: "c1", tool: "bash", text: "a.txt", isError: false, handle: "#1" },
        { type: "tool-result", callId: "c2", tool: "bash", text: "denied", isError: true, handle: "#2" },
      ],
    };
    expect(added(message)).toEqual({
      type: "user",
      message: {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "c1", content: "a.txt", is_error: false },
          { type: "tool_result", tool_use_id: "c2", content: "denied", is_error: true },
        ],
      },
      ...place,
    });
  });

  it("name the call inside which a sub-agent spoke", () => {
    const message: Message = { id: "m", role: "assistant", parts: [{ type: "text", text: "x" }] };
    expect(added(message, { parentCallId: "c7" })).toMatchObject({ parent_tool_use_id: "c7" });
  });

  it("do not repeat the prompt", () => {
    expect(added({ id: "m", role: "user", parts: [{ type: "text", text: "the prompt" }] })).toBeUndefined();
  });

  it("show a retry", () => {
    const line = lineOf({ type: "retrying", attempt: 2, delayMs: 500, reason: "busy" }, { partial: false });
    expect(line).toEqual({
      type: "system",
      subtype: "api_retry",
      attempt: 2,
      delay_ms: 500,
      reason: "busy",
      session_id: "s1",
    });
  });

  it.each([
    [
      { type: "text.delta", text: "x" },
      { type: "text_delta", text: "x" },
    ],
    [
      { type: "thinking.delta", text: "x" },
      { type: "thinking_delta", thinking: "x" },
    ],
  ] as const)("carry the delta %j only when asked for", (event, delta) => {
    expect(lineOf(event, { partial: false })).toBeUndefined();
    expect(lineOf(event, { partial: true })).toMatchObject({
      type: "stream_event",
      event: { type: "content_block_delta", delta },
      ...place,
    });
  });
});

describe("the result", () => {
  const result = (outcome: TurnOutcome, some: TurnTotals | undefined = totals) =>
    dialectWith(false).summary({ outcome, totals: some, text: "final words" });

  it("of a prompt that went well is exactly this", () => {
    expect(result({ type: "done" })).toEqual({
      type: "result",
      subtype: "success",
      is_error: false,
      result: "final words",
      num_turns: 2,
      duration_ms: 1235,
      duration_api_ms: 999,
      total_cost_usd: 0.0123,
      usage: usageOnWire,
      session_id: "s1",
      permission_denials: [{ tool_name: "bash", tool_use_id: "c1", tool_input: { command: "rm -rf /" } }],
      errors: [],
    });
  });

  it.each([
    [{ type: "round-limit", rounds: 5 }, "error_max_turns"],
    [{ type: "repetition", tool: "bash", times: 3 }, "error_max_turns"],
    [{ type: "budget", limitUsd: 1 }, "error_max_budget_usd"],
    [{ type: "interrupted" }, "error_during_execution"],
    [{ type: "failed", error: new ProviderError("auth", "bad key") }, "error_during_execution"],
  ] as const)("of %j is the error %s, in words", (outcome, subtype) => {
    expect(result(outcome)).toMatchObject({ subtype, is_error: true, errors: [expect.stringMatching(/\w{5}/)] });
  });

  it("has no cost where no price is known, which is not the same as free", () => {
    expect(result({ type: "done" }, { ...totals, costUsd: null })).toMatchObject({ total_cost_usd: null });
    expect(result({ type: "done" }, { ...totals, costUsd: 0 })).toMatchObject({ total_cost_usd: 0 });
  });

  it("has all its fields when nothing was ever counted", () => {
    const keys = Object.keys(result({ type: "done" }));
    expect(Object.keys(result({ type: "interrupted" }, undefined))).toEqual(keys);
    expect(Object.keys(failureLine(new UserError(41, "No API key."), createOwnDialect))).toEqual(keys);
  });

  it("of a run that never started carries its error", () => {
    expect(failureLine(new UserError(41, "No API key."), createOwnDialect)).toMatchObject({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
      num_turns: 0,
      errors: ["No API key."],
    });
    expect(failureLine("thrown text", createOwnDialect)).toMatchObject({ errors: ["thrown text"] });
  });
});

describe("a whole run", () => {
  const finished: AgentEvent = { type: "turn.finished", outcome: { type: "done" }, totals };
  const events: AgentEvent[] = [
    { type: "message.added", message: { id: "u", role: "user", parts: [{ type: "text", text: "hi" }] } },
    { type: "text.delta", text: "line one\nline two \u2028 \u001b[2J" },
    {
      type: "message.added",
      message: { id: "a", role: "assistant", parts: [{ type: "text", text: "line one\nline two \u2028 \u001b[2J" }] },
    },
    { type: "tool.progress", callId: "c", text: "50 %" },
    { type: "notice", text: "careful" },
    finished,
  ];

  it("as stream-json is one object a line, the result last", async () => {
    const { lines, err, outcome } = await print(events, { every: true });
    expect(lines.map(({ type, subtype }) => [type, subtype])).toEqual([
      ["assistant", undefined],
      ["system", "notice"],
      ["result", "success"],
    ]);
    expect(lines[0].message.content[0].text).toBe("line one\nline two \u2028 \u001b[2J");
    expect([err, outcome]).toEqual(["", { type: "done" }]);
  });

  it("as stream-json with partial messages has the deltas where they arrived", async () => {
    const { lines } = await print(events, { every: true, partial: true });
    expect(lines.map(({ type }) => type)).toEqual(["stream_event", "assistant", "system", "result"]);
  });

  it("as json is the result alone, with the last words", async () => {
    const { lines } = await print(events, { every: false, partial: true });
    expect(lines).toEqual([expect.objectContaining({ type: "result", result: "final words", num_turns: 2 })]);
  });

  it("that ends without a word still has its result", async () => {
    const { lines, outcome } = await print([], { every: true });
    expect(lines.at(-1)).toMatchObject({ type: "result", subtype: "error_during_execution", is_error: true });
    expect(outcome).toEqual({ type: "interrupted" });
  });
});
