import { describe, expect, it } from "vitest";
import type { AgentEvent, TurnTotals } from "../../contracts/event.ts";
import type { Message } from "../../contracts/message.ts";
import type { Line } from "./dialect.ts";
import { type DialectName, dialects } from "./index.ts";

const session = {
  sessionId: "s1",
  model: "m1",
  cwd: "/work",
  tools: ["bash", "read_file", "mcp__files__list"],
  permissionMode: "auto",
  endpoint: "http://localhost:9/v1",
};
const usage = { inputTokens: 100, outputTokens: 20, cacheReadTokens: 60, cacheWriteTokens: 10 };
const totals: TurnTotals = {
  rounds: 2,
  usage,
  costUsd: 0.01,
  durationMs: 1200,
  apiMs: 900,
  denials: [{ tool: "bash", callId: "c9", input: { command: "rm -rf /" }, because: "it destroys" }],
};
const say = (...parts: Message["parts"]): AgentEvent => ({
  type: "message.added",
  message: { id: "m", role: "assistant", parts, usage },
});
const command = { label: "$", title: "npm test", command: "npm test" };
const edit = { label: "edit", title: "a.ts", writes: ["a.ts"] };
const run: readonly AgentEvent[] = [
  { type: "text.delta", text: "Look." },
  say(
    { type: "thinking", text: "hmm" },
    { type: "text", text: "Look." },
    { type: "tool-call", callId: "c1", tool: "bash", input: { command: "npm test" }, rawInput: "{}" },
  ),
  { type: "tool.started", callId: "c1", tool: "bash", view: command },
  {
    type: "tool.finished",
    callId: "c1",
    tool: "bash",
    view: command,
    isError: true,
    text: "1 failed",
    durationMs: 5,
    display: { type: "exit", code: 7 },
  },
  {
    type: "message.added",
    message: {
      id: "t",
      role: "tool",
      parts: [{ type: "tool-result", callId: "c1", tool: "bash", text: "1 failed", isError: true, handle: "#1" }],
    },
  },
  { type: "tool.started", callId: "c2", tool: "edit_file", view: edit },
  {
    type: "files.changed",
    callId: "c2",
    changes: [{ path: "/work/a.ts", after: { type: "file", hash: "h", size: 1, mode: 0o644 } }],
    uncovered: [],
  },
  { type: "tool.finished", callId: "c2", tool: "edit_file", view: edit, isError: false, text: "done", durationMs: 1 },
  { ...say({ type: "text", text: "inside" }), parentCallId: "c3" },
  { type: "retrying", attempt: 1, delayMs: 500, reason: "busy" },
  say({ type: "text", text: "Done." }),
];

function tell(name: DialectName, events: readonly AgentEvent[] = run): Line[] {
  const dialect = dialects[name]({ session, partial: false });
  const lines = [...dialect.begin(), ...dialect.prompt("fix it"), ...events.flatMap((event) => dialect.event(event))];
  return [...lines, ...dialect.end({ outcome: { type: "done" }, totals, text: "Done." })];
}

const failed = { outcome: { type: "failed", error: new Error("no network") }, totals, text: "" } as const;

describe("the words of Claude Code", () => {
  it("name the tools as its scripts do, in the list, in calls and in denials", () => {
    const lines = tell("claude");
    expect(lines[0]).toMatchObject({
      type: "system",
      subtype: "init",
      session_id: "s1",
      tools: ["Bash", "Read", "mcp__files__list"],
      mcp_servers: [{ name: "files", status: "connected" }],
      permissionMode: "auto",
    });
    expect(JSON.stringify(lines)).toContain('"type":"tool_use","id":"c1","name":"Bash"');
    expect(lines.at(-1)).toMatchObject({
      type: "result",
      subtype: "success",
      result: "Done.",
      permission_denials: [{ tool_name: "Bash" }],
      modelUsage: { m1: { inputTokens: 30, outputTokens: 20, cacheReadInputTokens: 60, costUSD: 0.01 } },
    });
  });

  it("are messages as the vendor's interface has them, with the model that wrote each", () => {
    const [spoken] = tell("claude").filter(({ type }) => type === "assistant");
    expect(spoken?.message).toMatchObject({
      type: "message",
      role: "assistant",
      model: "m1",
      id: expect.stringMatching(/^msg_/),
      content: [{ type: "thinking", thinking: "hmm", signature: "" }, { type: "text" }, { type: "tool_use" }],
    });
  });

  it("stream an answer as the vendor does: begun, block after block, and ended", () => {
    const dialect = dialects.claude({ session, partial: true });
    const events = [{ type: "thinking.delta", text: "hm" } as const, ...run.slice(0, 2)];
    const lines = events.flatMap((event) => dialect.event(event)).filter(({ type }) => type === "stream_event");
    const pieces = lines.map(({ event }) => event as { type: string; index?: number; delta?: { type?: string } });
    expect(
      pieces.map(({ type, index, delta }) => [type, index, delta?.type].filter((x) => x !== undefined).join(" ")),
    ).toEqual([
      "message_start",
      "content_block_start 0",
      "content_block_delta 0 thinking_delta",
      "content_block_stop 0",
      "content_block_start 1",
      "content_block_delta 1 text_delta",
      "content_block_stop 1",
      "content_block_start 2",
      "content_block_delta 2 input_json_delta",
      "content_block_stop 2",
      "message_delta",
      "message_stop",
    ]);
    expect(lines[0]).toMatchObject({ session_id: "s1", parent_tool_use_id: null, uuid: expect.any(String) });
  });

  it("give every line an id of its own", () => {
    const ids = tell("claude").map(({ uuid }) => uuid);
    expect(new Set(ids).size).toBe(ids.length);
    expect(ids.every((id) => typeof id === "string")).toBe(true);
  });
});

describe("the words of Codex", () => {
  it("are a thread, a turn and its items, each begun and completed under one id", () => {
    expect(tell("codex")).toEqual([
      { type: "thread.started", thread_id: "s1" },
      { type: "turn.started" },
      { type: "item.completed", item: { id: "item_0", type: "reasoning", text: "hmm" } },
      { type: "item.completed", item: { id: "item_1", type: "agent_message", text: "Look." } },
      {
        type: "item.started",
        item: {
          id: "item_2",
          type: "command_execution",
          command: "npm test",
          aggregated_output: "",
          exit_code: null,
          status: "in_progress",
        },
      },
      {
        type: "item.completed",
        item: {
          id: "item_2",
          type: "command_execution",
          command: "npm test",
          aggregated_output: "1 failed",
          exit_code: 7,
          status: "failed",
        },
      },
      {
        type: "item.started",
        item: {
          id: "item_3",
          type: "file_change",
          changes: [{ path: "a.ts", kind: "update" }],
          status: "in_progress",
        },
      },
      {
        type: "item.completed",
        item: {
          id: "item_3",
          type: "file_change",
          changes: [{ path: "/work/a.ts", kind: "add" }],
          status: "completed",
        },
      },
      { type: "error", message: "busy; trying again in 500 ms" },
      { type: "item.completed", item: { id: "item_4", type: "agent_message", text: "Done." } },
      {
        type: "turn.completed",
        usage: {
          input_tokens: 100,
          cached_input_tokens: 60,
          cache_write_input_tokens: 10,
          output_tokens: 20,
          reasoning_output_tokens: 0,
        },
      },
    ]);
  });

  it("end a turn that failed with its error", () => {
    expect(dialects.codex({ session, partial: false }).end(failed)).toEqual([
      { type: "error", message: "no network" },
      { type: "turn.failed", error: { message: "no network" } },
    ]);
  });
});

describe("the words of Gemini CLI", () => {
  it("carry a time on every line, the text in pieces, and the statistics at the end", () => {
    const lines = tell("gemini");
    expect(lines.every(({ timestamp }) => !Number.isNaN(Date.parse(String(timestamp))))).toBe(true);
    expect(lines.map(({ timestamp: _, ...line }) => line)).toEqual([
      { type: "init", session_id: "s1", model: "m1" },
      { type: "message", role: "user", content: "fix it" },
      { type: "message", role: "assistant", content: "Look.", delta: true },
      { type: "tool_use", tool_name: "bash", tool_id: "c1", parameters: { command: "npm test" } },
      {
        type: "tool_result",
        tool_id: "c1",
        status: "error",
        output: "1 failed",
        error: { type: "tool_error", message: "1 failed" },
      },
      { type: "error", severity: "warning", message: "busy" },
      {
        type: "result",
        status: "success",
        stats: expect.objectContaining({ total_tokens: 120, cached: 60, input: 40, tool_calls: 1, duration_ms: 1200 }),
      },
    ]);
  });

  it("are one object without a stream, with the error where there is one", () => {
    const dialect = dialects.gemini({ session, partial: false });
    expect(dialect.summary({ outcome: { type: "done" }, totals, text: "Done." })).toMatchObject({
      session_id: "s1",
      response: "Done.",
      stats: { total_tokens: 120 },
    });
    expect(dialect.summary(failed)).toMatchObject({ error: { message: "no network" } });
  });
});
