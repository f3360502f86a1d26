import fc from "fast-check";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ToolCallPart } from "../../src/contracts/message.ts";
import type { ModelAnswer, ModelRequest } from "../../src/contracts/provider.ts";
import { createProvider } from "../../src/providers/create-provider.ts";
import { createOpenAiChat } from "../../src/providers/protocols/openai-chat.ts";
import {
  call,
  calls,
  type Reply,
  type ScriptedAnswer,
  type ScriptedModel,
  startScriptedModel,
  text,
} from "../../src/testing/index.ts";

let reply: Reply;
const models: ScriptedModel[] = [];

beforeAll(async () => {
  for (const cutBytes of [undefined, 1, 13])
    models.push(await startScriptedModel(() => reply, cutBytes === undefined ? {} : { cutBytes }));
});

afterAll(() => Promise.all(models.map((model) => model.close())));

/** Both sides reduced to what they must agree on. */
type Assembled = {
  readonly content: string;
  readonly calls: readonly { readonly id: string; readonly name: string; readonly arguments: string }[];
  readonly finish: string;
  readonly usage: { readonly input: number; readonly output: number; readonly cached: number } | undefined;
};

async function bySdk(url: string): Promise<Assembled> {
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 });
  const completion = await client.chat.completions
    .stream({ model: "m", messages: [{ role: "user", content: "hi" }], stream_options: { include_usage: true } })
    .finalChatCompletion();
  const { message, finish_reason: finish } = completion.choices[0]!;
  const toolCalls = (message.tool_calls ?? []).filter((one) => one.type === "function");
  return {
    content: message.content ?? "",
    calls: toolCalls.map((one) => ({ id: one.id, name: one.function.name, arguments: one.function.arguments })),
    finish,
    usage: completion.usage
      ? {
          input: completion.usage.prompt_tokens,
          output: completion.usage.completion_tokens,
          cached: completion.usage.prompt_tokens_details?.cached_tokens ?? 0,
        }
      : undefined,
  };
}

const finishOf = {
  end: "stop",
  "tool-calls": "tool_calls",
  length: "length",
  "content-filter": "content_filter",
  interrupted: "",
} as const;

async function byUs(
  url: string,
): Promise<Assembled & { readonly shown: string; readonly thinking: string; readonly answer: ModelAnswer }> {
  const provider = createProvider({
    protocol: createOpenAiChat(),
    baseUrl: url,
    apiKey: "k",
    replayThinking: true,
    idleTimeoutMs: 5000,
    memory: { recall: () => ({}), learn: () => {} },
  });
  const request: ModelRequest = {
    model: "m",
    system: "s",
    tools: [],
    messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] }],
  };
  let shown = "";
  const answer = await provider.stream(request, {
    signal: new AbortController().signal,
    onEvent(event) {
      if (event.type === "text") shown += event.text;
    },
  });
  const toolCalls = answer.parts.filter((part): part is ToolCallPart => part.type === "tool-call");
  return {
    content: answer.parts.map((part) => (part.type === "text" ? part.text : "")).join(""),
    calls: toolCalls.map((part) => ({ id: part.callId, name: part.tool, arguments: part.rawInput })),
    finish: finishOf[answer.stopReason],
    usage: answer.usage && {
      input: answer.usage.inputTokens,
      output: answer.usage.outputTokens,
      cached: answer.usage.cacheReadTokens,
    },
    shown,
    thinking: answer.parts.map((part) => (part.type === "thinking" ? part.text : "")).join(""),
    answer,
  };
}

async function compare(scripted: ScriptedAnswer, model: ScriptedModel): Promise<void> {
  reply = { ...scripted, usage: scripted.usage ?? usage };
  const [sdk, ours] = [await bySdk(model.url), await byUs(model.url)];
  const { shown, thinking, answer, ...assembled } = ours;
  expect(assembled).toEqual(sdk);
  expect(shown).toBe(sdk.content);
  expect(thinking).toBe(scripted.reasoning.join(""));
  for (const part of answer.parts) if (part.type === "tool-call") expect(part.input).toEqual(JSON.parse(part.rawInput));
}

const usage = { inputTokens: 1234, outputTokens: 56, cachedTokens: 1000 };
const awkward = { command: 'echo "für 日本 🦊"\n\t\\', timeout: 3, nested: { a: [1, null, "\u2028"] } };

const shapes: readonly (readonly [string, ScriptedAnswer])[] = [
  ["one word", text("hello", { usage })],
  ["many deltas", text("word ".repeat(60), { deltas: 100, usage })],
  ["characters of every width", text("aß日🦊\u0000\r\n\u2028e\u0301", { deltas: 9 })],
  ["text cut by its length", text("half a sen", { finishReason: "length" })],
  ["reasoning before text", text("answer", { reasoning: "first I think about it" })],
  ["no usage", text("answer", { usage: "none" })],
  ["one call in one piece", calls([call("bash", awkward, { id: "a" })], { usage })],
  ["one call in many pieces", calls([call("bash", awkward, { id: "a", fragments: 50 })])],
  ["a call without arguments", calls([call("list", {}, { id: "a" })])],
  [
    "parallel calls",
    calls(
      [1, 2, 3].map((n) => call("bash", { n }, { id: `c${n}`, fragments: 4 })),
      { usage },
    ),
  ],
  [
    "interleaved calls",
    calls(
      [1, 2, 3].map((n) => call("bash", { n, ...awkward }, { id: `c${n}`, fragments: n * 5 })),
      { order: "interleaved" },
    ),
  ],
  [
    "text, reasoning and calls",
    calls([call("bash", awkward, { id: "a", fragments: 3 })], { text: "I look.", reasoning: "hm", usage }),
  ],
];

describe("the official SDK and we assemble the same message", () => {
  for (const [name, scripted] of shapes) {
    it(`from ${name}, whole and cut into pieces of 1 and 13 bytes`, async () => {
      for (const model of models) await compare(scripted, model);
    });
  }

  it("from any text and any calls, cut anywhere", async () => {
    const pieces = fc.integer({ min: 1, max: 12 });
    const oneCall = fc.record({
      name: fc.constantFrom("bash", "grep"),
      args: fc.dictionary(fc.string(), fc.jsonValue()),
      fragments: pieces,
    });
    const said = fc.string({ unit: "grapheme", maxLength: 60 });
    await fc.assert(
      fc.asyncProperty(
        said,
        fc.array(oneCall, { maxLength: 4 }),
        fc.constantFrom("interleaved", "one-after-another"),
        async (words, list, order) => {
          fc.pre(words !== "" || list.length > 0);
          const scriptedCalls = list.map((one, at) =>
            call(one.name, one.args, { id: `id${at}`, fragments: one.fragments }),
          );
          const scripted =
            list.length === 0 ? text(words, { deltas: 3 }) : calls(scriptedCalls, { text: words, order });
          await compare(scripted, models[2]!);
        },
      ),
      { numRuns: 60 },
    );
  });
});
