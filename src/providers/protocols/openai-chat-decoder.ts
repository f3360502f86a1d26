import { ProviderError } from "../../contracts/errors.ts";
import type { StopReason, Usage } from "../../contracts/message.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";
import {
  asObject,
  closedEarly,
  count,
  createDeltas,
  endMark,
  type Growing,
  type Json,
  parseEvent,
  throwForeignError,
} from "../decoding.ts";
import type { Decoder } from "../protocol.ts";
import { errorInStream } from "../provider-errors.ts";
import { type CallFragment, createCallAssembly } from "./openai-chat-calls.ts";

/** Reads chat completion chunks. Tolerates what servers really send; never guesses at content that did not arrive. */
export function createChatDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  const said: Growing = { text: "" };
  const thought: Growing = { text: "" };
  let thinkingField: "reasoning_content" | "reasoning" = "reasoning_content";
  let finishReason: string | undefined;
  let isRefused = false;
  let usage: Usage | undefined;
  let done = false;
  let isOllama = false;
  const deltas = createDeltas(onEvent);
  const calls = createCallAssembly((call) => onEvent({ type: "tool-call", call }));

  function read(chunk: Json): void {
    if (chunk.error) throw errorInStream(chunk.error);
    const choices = chunk.choices;
    if (choices === undefined) throwForeignError(chunk);
    if (chunk.usage) usage = usageOf(chunk.usage) ?? usage;
    const choice = firstOf(choices);
    if (choice === undefined) return;
    if (choice.usage) usage = usageOf(choice.usage) ?? usage;
    deltas.tick();
    readDelta(asObject(choice.delta ?? choice.message));
    const reason = choice.finish_reason;
    // a gateway says so when the model behind it died
    if (reason === "error") throw new ProviderError("broken-stream", "the server gave up in the middle of the answer");
    if (typeof reason === "string") finishReason = reason;
    if (finishReason !== undefined || calls.count > 0) deltas.progress();
  }

  function readDelta(delta: Json): void {
    const { content, tool_calls, reasoning_content, reasoning } = delta;
    if (typeof content === "string") say(content);
    else if (Array.isArray(content)) for (const part of content) readPart(asObject(part));
    if (typeof reasoning_content === "string") think(reasoning_content);
    else if (typeof reasoning === "string" && reasoning !== "") {
      thinkingField = "reasoning";
      think(reasoning);
    }
    if (typeof delta.refusal === "string" && delta.refusal !== "") {
      isRefused = true;
      say(delta.refusal);
    }
    if (Array.isArray(tool_calls)) for (const fragment of tool_calls) calls.add(fragment as CallFragment);
    else if (delta.function_call) calls.add({ index: 0, function: delta.function_call as CallFragment["function"] });
  }

  /** Mistral sends its thinking as parts of the content. */
  function readPart({ text, thinking }: Json): void {
    if (typeof text === "string") say(text);
    if (typeof thinking === "string") think(thinking);
    else if (Array.isArray(thinking)) think(thinking.map((part: Json) => part.text ?? "").join(""));
  }

  const say = (piece: string) => deltas.text(piece, said);
  const think = (piece: string) => deltas.thinking(piece, thought);

  return {
    push(data) {
      if (done) return;
      const chunk = parseEvent(data);
      if (chunk === endMark) done = true;
      else if (chunk !== undefined) read(chunk);
    },
    pushWhole(body) {
      const whole = asObject(Array.isArray(body) ? body[0] : body);
      isOllama = "prompt_eval_count" in whole;
      read(isOllama ? fromOllama(whole) : whole);
      done = isOllama || Array.isArray(whole.choices);
    },
    flush: deltas.flush,
    get state() {
      if (done) return "done";
      return finishReason === undefined ? "open" : "finishing";
    },
    answer() {
      if (!done && finishReason === undefined) throw closedEarly();
      deltas.settle();
      const toolCalls = calls.finish();
      return {
        parts: [
          ...(thought.text ? [{ type: "thinking", text: thought.text, opaque: thinkingField } as const] : []),
          ...(said.text ? [{ type: "text", text: said.text } as const] : []),
          ...toolCalls,
        ],
        stopReason: isRefused ? "content-filter" : stopReasonOf(finishReason, toolCalls.length),
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

function firstOf(choices: unknown): Json | undefined {
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
  const details = asObject(usage.prompt_tokens_details);
  const inputTokens = count(usage.prompt_tokens);
  const cacheReadTokens = Math.min(count(details.cached_tokens ?? usage.prompt_cache_hit_tokens), inputTokens);
  const written = count(details.cache_write_tokens ?? details.cache_creation_tokens);
  return {
    inputTokens,
    outputTokens: count(usage.completion_tokens),
    cacheReadTokens,
    cacheWriteTokens: Math.min(written, inputTokens - cacheReadTokens),
  };
}
