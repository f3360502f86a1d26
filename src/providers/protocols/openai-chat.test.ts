import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../contracts/message.ts";
import type { ModelRequest, ProviderEvent } from "../../contracts/provider.ts";
import { createOpenAiChat } from "./openai-chat.ts";

let count = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
const text = (words: string): Part => ({ type: "text", text: words });
const call = (callId: string, rawInput = "{}"): Part => ({
  type: "tool-call",
  callId,
  tool: "read_file",
  input: {},
  rawInput,
});
const result = (callId: string, images?: readonly { type: "image"; mediaType: string; base64: string }[]): Part => ({
  type: "tool-result",
  callId,
  tool: "read_file",
  text: `result of ${callId}`,
  isError: false,
  handle: "#1",
  ...(images ? { images } : {}),
});
const request = (messages: readonly Message[], extra: Partial<ModelRequest> = {}): ModelRequest => ({
  model: "m",
  system: "be brief",
  tools: [],
  messages,
  ...extra,
});
const plain = { refusals: {}, replayThinking: false };

function bodyOf(pieces: readonly Uint8Array[]): string {
  return Buffer.concat(pieces).toString();
}

describe("a request", () => {
  it("holds the system message first, then the conversation, with tool calls and results paired", () => {
    const wire = createOpenAiChat();
    const messages = [
      message("user", text("go")),
      message("assistant", text("looking"), call("a"), call("b")),
      message("tool", result("a")),
      message("tool", result("b")),
    ];
    expect(JSON.parse(bodyOf(wire.encode(request(messages), plain)))).toEqual({
      model: "m",
      stream: true,
      stream_options: { include_usage: true },
      messages: [
        { role: "system", content: "be brief" },
        { role: "user", content: "go" },
        {
          role: "assistant",
          content: "looking",
          tool_calls: ["a", "b"].map((id) => ({
            id,
            type: "function",
            function: { name: "read_file", arguments: "{}" },
          })),
        },
        { role: "tool", tool_call_id: "a", content: "result of a" },
        { role: "tool", tool_call_id: "b", content: "result of b" },
      ],
    });
  });

  it("is a byte-exact extension of the one before, whatever is added", () => {
    const parts = fc.string({ unit: "grapheme", maxLength: 40 });
    const step = fc.oneof(
      parts.map((words) => (): Message[] => [message("user", text(words))]),
      parts.map((words) => (): Message[] => [message("assistant", text(words)), message("user", text("and?"))]),
      fc
        .tuple(parts, fc.integer({ min: 1, max: 3 }), fc.boolean())
        .map(([words, calls, withImage]) => (): Message[] => {
          const ids = Array.from({ length: calls }, () => `c${++count}`);
          const image = withImage ? [{ type: "image", mediaType: "image/png", base64: "AAAA" } as const] : undefined;
          return [
            message("assistant", text(words), ...ids.map((id) => call(id))),
            ...ids.map((id) => message("tool", result(id, image))),
          ];
        }),
    );
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 12 }), (steps) => {
        const wire = createOpenAiChat();
        const messages: Message[] = [message("user", text("first"))];
        let before = bodyOf(wire.encode(request(messages), plain)).slice(0, -2);
        for (const add of steps) {
          messages.push(...add());
          const body = bodyOf(wire.encode(request(messages), plain));
          expect(body.startsWith(before)).toBe(true);
          expect(body).toBe(bodyOf(createOpenAiChat().encode(request(messages), plain)));
          JSON.parse(body);
          before = body.slice(0, -2);
        }
      }),
    );
  });

  it("of another conversation, or of a shortened one, does not see the first one's bytes", () => {
    const wire = createOpenAiChat();
    const shared = message("user", text("shared start"));
    const next = message("user", text("next"));
    const long = wire.encode(request([shared, message("assistant", text("old answer")), next]), plain);
    const other = wire.encode(request([shared, message("assistant", text("new")), next]), plain);
    expect(bodyOf(long)).toContain("old answer");
    expect(bodyOf(other)).not.toContain("old answer");
    expect(JSON.parse(bodyOf(other)).messages).toHaveLength(4);
  });

  it("sends arguments back exactly as the model wrote them, also when they are no JSON", () => {
    const messages = [
      message("user", text("go")),
      message("assistant", call("a", '{"file_path": "a')),
      message("tool", result("a")),
    ];
    const body = JSON.parse(bodyOf(createOpenAiChat().encode(request(messages), plain)));
    expect(body.messages[2].tool_calls[0].function.arguments).toBe('{"file_path": "a');
  });

  it("sends thinking back with the calls it led to, to those who want it", () => {
    const thinking: Part = { type: "thinking", text: "hmm", opaque: "reasoning_content" };
    const messages = [
      message("user", text("go")),
      message("assistant", thinking, call("a")),
      message("tool", result("a")),
    ];
    const assistant = (replayThinking: boolean) =>
      JSON.parse(bodyOf(createOpenAiChat().encode(request(messages), { refusals: {}, replayThinking }))).messages[2];
    expect(assistant(true).reasoning_content).toBe("hmm");
    expect(assistant(false)).not.toHaveProperty("reasoning_content");
  });

  it("goes without thinking where an endpoint takes tools only so", () => {
    const full = request([message("user", text("go"))], { tools: [{ name: "bash", description: "runs", input: {} }] });
    const options = { refusals: { effortWithTools: true }, replayThinking: false } as const;
    expect(JSON.parse(bodyOf(createOpenAiChat().encode(full, options))).reasoning_effort).toBe("none");
  });

  it("brings thinking back with every answer to those who refuse an answer without, whoever thought", () => {
    const foreign: Part = {
      type: "thinking",
      text: "hmm",
      opaque: { type: "thinking", thinking: "hmm", signature: "s" },
    };
    const messages = [
      message("user", text("go")),
      message("assistant", foreign, call("a")),
      message("tool", result("a")),
      message("assistant", text("done")),
      message("user", text("next")),
    ];
    const sent = (replayThinking: boolean | "always") =>
      JSON.parse(bodyOf(createOpenAiChat().encode(request(messages), { refusals: {}, replayThinking }))).messages.map(
        (one: Record<string, unknown>) => one.reasoning_content,
      );
    expect(sent("always")).toEqual([undefined, undefined, "hmm", undefined, " ", undefined]);
    expect(sent(true).filter(Boolean)).toEqual([]);
  });

  it("leaves out what the endpoint refused, and nothing else", () => {
    const full = request([message("user", text("go"))], { temperature: 0, maxTokens: 100 });
    const body = (refusals: object) =>
      JSON.parse(bodyOf(createOpenAiChat().encode(full, { refusals, replayThinking: false })));
    expect(body({})).toMatchObject({ temperature: 0, max_tokens: 100, stream_options: {} });
    expect(body({ maxTokens: true, temperature: true })).toMatchObject({ max_completion_tokens: 100 });
    expect(body({ maxTokens: true, temperature: true })).not.toHaveProperty("temperature");
    expect(body({ streamOptions: true })).not.toHaveProperty("stream_options");
  });

  it.each([
    [
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
      "maxTokens",
    ],
    ["Unrecognized request argument supplied: stream_options", "streamOptions"],
    ["Unsupported value: 'temperature' does not support 0 with this model.", "temperature"],
    ["body.prompt_cache_key: Extra inputs are not permitted", "cacheKey"],
    [
      "Function tools with reasoning_effort are not supported for gpt-5.5 in /v1/chat/completions. Please use /v1/responses instead.",
      "effortWithTools",
    ],
    ["Unknown parameter: 'reasoning_effort'", "effort"],
    ["The model `x` does not exist", undefined],
    ["This model's maximum context length is 100 tokens, however you requested 200", undefined],
  ])("knows which field a refusal is about: %s", (words, field) => {
    const tools = [{ name: "bash", description: "runs", input: {} }];
    const more = { temperature: 0, maxTokens: 100, sessionId: "s", effort: "high", tools } as const;
    const full = request([message("user", text("go"))], more);
    expect(createOpenAiChat().refusedField(full, words, {})).toBe(field);
  });
});

type Chunk = Record<string, unknown>;

function decode(chunks: readonly Chunk[]) {
  const events: ProviderEvent[] = [];
  const decoder = createOpenAiChat().createDecoder((event) => events.push(event));
  for (const chunk of chunks) decoder.push(JSON.stringify(chunk), undefined);
  decoder.flush();
  return { events, answer: decoder.answer(), decoder };
}

const delta = (fields: Chunk, finish: string | null = null): Chunk => ({
  choices: [{ index: 0, delta: fields, finish_reason: finish }],
});
const fragment = (index: number | undefined, fields: Chunk) =>
  delta({ tool_calls: [{ ...(index === undefined ? {} : { index }), ...fields }] });

describe("an answer", () => {
  it("is the same however its calls are cut into fragments and mixed", () => {
    const args = fc.array(fc.dictionary(fc.string({ unit: "grapheme" }), fc.string({ unit: "grapheme" })), {
      minLength: 1,
      maxLength: 4,
    });
    fc.assert(
      fc.property(
        args,
        fc.infiniteStream(fc.integer({ min: 1, max: 7 })),
        fc.infiniteStream(fc.nat(3)),
        (inputs, sizes, order) => {
          const queues = inputs.map((input, index) => {
            const json = JSON.stringify(input);
            const pieces: Chunk[] = [fragment(index, { id: `c${index}`, function: { name: "bash", arguments: "" } })];
            for (let at = 0; at < json.length; ) {
              const size = sizes.next().value as number;
              pieces.push(fragment(index, { function: { arguments: json.slice(at, at + size) } }));
              at += size;
            }
            return pieces;
          });
          const chunks: Chunk[] = queues.map((queue) => queue.shift() as Chunk);
          while (queues.some((queue) => queue.length > 0)) {
            const queue = queues[(order.next().value as number) % queues.length];
            const piece = queue?.shift();
            if (piece) chunks.push(piece);
          }
          const { answer } = decode([...chunks, delta({}, "tool_calls")]);
          expect(answer.parts).toEqual(
            inputs.map((input, index) => ({
              type: "tool-call",
              callId: `c${index}`,
              tool: "bash",
              input,
              rawInput: JSON.stringify(input),
            })),
          );
        },
      ),
    );
  });

  it("announces a call as soon as it cannot grow any more, and never a half one", () => {
    const events: string[] = [];
    const decoder = createOpenAiChat().createDecoder(
      (event) => event.type === "tool-call" && events.push(event.call.callId),
    );
    const push = (chunk: Chunk) => decoder.push(JSON.stringify(chunk), undefined);
    push(fragment(0, { id: "a", function: { name: "bash", arguments: '{"command":"l' } }));
    push(fragment(1, { id: "b", function: { name: "bash", arguments: "{}" } }));
    expect(events).toEqual([]);
    push(fragment(0, { function: { arguments: 's"}' } }));
    push(fragment(2, { id: "c", function: { name: "bash", arguments: "" } }));
    expect(events).toEqual(["a", "b"]);
  });

  it.each([
    ["object arguments", [fragment(0, { id: "a", function: { name: "bash", arguments: { command: "ls" } } })]],
    [
      "a name sent again with every fragment",
      [
        fragment(0, { id: "a", function: { name: "bash", arguments: '{"command":' } }),
        fragment(0, { id: "a", function: { name: "bash", arguments: '"ls"}' } }),
      ],
    ],
    [
      "no index and no id",
      [
        fragment(undefined, { function: { name: "bash", arguments: '{"command":' } }),
        fragment(undefined, { function: { arguments: '"ls"}' } }),
      ],
    ],
  ])("tolerates %s", (_name, chunks) => {
    const { answer } = decode([...chunks, delta({}, "stop")]);
    expect(answer.stopReason).toBe("tool-calls");
    expect(answer.parts).toMatchObject([{ tool: "bash", input: { command: "ls" } }]);
  });

  it("tells calls without index and id apart by their names", () => {
    const whole = (name: string) => fragment(undefined, { function: { name, arguments: '{"a":1}' } });
    const { answer } = decode([whole("one"), whole("two"), delta({}, "tool_calls")]);
    expect(answer.parts).toMatchObject([{ tool: "one" }, { tool: "two" }]);
  });

  it("reports usage with cached tokens, and copes with nulls", () => {
    const used = { prompt_tokens: 100, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 60 } };
    expect(decode([delta({ content: "x" }, "stop"), { choices: [], usage: used }]).answer.usage).toEqual({
      inputTokens: 100,
      outputTokens: 7,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
    });
    expect(decode([{ ...delta({ content: "x" }, "stop"), usage: null }]).answer.usage).toBeUndefined();
    const nulls = { prompt_tokens: null, completion_tokens: null, prompt_tokens_details: null };
    expect(decode([delta({ content: "x" }, "stop"), { choices: [], usage: nulls }]).answer.usage).toEqual({
      inputTokens: 0,
      outputTokens: 0,
      cacheReadTokens: 0,
      cacheWriteTokens: 0,
    });
  });

  it("that never ended is broken, not complete", () => {
    expect(() => decode([delta({ content: "Hel" })])).toThrow(/closed in the middle/);
  });
});
