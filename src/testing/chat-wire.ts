import type { ScriptedAnswer } from "./reply.ts";
import { type RequestBody, usageOf, type Wire, type WireContext, withIds } from "./wire.ts";

type Delta = Readonly<Record<string, unknown>>;

function usageBody(answer: ScriptedAnswer, context: WireContext) {
  const usage = usageOf(answer, context);
  if (usage === undefined) return undefined;
  return {
    prompt_tokens: usage.inputTokens,
    completion_tokens: usage.outputTokens,
    total_tokens: usage.inputTokens + usage.outputTokens,
    prompt_tokens_details: { cached_tokens: usage.cachedTokens ?? 0 },
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
  const longest = Math.max(0, ...list.map((call) => call.fragments.length));
  for (let turn = 0; turn < longest; turn++) {
    for (const call of list) {
      const fragment = call.fragments[turn];
      if (fragment !== undefined) yield piece(call.position, fragment);
    }
  }
}

function envelope(kind: string, body: RequestBody, index: number) {
  return { id: `chatcmpl-scripted-${index + 1}`, object: kind, created: 1_700_000_000, model: body.model };
}

/** OpenAI Chat Completions. */
export const chatWire: Wire = {
  pathEnd: "/chat/completions",

  *stream(answer, context) {
    const wantsUsage = context.body.stream_options?.include_usage === true;
    const base = {
      ...envelope("chat.completion.chunk", context.body, context.index),
      ...(wantsUsage ? { usage: null } : {}),
    };
    const event = (delta: Delta, finishReason: string | null = null) =>
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }] })}\n\n`;
    yield event({ role: "assistant", content: answer.calls.length > 0 && answer.deltas.length === 0 ? null : "" });
    for (const piece of answer.reasoning) yield event({ reasoning_content: piece });
    for (const piece of answer.deltas) yield event({ content: piece });
    for (const delta of callDeltas(answer, context)) yield event(delta);
    yield event({}, answer.finishReason);
    const usage = usageBody(answer, context);
    if (wantsUsage && usage !== undefined) yield `data: ${JSON.stringify({ ...base, choices: [], usage })}\n\n`;
    yield "data: [DONE]\n\n";
  },

  whole(answer, context) {
    const list = withIds(answer, context);
    const message = {
      role: "assistant",
      content: answer.deltas.length > 0 ? answer.deltas.join("") : null,
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
      ...envelope("chat.completion", context.body, context.index),
      choices: [{ index: 0, message, logprobs: null, finish_reason: answer.finishReason }],
      ...(usage === undefined ? {} : { usage }),
    });
  },
};
