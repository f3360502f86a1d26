import { ProviderError } from "../../contracts/errors.ts";
import type { Part, StopReason, Usage } from "../../contracts/message.ts";
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

/** One item of the output while it grows: a message, a piece of reasoning or a call. */
type Item = { data: Json; text: string; parts: readonly Part[] | undefined };

/** What has come in pieces comes again at its whole length, several times over: not worth parsing. */
const repetitions: ReadonlySet<string | undefined> = new Set([
  "response.output_text.done",
  "response.content_part.done",
  "response.function_call_arguments.done",
  "response.reasoning_summary_text.done",
  "response.reasoning_summary_part.done",
]);
const longEvent = 1_000;

/** Reads the events of a response: items are added, grow and are done. Items and events of kinds unknown here are passed over. */
export function createResponsesDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  const items = new Map<unknown, Item>();
  let latest: { readonly key: unknown; readonly item: Item } | undefined;
  const ids = createCallIds();
  const deltas = createDeltas(onEvent);
  let usage: Usage | undefined;
  let stopReason: "length" | "content-filter" | undefined;
  let done = false;

  /** Servers that leave out the place of an item name the item, in the event or in the item itself. */
  function itemOf(event: Json, type?: string): Item {
    const key = event.output_index ?? event.item_id ?? asObject(event.item).id;
    if (latest !== undefined && latest.key === key) return latest.item;
    let item = items.get(key);
    if (item === undefined) items.set(key, (item = { data: { type }, text: "", parts: undefined }));
    latest = { key, item };
    return item;
  }

  /** Where no places were given, items came in their order. */
  function inPlace(index: number): Item {
    const hasPlaces = items.size === 0 || typeof items.keys().next().value === "number";
    return (hasPlaces ? undefined : [...items.values()][index]) ?? itemOf({ output_index: index });
  }

  function read(event: Json): void {
    deltas.tick();
    switch (event.type) {
      case "response.output_text.delta":
      case "response.refusal.delta": {
        deltas.text(textIn(event.delta), itemOf(event, "message"));
        if (event.type === "response.refusal.delta") stopReason = "content-filter";
        break;
      }
      case "response.function_call_arguments.delta":
        itemOf(event, "function_call").text += textIn(event.delta);
        deltas.progress();
        break;
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        think(event, textIn(event.delta));
        break;
      case "response.reasoning_summary_part.added":
        if (typeof event.summary_index === "number" && event.summary_index > 0) think(event, "\n\n");
        break;
      case "response.output_item.added":
        itemOf(event).data = asObject(event.item);
        deltas.progress();
        break;
      case "response.output_item.done":
        finish(itemOf(event), asObject(event.item));
        break;
      case "response.completed":
      case "response.incomplete":
      case "response.done":
        end(asObject(event.response));
        break;
      case "response.failed":
      case "response.cancelled":
        throw failure(asObject(event.response));
      case "error":
        throw errorInStream(event.error ?? event);
      case undefined:
        throwForeignError(event);
    }
  }

  function think(event: Json, piece: string): void {
    deltas.thinking(piece, itemOf(event, "reasoning"));
  }

  /** What an item is in the end counts; what of its text did not come in pieces comes now. */
  function finish(item: Item, whole: Json): void {
    if (item.parts !== undefined) return;
    item.data = { ...item.data, ...whole };
    deltas.settle();
    if (item.text === "") growWhole(item);
    if (item.data.type === "message" && hasRefusal(item.data)) stopReason = "content-filter";
    item.parts = partsOf(item, ids);
    for (const part of item.parts)
      if (part.type === "tool-call" && part.input !== undefined) onEvent({ type: "tool-call", call: part });
    deltas.progress();
  }

  function growWhole(item: Item): void {
    const text = textOfItem(item.data);
    if (item.data.type === "reasoning") deltas.thinking(text, item);
    else if (item.data.type === "message") deltas.text(text, item);
    else item.text = text;
    deltas.settle();
  }

  function end(response: Json): void {
    if (response.error || response.status === "failed") throw failure(response);
    usage = usageOf(response.usage) ?? usage;
    const reason = asObject(response.incomplete_details).reason;
    if (reason === "content_filter") stopReason = "content-filter";
    else if (reason === "max_output_tokens" || response.status === "incomplete") stopReason ??= "length";
    const output = Array.isArray(response.output) ? response.output : [];
    // a call that was cut off is in the output as well, marked as not complete: what came of it is already known
    if (stopReason === undefined || items.size === 0)
      for (const [index, item] of output.entries()) finish(inPlace(index), asObject(item));
    done = true;
  }

  return {
    push(data, eventName) {
      if (done) return;
      if (data.length > longEvent && repetitions.has(eventName)) return;
      const event = parseEvent(data);
      if (event === endMark) done = true;
      else if (event !== undefined) read(event);
    },
    pushWhole(body) {
      const response = asObject(Array.isArray(body) ? body[0] : body);
      throwForeignError(response);
      if (response.output === undefined && response.status === undefined) throw closedEarly();
      end(response);
    },
    flush: deltas.flush,
    get state() {
      return done ? "done" : "open";
    },
    answer() {
      if (!done) throw closedEarly();
      deltas.settle();
      const parts = [...items]
        .toSorted(([a], [b]) => (typeof a === "number" && typeof b === "number" ? a - b : 0))
        .flatMap(([, item]) => item.parts ?? partsOf(item, ids));
      const calls = parts.filter((part) => part.type === "tool-call").length;
      return { parts, stopReason: stopReason ?? endOf(calls), usage };
    },
  };
}

function endOf(calls: number): StopReason {
  return calls > 0 ? "tool-calls" : "end";
}

function textIn(delta: unknown): string {
  return typeof delta === "string" ? delta : "";
}

function failure({ error, status }: Json): ProviderError {
  return error
    ? errorInStream(error)
    : new ProviderError("broken-stream", `the server gave up on the answer (${String(status ?? "failed")})`);
}

function piecesOf(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.map(asObject) : [];
}

function textOfItem({ type, content, summary, arguments: input }: Json): string {
  const join = (pieces: readonly Json[], gap: string) =>
    pieces.map((piece) => textIn(piece.text ?? piece.refusal)).join(gap);
  if (type === "function_call") return typeof input === "string" ? input : input ? JSON.stringify(input) : "";
  if (type === "reasoning") return join(piecesOf(summary), "\n\n") || join(piecesOf(content), "");
  return join(piecesOf(content), "");
}

function hasRefusal({ content }: Json): boolean {
  return piecesOf(content).some((piece) => piece.type === "refusal");
}

/** `opaque` of thinking is what has to come back: the reasoning itself, or a mark for the part behind it. */
function partsOf({ data, text }: Item, ids: { claim(id: string): string }): readonly Part[] {
  switch (data.type) {
    case "message": {
      if (text === "") return [];
      const said: Part = { type: "text", text };
      return typeof data.phase === "string" ? [phaseMark(data.phase), said] : [said];
    }
    case "reasoning": {
      const { type, id, summary, content, encrypted_content } = data;
      const opaque = { type, id, summary: summary ?? [], ...(content ? { content } : {}), encrypted_content };
      return [{ type: "thinking", text, opaque }];
    }
    case "function_call": {
      const callId = ids.claim(typeof data.call_id === "string" ? data.call_id : "");
      const tool = String(data.name ?? "");
      return [{ type: "tool-call", callId, tool, input: parseArguments(text), rawInput: text }];
    }
    default:
      return [];
  }
}

/** Newer models tell what they say on the way from what they say in the end, and want that back. */
function phaseMark(phase: string): Part {
  return { type: "thinking", text: "", opaque: { type: "phase", phase } };
}

function usageOf(reported: unknown): Usage | undefined {
  if (reported === null || typeof reported !== "object") return undefined;
  const usage = reported as Json;
  const details = asObject(usage.input_tokens_details);
  const inputTokens = count(usage.input_tokens);
  const cacheReadTokens = Math.min(count(details.cached_tokens), inputTokens);
  return {
    inputTokens,
    outputTokens: count(usage.output_tokens),
    cacheReadTokens,
    cacheWriteTokens: Math.min(count(details.cache_write_tokens), inputTokens - cacheReadTokens),
  };
}
