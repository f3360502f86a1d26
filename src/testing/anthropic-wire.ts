import type { FinishReason, ScriptedAnswer } from "./reply.ts";
import { plainText, replayToken, usageOf, type Wire, type WireContext, type WireMessage, withIds } from "./wire.ts";

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
  refusal: "refusal",
};

function usageBody(answer: ScriptedAnswer, context: WireContext) {
  const {
    inputTokens,
    outputTokens,
    cachedTokens = 0,
    cacheWriteTokens = 0,
  } = usageOf(answer, context) ?? {
    inputTokens: 0,
    outputTokens: 0,
  };
  return {
    input_tokens: inputTokens - cachedTokens - cacheWriteTokens,
    cache_read_input_tokens: cachedTokens,
    cache_creation_input_tokens: cacheWriteTokens,
    output_tokens: outputTokens,
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return {};
  }
}

function envelope(context: WireContext) {
  return { id: `msg_scripted_${context.index + 1}`, type: "message", role: "assistant", model: context.body.model };
}

type Fields = Readonly<Record<string, unknown>>;
type Block = { readonly start: Fields; readonly fragments: readonly Fields[] };

function blocksOf(answer: ScriptedAnswer, context: WireContext): Block[] {
  const blocks: Block[] = [];
  if (answer.reasoning.length > 0) {
    const thinking = answer.reasoning.map((piece) => ({ type: "thinking_delta", thinking: piece }));
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      fragments: [...thinking, { type: "signature_delta", signature: replayToken }],
    });
  }
  if (answer.deltas.length > 0) {
    blocks.push({
      start: { type: "text", text: "" },
      fragments: answer.deltas.map((piece) => ({ type: "text_delta", text: piece })),
    });
  }
  for (const call of withIds(answer, context)) {
    blocks.push({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      fragments: call.fragments.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    });
  }
  return blocks;
}

type Part = Fields & { readonly type?: string };

/** A turn of this wire as messages of Chat Completions: results apart from what else was said. */
function messagesOf({ role, content }: WireMessage): WireMessage[] {
  const parts: readonly Part[] = Array.isArray(content) ? content : [{ type: "text", text: String(content ?? "") }];
  const results = parts
    .filter(({ type }) => type === "tool_result")
    .map((part) => ({
      role: "tool",
      tool_call_id: String(part.tool_use_id),
      content: plainText(part.content),
      images: imagesIn(part.content),
    }));
  const others = parts.filter(({ type }) => type !== "tool_result");
  if (others.length === 0) return results;
  const calls = others.filter(({ type }) => type === "tool_use");
  const thinking = others.find(({ type }) => type === "thinking");
  const said: WireMessage = {
    role,
    content: plainText(others),
    images: imagesIn(others),
    ...(thinking === undefined
      ? {}
      : { reasoning_content: String(thinking.thinking), replayToken: thinking.signature }),
    ...(calls.length === 0
      ? {}
      : {
          tool_calls: calls.map(({ id, name, input }) => ({
            id: String(id),
            type: "function",
            function: { name: String(name), arguments: JSON.stringify(input) },
          })),
        }),
  };
  return [...results, said];
}

function imagesIn(content: unknown): number {
  return Array.isArray(content) ? content.filter((part: Part) => part.type === "image").length : 0;
}

/** Anthropic Messages. */
export const anthropicWire: Wire = {
  name: "anthropic-messages",
  serves: (pathname) => pathname.endsWith("/messages"),
  conversationField: "messages",
  wantsStream: ({ body }) => body.stream === true,

  *stream(answer, context) {
    const event = (body: { readonly type: string; readonly [key: string]: unknown }) =>
      `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
    const usage = usageBody(answer, context);
    const message = { ...envelope(context), content: [], stop_reason: null, stop_sequence: null };
    yield event({ type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } });
    for (const [index, block] of blocksOf(answer, context).entries()) {
      yield event({ type: "content_block_start", index, content_block: block.start });
      if (index === 0) yield event({ type: "ping" });
      for (const delta of block.fragments) yield event({ type: "content_block_delta", index, delta });
      yield event({ type: "content_block_stop", index });
    }
    const delta = { stop_reason: stopReasons[answer.finishReason], stop_sequence: null };
    yield event({ type: "message_delta", delta, usage: { output_tokens: usage.output_tokens } });
    yield event({ type: "message_stop" });
  },

  whole(answer, context) {
    const thinking = answer.reasoning.join("");
    const content = [
      ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: replayToken }]),
      ...(answer.deltas.length === 0 ? [] : [{ type: "text", text: answer.deltas.join("") }]),
      ...withIds(answer, context).map((call) => ({
        type: "tool_use",
        id: call.id,
        name: call.name,
        input: parsed(call.arguments),
      })),
    ];
    const stop = { stop_reason: stopReasons[answer.finishReason], stop_sequence: null };
    return JSON.stringify({ ...envelope(context), content, ...stop, usage: usageBody(answer, context) });
  },

  error: ({ type, message }) =>
    `event: error\ndata: ${JSON.stringify({ type: "error", error: { type, message } })}\n\n`,

  conversation: ({ system, messages }) => [
    ...(system === undefined ? [] : [{ role: "system", content: plainText(system) }]),
    ...(messages as readonly WireMessage[]).flatMap(messagesOf),
  ],
};
