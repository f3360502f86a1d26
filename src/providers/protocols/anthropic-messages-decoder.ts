import { ProviderError } from "../../contracts/errors.ts";
import type { Part, StopReason, ThinkingPart, Usage } from "../../contracts/message.ts";
import type { ProviderEvent } from "../../contracts/provider.ts";
import type { Decoder } from "../protocol.ts";
import { errorInStream } from "../provider-errors.ts";
import { createCallIds, parseArguments } from "../tool-call-input.ts";

type Json = { readonly [key: string]: unknown };

type OpenBlock = { readonly start: Json; text: string; signature: string; part: Part | undefined };

/** Reads the events of a message: blocks open, grow and close. Blocks and deltas of kinds unknown here are passed over. */
export function createMessagesDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  const blocks = new Map<number, OpenBlock>();
  const ids = createCallIds();
  const usage = { input: 0, output: 0, read: 0, write: 0, seen: false };
  let pending = { text: "", thinking: "" };
  let stopReason: string | undefined;
  let done = false;

  function open(index: number, start: Json): void {
    const block: OpenBlock = { start, text: "", signature: "", part: undefined };
    blocks.set(index, block);
    grow(block, { text: start.text, thinking: start.thinking });
  }

  function grow(block: OpenBlock, delta: Json): void {
    if (typeof delta.text === "string") {
      block.text += delta.text;
      pending.text += delta.text;
    }
    if (typeof delta.thinking === "string") {
      block.text += delta.thinking;
      pending.thinking += delta.thinking;
    }
    if (typeof delta.partial_json === "string") block.text += delta.partial_json;
    if (typeof delta.signature === "string") block.signature += delta.signature;
  }

  function close(block: OpenBlock): void {
    block.part ??= partOf(block, ids);
    if (block.part?.type === "tool-call" && block.part.input !== undefined)
      onEvent({ type: "tool-call", call: block.part });
  }

  function read(event: Json): void {
    switch (event.type) {
      case "error":
        throw errorInStream(event.error);
      case "message_start":
        addUsage(((event.message ?? {}) as Json).usage);
        break;
      case "content_block_start":
        open(Number(event.index), (event.content_block ?? {}) as Json);
        break;
      case "content_block_delta": {
        const block = blocks.get(Number(event.index));
        if (block) grow(block, (event.delta ?? {}) as Json);
        break;
      }
      case "content_block_stop": {
        const block = blocks.get(Number(event.index));
        if (block) close(block);
        break;
      }
      case "message_delta": {
        const reason = ((event.delta ?? {}) as Json).stop_reason;
        if (typeof reason === "string") stopReason = reason;
        addUsage(event.usage);
        break;
      }
      case "message_stop":
        done = true;
    }
  }

  /** Counts come in two events, some of them in both: the later report of a count is the whole of it. */
  function addUsage(reported: unknown): void {
    if (reported === null || typeof reported !== "object") return;
    const counts = reported as Json;
    const latest = (name: string, before: number) => (typeof counts[name] === "number" ? counts[name] : before);
    usage.seen = true;
    usage.input = latest("input_tokens", usage.input);
    usage.output = latest("output_tokens", usage.output);
    usage.read = latest("cache_read_input_tokens", usage.read);
    usage.write = latest("cache_creation_input_tokens", usage.write);
  }

  return {
    push(data) {
      let event: unknown;
      try {
        event = JSON.parse(data);
      } catch (cause) {
        throw new ProviderError("broken-stream", `the stream held something that is no JSON: ${data.slice(0, 80)}`, {
          cause,
        });
      }
      if (!done && event !== null && typeof event === "object") read(event as Json);
    },
    pushWhole(body) {
      const message = (body ?? {}) as Json;
      if (message.type === "error") throw errorInStream(message.error);
      for (const [index, block] of ((message.content ?? []) as Json[]).entries()) {
        open(index, block);
        close(blocks.get(index) as OpenBlock);
      }
      addUsage(message.usage);
      stopReason = typeof message.stop_reason === "string" ? message.stop_reason : stopReason;
      done = true;
    },
    flush() {
      const { text, thinking } = pending;
      pending = { text: "", thinking: "" };
      if (thinking) onEvent({ type: "thinking", text: thinking });
      if (text) onEvent({ type: "text", text });
    },
    get state() {
      if (done) return "done";
      return stopReason === undefined ? "open" : "finishing";
    },
    answer() {
      if (!done && stopReason === undefined)
        throw new ProviderError("broken-stream", "the connection closed in the middle of the answer");
      if (stopReason === "model_context_window_exceeded")
        throw new ProviderError("context-overflow", "the answer did not fit into the context window");
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

function thinkingPart(start: Json, text: string, signature: string): ThinkingPart {
  if (start.type === "redacted_thinking") return { type: "thinking", text: "", opaque: start };
  return { type: "thinking", text, opaque: { type: "thinking", thinking: text, signature } };
}

function stopReasonOf(reason: string | undefined, calls: number): StopReason {
  if (reason === "max_tokens") return "length";
  if (reason === "refusal") return "content-filter";
  return calls > 0 ? "tool-calls" : "end";
}
