import { ProviderError } from "../../contracts/errors.ts";
import type { Part, StopReason, ThinkingPart, Usage } from "../../contracts/message.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";
import {
  asObject,
  closedEarly,
  count,
  createDeltas,
  endMark,
  type Json,
  parseEvent,
  throwForeignError,
} from "../decoding.ts";
import type { Decoder } from "../protocol.ts";
import { errorInStream } from "../provider-errors.ts";
import { createCallIds, parseArguments } from "../tool-call-input.ts";

type OpenBlock = { readonly start: Json; text: string; signature: string; part: Part | undefined };

/** Reads the events of a message: blocks open, grow and close. Blocks and deltas of kinds unknown here are passed over. */
export function createMessagesDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  const blocks = new Map<number, OpenBlock>();
  const ids = createCallIds();
  const usage = { input: 0, output: 0, read: 0, write: 0, seen: false };
  const deltas = createDeltas(onEvent);
  let stopReason: string | undefined;
  let done = false;

  function open(index: number, start: Json): void {
    const block: OpenBlock = { start, text: "", signature: "", part: undefined };
    blocks.set(index, block);
    grow(block, { text: start.text, thinking: start.thinking, signature: start.signature });
    deltas.progress();
  }

  function grow(block: OpenBlock, { text, thinking, partial_json, signature }: Json): void {
    if (typeof text === "string") deltas.text(text, block);
    else if (typeof thinking === "string") deltas.thinking(thinking, block);
    else if (typeof partial_json === "string") {
      block.text += partial_json;
      if (partial_json !== "") deltas.progress();
    }
    if (typeof signature === "string") block.signature += signature;
  }

  function close(block: OpenBlock): void {
    deltas.settle();
    block.part ??= partOf(block, ids);
    if (block.part?.type === "tool-call" && block.part.input !== undefined)
      onEvent({ type: "tool-call", call: block.part });
  }

  function read(event: Json): void {
    deltas.tick();
    switch (event.type) {
      case "content_block_delta": {
        const block = blocks.get(Number(event.index));
        if (block) grow(block, asObject(event.delta));
        break;
      }
      case "content_block_start":
        open(Number(event.index), asObject(event.content_block));
        break;
      case "content_block_stop": {
        const block = blocks.get(Number(event.index));
        if (block) close(block);
        break;
      }
      case "message_start":
        addUsage(asObject(event.message).usage);
        break;
      case "message_delta": {
        const reason = asObject(event.delta).stop_reason;
        if (typeof reason === "string") stopReason = reason;
        addUsage(event.usage);
        break;
      }
      case "message_stop":
        done = true;
        break;
      case "error":
        throw errorInStream(event.error ?? event);
      case undefined:
        throwForeignError(event);
    }
  }

  /** Counts come in two events, some of them in both: the later report of a count is the whole of it. */
  function addUsage(reported: unknown): void {
    if (reported === null || typeof reported !== "object") return;
    const counts = reported as Json;
    const latest = (name: string, before: number) => (typeof counts[name] === "number" ? count(counts[name]) : before);
    usage.seen = true;
    usage.input = latest("input_tokens", usage.input);
    usage.output = latest("output_tokens", usage.output);
    usage.read = latest("cache_read_input_tokens", usage.read);
    usage.write = latest("cache_creation_input_tokens", usage.write);
  }

  return {
    push(data) {
      if (done) return;
      const event = parseEvent(data);
      if (event === endMark) done = true;
      else if (event !== undefined) read(event);
    },
    pushWhole(body) {
      const message = asObject(Array.isArray(body) ? body[0] : body);
      throwForeignError(message);
      if (!Array.isArray(message.content)) return;
      for (const [index, block] of message.content.entries()) {
        open(index, asObject(block));
        close(blocks.get(index) as OpenBlock);
      }
      addUsage(message.usage);
      stopReason = typeof message.stop_reason === "string" ? message.stop_reason : stopReason;
      done = true;
    },
    flush: deltas.flush,
    get state() {
      if (done) return "done";
      return stopReason === undefined ? "open" : "finishing";
    },
    answer() {
      if (!done && stopReason === undefined) throw closedEarly();
      if (stopReason === "model_context_window_exceeded")
        throw new ProviderError("context-overflow", "the answer did not fit into the context window");
      deltas.settle();
      const ordered = [...blocks].toSorted(([a], [b]) => a - b).map(([, block]) => block);
      const parts = ordered.flatMap((block) => block.part ?? partOf(block, ids) ?? []);
      const calls = parts.filter((part) => part.type === "tool-call").length;
      const total: Usage = {
        inputTokens: usage.input + usage.read + usage.write,
        outputTokens: usage.output,
        cacheReadTokens: usage.read,
        cacheWriteTokens: usage.write,
      };
      return { parts, stopReason: stopReasonOf(stopReason, calls), usage: usage.seen ? total : undefined };
    },
  };
}

function partOf({ start, text, signature }: OpenBlock, ids: { claim(id: string): string }): Part | undefined {
  switch (start.type) {
    case "text":
      return text === "" ? undefined : { type: "text", text };
    case "thinking":
    case "redacted_thinking":
      return thinkingPart(start, text, signature);
    case "tool_use": {
      const given = start.input;
      const whole = text === "" && given !== null && typeof given === "object" ? JSON.stringify(given) : text;
      const id = typeof start.id === "string" ? start.id : "";
      return {
        type: "tool-call",
        callId: ids.claim(id),
        tool: String(start.name ?? ""),
        input: parseArguments(whole),
        rawInput: whole,
      };
    }
    default:
      return undefined;
  }
}

/** The block exactly as it has to come back. */
function thinkingPart(start: Json, text: string, signature: string): ThinkingPart {
  if (start.type === "redacted_thinking") return { type: "thinking", text: "", opaque: start };
  return { type: "thinking", text, opaque: { type: "thinking", thinking: text, signature } };
}

function stopReasonOf(reason: string | undefined, calls: number): StopReason {
  if (reason === "max_tokens") return "length";
  if (reason === "refusal") return "content-filter";
  return calls > 0 ? "tool-calls" : "end";
}
