import { ProviderError } from "../../contracts/errors.ts";
import type { StopReason, Usage } from "../../contracts/message.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";
import type { Decoder } from "../protocol.ts";
import { errorInStream } from "../provider-errors.ts";
import { type CallFragment, createCallAssembly } from "./openai-chat-calls.ts";

type Json = { readonly [key: string]: unknown };

/** Events without any content after which a stream counts as stuck. */
const idleEventLimit = 5_000;

/** Reads chat completion chunks. Tolerates what servers really send; never guesses at content that did not arrive. */
export function createChatDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  let text = "";
  let thinking = "";
  let thinkingField: "reasoning_content" | "reasoning" = "reasoning_content";
  let flushedText = 0;
  let flushedThinking = 0;
  let finishReason: string | undefined;
  let usage: Usage | undefined;
  let done = false;
  let isOllama = false;
  let idleEvents = 0;
  const calls = createCallAssembly((call) => onEvent({ type: "tool-call", call }));

  function read(chunk: Json): void {
    if (chunk.error) throw errorInStream(chunk.error);
    const exception = Object.keys(chunk).find((key) => /exception$/i.test(key));
    if (exception !== undefined) throw errorInStream(chunk[exception]);
    usage = usageOf(chunk.usage) ?? usage;
    const choice = firstChoice(chunk);
    if (choice === undefined) return;
    usage = usageOf(choice.usage) ?? usage;
    const size = text.length + thinking.length;
    readDelta((choice.delta ?? choice.message ?? {}) as Json);
    // a gateway says so when the model behind it died
    if (choice.finish_reason === "error")
      throw new ProviderError("broken-stream", "the server gave up in the middle of the answer");
    if (typeof choice.finish_reason === "string") finishReason = choice.finish_reason;
    if (text.length + thinking.length > size || calls.count > 0 || finishReason) idleEvents = 0;
    else if (++idleEvents > idleEventLimit)
      throw new ProviderError("stalled", `${idleEventLimit} events in a row carried nothing`);
  }

  function readDelta(delta: Json): void {
    if (typeof delta.reasoning_content === "string") thinking += delta.reasoning_content;
    else if (typeof delta.reasoning === "string" && delta.reasoning) {
      thinking += delta.reasoning;
      thinkingField = "reasoning";
    }
    const content = delta.content ?? delta.refusal;
    if (typeof content === "string") text += content;
    else if (Array.isArray(content))
      text += content.map((part: Json) => (typeof part.text === "string" ? part.text : "")).join("");
    if (Array.isArray(delta.tool_calls)) for (const fragment of delta.tool_calls) calls.add(fragment as CallFragment);
    else if (delta.function_call) calls.add({ index: 0, function: delta.function_call as CallFragment["function"] });
  }

  return {
    push(data) {
      if (done) return;
      if (data.trim() === "[DONE]") {
        done = true;
        return;
      }
      let chunk: unknown;
      try {
        chunk = JSON.parse(data);
      } catch (cause) {
        throw new ProviderError("broken-stream", `the stream held something that is no JSON: ${data.slice(0, 80)}`, {
          cause,
        });
      }
      if (chunk !== null && typeof chunk === "object") read(chunk as Json);
    },
    pushWhole(body) {
      const whole = (body ?? {}) as Json;
      isOllama = "prompt_eval_count" in whole;
      read(isOllama ? fromOllama(whole) : whole);
      done = true;
    },
    flush() {
      if (thinking.length > flushedThinking) onEvent({ type: "thinking", text: thinking.slice(flushedThinking) });
      if (text.length > flushedText) onEvent({ type: "text", text: text.slice(flushedText) });
      flushedThinking = thinking.length;
      flushedText = text.length;
    },
    get state() {
      if (done) return "done";
      return finishReason === undefined ? "open" : "finishing";
    },
    answer() {
      if (!done && finishReason === undefined)
        throw new ProviderError("broken-stream", "the connection closed in the middle of the answer");
      const toolCalls = calls.finish();
      return {
        parts: [
          ...(thinking ? [{ type: "thinking", text: thinking, opaque: thinkingField } as const] : []),
          ...(text ? [{ type: "text", text } as const] : []),
          ...toolCalls,
        ],
        stopReason: stopReasonOf(finishReason, toolCalls.length),
        usage,
        ...(isOllama ? { mayBeCut: true } : {}),
      };
    },
  };
}

/** Ollama's own answer, which some gateways pass on as it is. */
function fromOllama({ message, done_reason, prompt_eval_count, eval_count }: Json): Json {
  return {
    choices: [{ index: 0, message, finish_reason: done_reason ?? "stop" }],
    usage: { prompt_tokens: prompt_eval_count, completion_tokens: eval_count },
  };
}

function firstChoice(chunk: Json): Json | undefined {
  const choices = chunk.choices;
  if (!Array.isArray(choices)) return undefined;
  return choices.find((choice: Json | null) => choice !== null && (choice.index ?? 0) === 0) as Json | undefined;
}

/** Decided by content rather than by the word the server used: many say "stop" after tool calls. */
function stopReasonOf(finishReason: string | undefined, calls: number): StopReason {
  if (finishReason === "length") return "length";
  if (finishReason === "content_filter") return "content-filter";
  return calls > 0 ? "tool-calls" : "end";
}

function usageOf(reported: unknown): Usage | undefined {
  if (reported === null || typeof reported !== "object") return undefined;
  const usage = reported as Json;
  const details = (usage.prompt_tokens_details ?? {}) as Json;
  const inputTokens = count(usage.prompt_tokens);
  const cacheReadTokens = count(details.cached_tokens ?? usage.prompt_cache_hit_tokens);
  return {
    inputTokens,
    outputTokens: count(usage.completion_tokens),
    cacheReadTokens: Math.min(cacheReadTokens, inputTokens),
    cacheWriteTokens: Math.min(
      count(details.cache_write_tokens ?? details.cache_creation_tokens),
      inputTokens - Math.min(cacheReadTokens, inputTokens),
    ),
  };
}

function count(value: unknown): number {
  return typeof value === "number" && Number.isFinite(value) && value > 0 ? value : 0;
}
