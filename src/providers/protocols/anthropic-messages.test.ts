import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../contracts/message.ts";
import type { ModelRequest, ProviderEvent } from "../../contracts/provider.ts";
import { createAnthropicMessages } from "./anthropic-messages.ts";

let count = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
const text = (words: string): Part => ({ type: "text", text: words });
const call = (callId: string): Part => ({
  type: "tool-call",
  callId,
  tool: "bash",
  input: { a: 1 },
  rawInput: '{"a":1}',
});
const result = (callId: string, isError = false): Part => ({
  type: "tool-result",
  callId,
  tool: "bash",
  text: "out",
  isError,
  handle: "#1",
});
const request = (messages: readonly Message[]): ModelRequest => ({
  model: "claude-x",
  system: "be brief",
  tools: [{ name: "bash", description: "runs", input: { type: "object" } }],
  messages,
});

function bodyOf(wire: ReturnType<typeof createAnthropicMessages>, messages: readonly Message[]): string {
  return Buffer.concat(wire.encode(request(messages), { refusals: {}, replayThinking: false })).toString();
}

const mark = { cache_control: { type: "ephemeral" } };
const withoutMarks = (body: string) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', "");

describe("a request", () => {
  it("leaves room for an answer behind the thinking, within what the model can write", () => {
    const fields = { thinking: { type: "enabled", budget_tokens: 32_000 } };
    const how = { refusals: {}, replayThinking: false, fields, outputLimit: 32_000 };
    const body = JSON.parse(
      Buffer.concat(createAnthropicMessages().encode(request([message("user", text("go"))]), how)).toString(),
    );
    expect(body).toMatchObject({ max_tokens: 32_000, thinking: { type: "enabled", budget_tokens: 27_904 } });
  });

  it("gathers the results of one round in one user message and marks for the cache what was sent before and what is sent now", () => {
    const thinking: Part = {
      type: "thinking",
      text: "hm",
      opaque: { type: "thinking", thinking: "hm", signature: "s" },
    };
    const foreign: Part = { type: "thinking", text: "other vendor's", opaque: "reasoning_content" };
    const messages = [
      message("user", text("go")),
      message("assistant", thinking, foreign, text("ok"), call("a"), call("b")),
      message("tool", result("a")),
      message("tool", result("b", true)),
    ];
    const body = JSON.parse(bodyOf(createAnthropicMessages(), messages));
    expect(body).toMatchObject({
      model: "claude-x",
      stream: true,
      system: [{ type: "text", text: "be brief", ...mark }],
    });
    expect(body.max_tokens).toBeGreaterThan(0);
    expect(body.tools).toEqual([{ name: "bash", description: "runs", input_schema: { type: "object" } }]);
    expect(body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "go", ...mark }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "hm", signature: "s" },
          { type: "text", text: "ok" },
          { type: "tool_use", id: "a", name: "bash", input: { a: 1 } },
          { type: "tool_use", id: "b", name: "bash", input: { a: 1 } },
        ],
      },
      {
        role: "user",
        content: [
          { type: "tool_result", tool_use_id: "a", content: "out" },
          { type: "tool_result", tool_use_id: "b", content: "out", is_error: true, ...mark },
        ],
      },
    ]);
  });

  it("extends the one before byte for byte but for the moved mark, whatever is added", () => {
    const step = fc.oneof(
      fc.string().map((words) => () => [message("user", text(words))]),
      fc.string().map((words) => () => [message("assistant", text(words)), message("user", text("and?"))]),
      fc.integer({ min: 1, max: 3 }).map((calls) => () => {
        const ids = Array.from({ length: calls }, () => `c${++count}`);
        return [message("assistant", ...ids.map(call)), ...ids.map((id) => message("tool", result(id)))];
      }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 10 }), (steps) => {
        const wire = createAnthropicMessages();
        const messages: Message[] = [message("user", text("first"))];
        let before = withoutMarks(bodyOf(wire, messages)).slice(0, -4);
        for (const add of steps) {
          messages.push(...add());
          const body = bodyOf(wire, messages);
          expect(withoutMarks(body)).toBe(withoutMarks(bodyOf(createAnthropicMessages(), messages)));
          expect(body.match(/cache_control/g)).toHaveLength(3);
          expect(body).toBe(bodyOf(wire, messages));
          expect(withoutMarks(body).startsWith(before)).toBe(true);
          before = withoutMarks(body).slice(0, -4);
        }
      }),
    );
  });
});

function decode(events: readonly Record<string, unknown>[]) {
  const seen: ProviderEvent[] = [];
  const decoder = createAnthropicMessages().createDecoder((event) => seen.push(event));
  for (const event of events) decoder.push(JSON.stringify(event), String(event.type));
  decoder.flush();
  return { seen, answer: decoder.answer() };
}

describe("an answer", () => {
  it("keeps thinking with its signature, text and calls in their order, and counts cached tokens into the prompt", () => {
    const { seen, answer } = decode([
      {
        type: "message_start",
        message: {
          usage: { input_tokens: 10, cache_read_input_tokens: 80, cache_creation_input_tokens: 5, output_tokens: 1 },
        },
      },
      { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: "" } },
      { type: "content_block_delta", index: 0, delta: { type: "thinking_delta", thinking: "hm" } },
      { type: "content_block_delta", index: 0, delta: { type: "signature_delta", signature: "sig" } },
      { type: "content_block_stop", index: 0 },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "" } },
      { type: "content_block_delta", index: 1, delta: { type: "text_delta", text: "Look" } },
      { type: "content_block_stop", index: 1 },
      { type: "content_block_start", index: 2, content_block: { type: "tool_use", id: "t", name: "bash", input: {} } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: '{"comm' } },
      { type: "content_block_delta", index: 2, delta: { type: "input_json_delta", partial_json: 'and":"ls"}' } },
      { type: "content_block_stop", index: 2 },
      { type: "message_delta", delta: { stop_reason: "tool_use" }, usage: { output_tokens: 42 } },
      { type: "message_stop" },
    ]);
    expect(answer).toEqual({
      parts: [
        { type: "thinking", text: "hm", opaque: { type: "thinking", thinking: "hm", signature: "sig" } },
        { type: "text", text: "Look" },
        { type: "tool-call", callId: "t", tool: "bash", input: { command: "ls" }, rawInput: '{"command":"ls"}' },
      ],
      stopReason: "tool-calls",
      usage: { inputTokens: 95, outputTokens: 42, cacheReadTokens: 80, cacheWriteTokens: 5 },
    });
    expect(seen.map((event) => event.type)).toEqual(["tool-call", "thinking", "text"]);
  });

  it.each([
    ["max_tokens", "length"],
    ["refusal", "content-filter"],
    ["end_turn", "end"],
  ])("that stops with %s stopped because of %s", (reason, expected) => {
    const { answer } = decode([{ type: "message_delta", delta: { stop_reason: reason } }, { type: "message_stop" }]);
    expect(answer.stopReason).toBe(expected);
  });

  it("that reports an error in the stream fails with its meaning", () => {
    expect(() => decode([{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }])).toThrow(
      /Overloaded/,
    );
  });
});
