import { describe, expect, it } from "vitest";
import { ProviderError } from "../../contracts/errors.ts";
import type { Message, Part } from "../../contracts/message.ts";
import type { ModelRequest, ProviderEvent } from "../../contracts/provider.ts";
import type { EncodeOptions } from "../protocol.ts";
import { createOpenAiResponses } from "./openai-responses.ts";

let count = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
const text = (words: string): Part => ({ type: "text", text: words });
const call = (callId: string): Part => ({ type: "tool-call", callId, tool: "bash", input: {}, rawInput: "{}" });
const result = (callId: string): Part => ({
  type: "tool-result",
  callId,
  tool: "bash",
  text: "out",
  isError: false,
  handle: "#1",
});
const reasoning = { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "sealed" };

function bodyOf(messages: readonly Message[], more: Partial<ModelRequest> = {}, options: Partial<EncodeOptions> = {}) {
  const request = { model: "m", system: "be brief", tools: [], messages, ...more };
  const pieces = createOpenAiResponses().encode(request, { refusals: {}, replayThinking: false, ...options });
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe("a request", () => {
  it("stores nothing at the vendor's, and asks for the reasoning in its sealed form", () => {
    const tools = [{ name: "bash", description: "runs", input: { type: "object" } }];
    expect(bodyOf([message("user", text("go"))], { tools, maxTokens: 9 })).toEqual({
      model: "m",
      stream: true,
      store: false,
      include: ["reasoning.encrypted_content"],
      max_output_tokens: 9,
      instructions: "be brief",
      tools: [{ type: "function", name: "bash", description: "runs", parameters: { type: "object" }, strict: false }],
      input: [{ role: "user", content: [{ type: "input_text", text: "go" }] }],
    });
  });

  it("brings reasoning back before what it led to, and tells what was said on the way from the answer", () => {
    const own: Part = { type: "thinking", text: "hm", opaque: reasoning };
    const phase: Part = { type: "thinking", text: "", opaque: { type: "phase", phase: "commentary" } };
    const answer = message("assistant", own, phase, text("I look."), call("a"));
    expect(bodyOf([message("user", text("go")), answer, message("tool", result("a"))]).input.slice(1)).toEqual([
      reasoning,
      { role: "assistant", content: "I look.", phase: "commentary" },
      { type: "function_call", call_id: "a", name: "bash", arguments: "{}" },
      { type: "function_call_output", call_id: "a", output: "out" },
    ]);
  });

  it("leaves reasoning out that stands alone, that is not sealed, or that is another vendor's", () => {
    const parts: Part[] = [
      { type: "thinking", text: "x", opaque: { type: "reasoning", id: "rs_2", summary: [] } },
      { type: "thinking", text: "x", opaque: { type: "thinking", thinking: "x", signature: "s" } },
      text("so"),
      { type: "thinking", text: "x", opaque: reasoning },
    ];
    const { input } = bodyOf([
      message("user", text("go")),
      message("assistant", ...parts),
      message("user", text("on")),
    ]);
    expect(input[1]).toEqual({ role: "assistant", content: "so" });
    expect(JSON.stringify(input)).not.toContain("rs_");
  });

  it("asks for no reasoning where that is refused", () => {
    const messages = [
      message("user", text("go")),
      message("assistant", { type: "thinking", text: "", opaque: reasoning }, text("so")),
    ];
    const body = bodyOf(messages, {}, { refusals: { reasoning: true } });
    expect(body).not.toHaveProperty("include");
    expect(JSON.stringify(body)).not.toContain("sealed");
  });

  it.each([
    ["Encrypted content is not supported with this model.", "reasoning"],
    ["Unsupported parameter: 'reasoning.effort' is not supported with this model.", "effort"],
    ["Your organization must be verified to generate reasoning summaries.", "summary"],
    ["Unknown parameter: 'prompt_cache_key'.", "cacheKey"],
    ["The model `x` does not exist", undefined],
  ])("knows which field a refusal is about: %s", (words, field) => {
    const request = { model: "m", system: "", tools: [], messages: [], effort: "high", sessionId: "s" } as const;
    expect(createOpenAiResponses().refusedField(request, words, {})).toBe(field);
  });
});

function decode(events: readonly Record<string, unknown>[]) {
  const seen: ProviderEvent[] = [];
  const decoder = createOpenAiResponses().createDecoder((event) => seen.push(event));
  for (const event of events) decoder.push(JSON.stringify(event), undefined);
  decoder.flush();
  return { seen, decoder, answer: () => decoder.answer() };
}

const completed = { type: "response.completed", response: { status: "completed", output: [] } };

describe("an answer", () => {
  it("is put together although the server leaves out that items begin and end", () => {
    const { answer, seen } = decode([
      { type: "response.reasoning_text.delta", output_index: 0, delta: "hm" },
      { type: "response.output_text.delta", output_index: 1, delta: "Hel" },
      { type: "response.output_text.delta", output_index: 1, delta: "lo" },
      completed,
    ]);
    expect(answer().parts).toMatchObject([
      { type: "thinking", text: "hm" },
      { type: "text", text: "Hello" },
    ]);
    expect(seen).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "Hello" },
    ]);
  });

  it("is put together although the server sends it only at the end", () => {
    const output = [
      { type: "reasoning", id: "r", summary: [{ text: "a" }, { text: "b" }], encrypted_content: "sealed" },
      { type: "message", phase: "final_answer", content: [{ type: "output_text", text: "Hello" }] },
      { type: "function_call", call_id: "c", name: "bash", arguments: '{"a":1}' },
    ];
    const { answer, seen } = decode([{ type: "response.completed", response: { status: "completed", output } }]);
    expect(answer()).toMatchObject({
      stopReason: "tool-calls",
      parts: [
        { type: "thinking", text: "a\n\nb", opaque: { type: "reasoning", encrypted_content: "sealed" } },
        { type: "thinking", text: "", opaque: { type: "phase", phase: "final_answer" } },
        { type: "text", text: "Hello" },
        { type: "tool-call", callId: "c", input: { a: 1 } },
      ],
    });
    expect(seen.map(({ type }) => type)).toEqual(["tool-call", "thinking", "text"]);
  });

  it("comes once although the server names items instead of counting them, as llama.cpp does", () => {
    const call = { id: "fc_1", type: "function_call", call_id: "call_1", name: "read_file" };
    const text = [{ type: "output_text", text: "Hello" }];
    const message = { id: "msg_1", type: "message", role: "assistant" };
    const { answer, seen } = decode([
      { type: "response.output_item.added", item: { ...message, content: [] } },
      { type: "response.output_text.delta", item_id: "msg_1", delta: "Hel" },
      { type: "response.output_text.delta", item_id: "msg_1", delta: "lo" },
      { type: "response.output_item.added", item: { ...call, arguments: "" } },
      { type: "response.function_call_arguments.delta", item_id: "fc_1", delta: '{"a":1}' },
      { type: "response.output_item.done", item: { ...message, content: text } },
      { type: "response.output_item.done", item: { ...call, arguments: '{"a":1}' } },
      {
        type: "response.completed",
        response: {
          status: "completed",
          output: [
            { ...message, content: text },
            { ...call, arguments: '{"a":1}' },
          ],
        },
      },
    ]);
    expect(answer().parts).toMatchObject([
      { type: "text", text: "Hello" },
      { type: "tool-call", callId: "call_1", tool: "read_file", input: { a: 1 } },
    ]);
    expect(seen.map(({ type }) => type).sort()).toEqual(["text", "tool-call"]);
  });

  it("keeps the paragraphs of a summary apart", () => {
    const { answer } = decode([
      { type: "response.output_item.added", output_index: 0, item: { type: "reasoning", id: "r" } },
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 0 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "one" },
      { type: "response.reasoning_summary_part.added", output_index: 0, summary_index: 1 },
      { type: "response.reasoning_summary_text.delta", output_index: 0, delta: "two" },
      completed,
    ]);
    expect(answer().parts).toMatchObject([{ text: "one\n\ntwo" }]);
  });

  it("in which the model says no stopped because of that", () => {
    const { answer } = decode([{ type: "response.refusal.delta", output_index: 0, delta: "I will not." }, completed]);
    expect(answer()).toMatchObject({ stopReason: "content-filter", parts: [{ type: "text", text: "I will not." }] });
  });

  it.each([
    ["max_output_tokens", "length"],
    ["content_filter", "content-filter"],
  ])("that is incomplete because of %s stopped because of %s", (reason, expected) => {
    const response = { status: "incomplete", incomplete_details: { reason }, output: [] };
    const { answer } = decode([
      { type: "response.output_text.delta", output_index: 0, delta: "half" },
      { type: "response.incomplete", response },
    ]);
    expect(answer()).toMatchObject({ stopReason: expected, parts: [{ text: "half" }] });
  });

  it.each([
    [{ code: "server_error", message: "boom" }, "overloaded"],
    [{ code: "rate_limit_exceeded", message: "slow down" }, "rate-limit"],
    [{ code: "context_length_exceeded", message: "too long" }, "context-overflow"],
    [{ code: "invalid_prompt", message: "no" }, "bad-request"],
  ])("that failed with %j keeps its meaning", (error, code) => {
    let thrown: unknown;
    try {
      decode([{ type: "response.failed", response: { status: "failed", error } }]);
    } catch (failure) {
      thrown = failure;
    }
    expect(thrown).toBeInstanceOf(ProviderError);
    expect((thrown as ProviderError).code).toBe(code);
  });

  it("passes over items that are not for us", () => {
    const search = { type: "web_search_call", id: "ws", status: "completed" };
    const { answer } = decode([
      { type: "response.output_item.added", output_index: 0, item: search },
      { type: "response.web_search_call.completed", output_index: 0 },
      { type: "response.output_item.done", output_index: 0, item: search },
      { type: "response.output_text.delta", output_index: 1, delta: "ok" },
      completed,
    ]);
    expect(answer().parts).toMatchObject([{ type: "text", text: "ok" }]);
  });
});
