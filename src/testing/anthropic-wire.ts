import type { FinishReason, ScriptedAnswer } from "./reply.ts";
import { usageOf, type Wire, type WireContext, withIds } from "./wire.ts";

const stopReasons: Readonly<Record<FinishReason, string>> = {
  stop: "end_turn",
  tool_calls: "tool_use",
  length: "max_tokens",
  content_filter: "refusal",
};

function usageBody(answer: ScriptedAnswer, context: WireContext) {
  const usage = usageOf(answer, context) ?? { inputTokens: 0, outputTokens: 0 };
  const cached = usage.cachedTokens ?? 0;
  return {
    input_tokens: usage.inputTokens - cached,
    cache_read_input_tokens: cached,
    cache_creation_input_tokens: 0,
    output_tokens: usage.outputTokens,
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

type Block = {
  readonly start: Readonly<Record<string, unknown>>;
  readonly deltas: readonly Readonly<Record<string, unknown>>[];
};

function blocksOf(answer: ScriptedAnswer, context: WireContext): Block[] {
  const blocks: Block[] = [];
  if (answer.reasoning.length > 0) {
    const thinking = answer.reasoning.map((piece) => ({ type: "thinking_delta", thinking: piece }));
    blocks.push({
      start: { type: "thinking", thinking: "", signature: "" },
      deltas: [...thinking, { type: "signature_delta", signature: "c2NyaXB0ZWQ=" }],
    });
  }
  if (answer.deltas.length > 0) {
    blocks.push({
      start: { type: "text", text: "" },
      deltas: answer.deltas.map((piece) => ({ type: "text_delta", text: piece })),
    });
  }
  for (const call of withIds(answer, context)) {
    blocks.push({
      start: { type: "tool_use", id: call.id, name: call.name, input: {} },
      deltas: call.fragments.map((piece) => ({ type: "input_json_delta", partial_json: piece })),
    });
  }
  return blocks;
}

/** Anthropic Messages. */
export const anthropicWire: Wire = {
  pathEnd: "/messages",

  *stream(answer, context) {
    const event = (body: { readonly type: string; readonly [key: string]: unknown }) =>
      `event: ${body.type}\ndata: ${JSON.stringify(body)}\n\n`;
    const usage = usageBody(answer, context);
    const message = { ...envelope(context), content: [], stop_reason: null, stop_sequence: null };
    yield event({ type: "message_start", message: { ...message, usage: { ...usage, output_tokens: 1 } } });
    for (const [index, block] of blocksOf(answer, context).entries()) {
      yield event({ type: "content_block_start", index, content_block: block.start });
      for (const delta of block.deltas) yield event({ type: "content_block_delta", index, delta });
      yield event({ type: "content_block_stop", index });
    }
    const delta = { stop_reason: stopReasons[answer.finishReason], stop_sequence: null };
    yield event({ type: "message_delta", delta, usage: { output_tokens: usage.output_tokens } });
    yield event({ type: "message_stop" });
  },

  whole(answer, context) {
    const thinking = answer.reasoning.join("");
    const content = [
      ...(thinking === "" ? [] : [{ type: "thinking", thinking, signature: "c2NyaXB0ZWQ=" }]),
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
};
