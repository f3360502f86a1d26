import type { ScriptedAnswer } from "./reply.ts";
import { inOrder, plainText, usageOf, type Wire, type WireContext, type WireMessage, withIds } from "./wire.ts";

type Delta = Readonly<Record<string, unknown>>;

function usageBody(answer: ScriptedAnswer, context: WireContext) {
  const usage = usageOf(answer, context);
  if (usage === undefined) return undefined;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: {
      cached_tokens: usage.cachedTokens ?? 0,
      ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
    },
    ...(usage.reasoningTokens === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: usage.reasoningTokens } }),
  };
}

/** First the id and name, then the arguments piece by piece, as the vendor does. */
function* callDeltas(answer: ScriptedAnswer, context: WireContext): Iterable<Delta> {
  const list = withIds(answer, context);
  const head = (call: (typeof list)[number]): Delta => ({
    tool_calls: [{ index: call.position, id: call.id, type: "function", function: { name: call.name, arguments: "" } }],
  });
  const piece = (position: number, fragment: string): Delta => ({
    tool_calls: [{ index: position, function: { arguments: fragment } }],
  });
  if (answer.order === "one-after-another") {
    for (const call of list) {
      yield head(call);
      for (const fragment of call.fragments) yield piece(call.position, fragment);
    }
    return;
  }
  for (const call of list) yield head(call);
  for (const [call, fragment] of inOrder(list, "interleaved")) yield piece(call.position, fragment);
}

function envelope(kind: string, { body, index }: WireContext) {
  return { id: `chatcmpl-scripted-${index + 1}`, object: kind, created: 1_700_000_000, model: body.model };
}

const finishOf = ({ finishReason }: ScriptedAnswer) => (finishReason === "refusal" ? "stop" : finishReason);
const textField = ({ finishReason }: ScriptedAnswer) => (finishReason === "refusal" ? "refusal" : "content");

/** OpenAI Chat Completions. */
export const chatWire: Wire = {
  name: "openai-chat",
  serves: (pathname) => pathname.endsWith("/chat/completions"),
  conversationField: "messages",
  wantsStream: ({ body }) => body.stream === true,

  *stream(answer, context) {
    const wantsUsage = context.body.stream_options?.include_usage === true;
    const base = { ...envelope("chat.completion.chunk", context), ...(wantsUsage ? { usage: null } : {}) };
    const event = (delta: Delta, finishReason: string | null = null) =>
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] })}\n\n`;
    yield event({ role: "assistant", content: answer.calls.length > 0 && answer.deltas.length === 0 ? null : "" });
    for (const piece of answer.reasoning) yield event({ reasoning_content: piece });
    for (const piece of answer.deltas) yield event({ [textField(answer)]: piece });
    for (const delta of callDeltas(answer, context)) yield event(delta);
    yield event({}, finishOf(answer));
    const usage = usageBody(answer, context);
    if (wantsUsage && usage !== undefined) yield `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`;
    yield "data: [DONE]\n\n";
  },

  whole(answer, context) {
    const list = withIds(answer, context);
    const said = answer.deltas.length > 0 ? answer.deltas.join("") : null;
    const message = {
      role: "assistant",
      content: answer.finishReason === "refusal" ? null : said,
      ...(answer.finishReason === "refusal" ? { refusal: said } : {}),
      ...(answer.reasoning.length > 0 ? { reasoning_content: answer.reasoning.join("") } : {}),
      ...(list.length > 0
        ? {
            tool_calls: list.map((call) => ({
              id: call.id,
              type: "function",
              function: { name: call.name, arguments: call.arguments },
            })),
          }
        : {}),
    };
    const usage = usageBody(answer, context);
    return JSON.stringify({
      ...envelope("chat.completion", context),
      choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
      ...(usage === undefined ? {} : { usage }),
    });
  },

  error: ({ status, type, message }) => `data: ${JSON.stringify({ error: { message, type, code: status } })}\n\n`,

  conversation: ({ messages }) =>
    (messages as readonly WireMessage[]).map((message) => ({ ...message, content: plainText(message.content) })),
};
