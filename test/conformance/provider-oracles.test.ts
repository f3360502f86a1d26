import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI, type Part } from "@google/genai";
import fc from "fast-check";
import OpenAI from "openai";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  call,
  calls,
  type Reply,
  type ScriptedAnswer,
  type ScriptedModel,
  startScriptedModel,
  text,
} from "../../src/testing/index.ts";
import {
  ask,
  callsOf,
  message,
  providerFor,
  requestWith,
  said,
  textIn,
  type WireUnderTest,
  wires,
} from "./provider-wires.ts";

/** Both sides reduced to what they must agree on. */
type Assembled = {
  readonly content: string;
  readonly thinking: string;
  readonly calls: readonly { readonly id: string | undefined; readonly name: string; readonly input: unknown }[];
  readonly usage: { readonly input: number; readonly output: number; readonly read: number; readonly write: number };
  /** What has to go back with the next request. */
  readonly sealed: unknown;
};

const question = "hi";

async function byOpenAiChat(url: string): Promise<Assembled> {
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 });
  const { choices, usage } = await client.chat.completions
    .stream({ model: "m", messages: [{ role: "user", content: question }], stream_options: { include_usage: true } })
    .finalChatCompletion();
  const given = choices[0]!.message as (typeof choices)[0]["message"] & { reasoning_content?: string };
  const made = (given.tool_calls ?? []).filter((one) => one.type === "function");
  return {
    content: given.content ?? given.refusal ?? "",
    // the SDK knows nothing of it
    thinking: given.reasoning_content ?? "",
    calls: made.map((one) => ({ id: one.id, name: one.function.name, input: JSON.parse(one.function.arguments) })),
    usage: {
      input: usage!.prompt_tokens,
      output: usage!.completion_tokens,
      read: usage!.prompt_tokens_details?.cached_tokens ?? 0,
      write: usage!.prompt_tokens_details?.cache_write_tokens ?? 0,
    },
    sealed: undefined,
  };
}

async function byOpenAiResponses(url: string): Promise<Assembled> {
  const client = new OpenAI({ apiKey: "k", baseURL: url, maxRetries: 0 });
  const response = await client.responses
    .stream({ model: "m", input: question, store: false, include: ["reasoning.encrypted_content"] })
    .finalResponse();
  const reasoning = response.output.filter((item) => item.type === "reasoning");
  const parts = response.output.flatMap((item) => (item.type === "message" ? item.content : []));
  return {
    content: parts.map((part) => (part.type === "refusal" ? part.refusal : part.text)).join(""),
    thinking: reasoning.flatMap((item) => item.summary.map((one) => one.text)).join("\n\n"),
    calls: response.output
      .filter((item) => item.type === "function_call")
      .map((item) => ({ id: item.call_id, name: item.name, input: JSON.parse(item.arguments) })),
    usage: {
      input: response.usage!.input_tokens,
      output: response.usage!.output_tokens,
      read: response.usage!.input_tokens_details.cached_tokens,
      write: response.usage!.input_tokens_details.cache_write_tokens,
    },
    sealed: reasoning[0]?.encrypted_content ?? undefined,
  };
}

async function byAnthropic(url: string): Promise<Assembled> {
  const client = new Anthropic({ apiKey: "k", baseURL: url.replace(/\/v1$/, ""), maxRetries: 0 });
  const final = await client.messages
    .stream({ model: "m", max_tokens: 100, messages: [{ role: "user", content: question }] })
    .finalMessage();
  const thinking = final.content.filter((block) => block.type === "thinking");
  const { input_tokens, output_tokens, cache_read_input_tokens, cache_creation_input_tokens } = final.usage;
  const [read, write] = [cache_read_input_tokens ?? 0, cache_creation_input_tokens ?? 0];
  return {
    content: final.content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    thinking: thinking.map((block) => block.thinking).join(""),
    calls: final.content
      .filter((block) => block.type === "tool_use")
      .map(({ id, name, input }) => ({ id, name, input })),
    usage: { input: input_tokens + read + write, output: output_tokens, read, write },
    sealed: thinking[0]?.signature,
  };
}

async function byGemini(url: string): Promise<Assembled> {
  const { origin } = new URL(url);
  const client = new GoogleGenAI({ apiKey: "k", httpOptions: { baseUrl: origin, apiVersion: "v1" } });
  const stream = await client.models.generateContentStream({ model: "m", contents: question });
  const parts: Part[] = [];
  let used: {
    promptTokenCount?: number;
    candidatesTokenCount?: number;
    thoughtsTokenCount?: number;
    cachedContentTokenCount?: number;
  } = {};
  for await (const piece of stream) {
    parts.push(...(piece.candidates?.[0]?.content?.parts ?? []));
    used = piece.usageMetadata ?? used;
  }
  const join = (isThought: boolean) =>
    parts.map((part) => ((part.thought === true) === isThought ? (part.text ?? "") : "")).join("");
  return {
    content: join(false),
    thinking: join(true),
    calls: parts.flatMap(({ functionCall }) =>
      functionCall ? [{ id: functionCall.id, name: functionCall.name ?? "", input: functionCall.args }] : [],
    ),
    usage: {
      input: used.promptTokenCount ?? 0,
      output: (used.candidatesTokenCount ?? 0) + (used.thoughtsTokenCount ?? 0),
      read: used.cachedContentTokenCount ?? 0,
      write: 0,
    },
    sealed: parts.find((part) => part.thoughtSignature)?.thoughtSignature,
  };
}

const oracles = {
  "openai-chat": byOpenAiChat,
  "openai-responses": byOpenAiResponses,
  "anthropic-messages": byAnthropic,
  "gemini-generate-content": byGemini,
} as const;

async function byUs(wire: WireUnderTest, url: string): Promise<Assembled> {
  const { answer, error } = await ask(providerFor(wire, { url }), requestWith(wire, [message("user", said(question))]));
  if (answer === undefined) throw error;
  const opaque = answer.parts
    .map((part) => (part.type === "thinking" ? (part.opaque as Record<string, unknown>) : undefined))
    .find((one) => one?.encrypted_content ?? one?.signature ?? one?.thoughtSignature);
  return {
    content: textIn(answer),
    thinking: textIn(answer, "thinking"),
    calls: callsOf(answer).map(({ callId, tool, input }) => ({ id: callId, name: tool, input })),
    usage: {
      input: answer.usage!.inputTokens,
      output: answer.usage!.outputTokens,
      read: answer.usage!.cacheReadTokens,
      write: answer.usage!.cacheWriteTokens,
    },
    sealed: opaque?.encrypted_content ?? opaque?.signature ?? opaque?.thoughtSignature,
  };
}

const usage = { inputTokens: 1234, outputTokens: 56, cachedTokens: 1000, cacheWriteTokens: 200, reasoningTokens: 20 };
const awkward = { command: 'echo "für 日本 🦊"\n\t\\', timeout: 3, nested: { a: [1, null, "\u2028"] } };

const shapes: readonly (readonly [string, ScriptedAnswer])[] = [
  ["one word", text("hello", { usage })],
  ["many deltas", text("word ".repeat(60), { deltas: 60, usage })],
  ["characters of every width", text("aß日🦊\u0000\r\n\u2028e\u0301", { deltas: 9, usage })],
  ["text cut by its length", text("half a sen", { finishReason: "length", usage })],
  ["a refusal", text("no", { finishReason: "refusal", usage })],
  ["thinking before text", text("answer", { reasoning: "first I think about it", usage })],
  ["one call in many pieces", calls([call("bash", awkward, { id: "a", fragments: 50 })], { usage })],
  ["a call without arguments", calls([call("list", {}, { id: "a" })], { usage })],
  [
    "parallel calls",
    calls(
      [1, 2, 3].map((n) => call("bash", { n }, { id: `c${n}`, fragments: 4 })),
      { usage },
    ),
  ],
  [
    "calls that take turns",
    calls(
      [1, 2, 3].map((n) => call("bash", { n }, { id: `c${n}`, fragments: n * 5 })),
      { order: "interleaved", usage },
    ),
  ],
  [
    "thinking, text and calls",
    calls([call("bash", awkward, { id: "a", fragments: 3 })], { text: "I look.", reasoning: "hm", usage }),
  ],
];

describe.each(wires)("the official SDK and we assemble the same answer on $name", (wire) => {
  let reply: Reply;
  const models: ScriptedModel[] = [];
  beforeAll(async () => {
    for (const cutBytes of [undefined, 1, 13])
      models.push(await startScriptedModel(() => reply, cutBytes === undefined ? {} : { cutBytes }));
  });
  afterAll(() => Promise.all(models.map((model) => model.close())));

  async function compare(scripted: ScriptedAnswer, model: ScriptedModel): Promise<void> {
    reply = scripted;
    const theirs = await oracles[wire.name](model.url);
    const ours = await byUs(wire, model.url);
    expect(ours).toEqual({ ...theirs, ...(wire.name === "openai-chat" ? { thinking: ours.thinking } : {}) });
    expect(ours.thinking).toBe(scripted.reasoning.join(""));
  }

  it.each(shapes)("from %s, whole and cut into pieces", async (_name, scripted) => {
    // byte by byte takes its time: only where there is something to cut through
    const isShort = scripted.deltas.length < 10 && scripted.calls.length < 2;
    for (const [at, model] of models.entries()) if (at !== 1 || isShort) await compare(scripted, model);
  });

  it("from any text and any calls, cut anywhere", async () => {
    const pieces = fc.integer({ min: 1, max: 12 });
    const oneCall = fc.record({
      name: fc.constantFrom("bash", "grep"),
      args: fc.dictionary(
        fc.string().filter((key) => key !== "__proto__"),
        fc.jsonValue(),
      ),
      fragments: pieces,
    });
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 60 }),
        fc.array(oneCall, { maxLength: 4 }),
        fc.constantFrom("interleaved", "one-after-another"),
        async (words, list, order) => {
          fc.pre(words !== "" || list.length > 0);
          const made = list.map((one, at) => call(one.name, one.args, { id: `id${at}`, fragments: one.fragments }));
          const scripted =
            list.length === 0 ? text(words, { deltas: 3, usage }) : calls(made, { text: words, order, usage });
          await compare(scripted, models[2]!);
        },
      ),
      { numRuns: 10 },
    );
  });
});
