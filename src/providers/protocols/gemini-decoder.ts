import { ProviderError } from "../../contracts/errors.ts";
import type { Part, StopReason, Usage } from "../../contracts/message.ts";
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
import { createCallIds } from "../tool-call-input.ts";

/** Reads pieces of a generated answer. A piece is a list of parts: text, thoughts, calls, each complete in itself. */
export function createGeminiDecoder(onEvent: (event: ProviderEvent) => void): Decoder {
  const parts: Part[] = [];
  /** The part that further text of its kind is added to. */
  let growing: { readonly type: "text" | "thinking"; text: string } | undefined;
  const ids = createCallIds();
  const deltas = createDeltas(onEvent);
  let usage: Usage | undefined;
  let finishReason: string | undefined;
  let done = false;

  function read(piece: Json): void {
    if (piece.candidates === undefined) throwForeignError(piece);
    deltas.tick();
    refuseBlocked(asObject(piece.promptFeedback));
    usage = usageOf(piece.usageMetadata) ?? usage;
    const candidate = firstOf(piece.candidates);
    if (candidate === undefined) return;
    const given = asObject(candidate.content).parts;
    if (Array.isArray(given)) for (const part of given) readPart(asObject(part));
    const reason = candidate.finishReason;
    if (typeof reason !== "string" || reason === "FINISH_REASON_UNSPECIFIED") return;
    if (invalidCall.has(reason))
      throw new ProviderError("broken-stream", `the model wrote a call that cannot be read (${reason})`);
    finishReason = reason;
    deltas.progress();
  }

  function add(...complete: readonly Part[]): void {
    deltas.settle();
    if (growing !== undefined && growing.text !== "") parts.push(growing);
    growing = undefined;
    parts.push(...complete);
  }

  function readPart(part: Json): void {
    const signature = typeof part.thoughtSignature === "string" ? part.thoughtSignature : undefined;
    if (part.functionCall) {
      if (signature !== undefined) add(signatureOf(signature));
      readCall(asObject(part.functionCall));
    } else if (typeof part.text === "string") {
      const type = part.thought === true ? "thinking" : "text";
      if (signature === undefined) deltas[type](part.text, growingOf(type));
      else {
        add();
        deltas[type](part.text, { text: "" });
        add(...signedText(type, part.text, signature));
      }
    } else if (signature !== undefined) add(signatureOf(signature));
  }

  function readCall({ id, name, args }: Json): void {
    const input = asObject(args);
    const callId = ids.claim(typeof id === "string" ? id : "");
    const call = {
      type: "tool-call",
      callId,
      tool: String(name ?? ""),
      input,
      rawInput: JSON.stringify(input),
    } as const;
    add(call);
    onEvent({ type: "tool-call", call });
    deltas.progress();
  }

  function growingOf(type: "text" | "thinking"): Growing {
    if (growing?.type === type) return growing;
    add();
    growing = { type, text: "" };
    return growing;
  }

  return {
    push(data) {
      if (done) return;
      const piece = parseEvent(data);
      if (piece === endMark) done = true;
      else if (piece !== undefined) read(piece);
    },
    pushWhole(body) {
      // without `alt=sse` the pieces come as one list
      for (const piece of Array.isArray(body) ? body : [body]) read(asObject(piece));
    },
    flush: deltas.flush,
    get state() {
      if (done) return "done";
      return finishReason === undefined ? "open" : "finishing";
    },
    answer() {
      if (finishReason === undefined && !done) throw closedEarly();
      add();
      return { parts, stopReason: stopReasonOf(finishReason, parts), usage };
    },
  };
}

/** A part with a signature goes back as it came: it is not joined with others. */
function signedText(type: "text" | "thinking", text: string, thoughtSignature: string): Part[] {
  if (type === "thinking") return [{ type, text, opaque: { type: "thought", thoughtSignature } }];
  return [signatureOf(thoughtSignature), ...(text === "" ? [] : [{ type, text }])];
}

/** Carried by an empty piece of thinking before the part it belongs to. */
function signatureOf(thoughtSignature: string): Part {
  return { type: "thinking", text: "", opaque: { type: "thought-signature", thoughtSignature } };
}

const invalidCall = new Set(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "TOO_MANY_TOOL_CALLS"]);
const ordinaryEnds = new Set(["STOP", "OTHER"]);
const lengthEnds = new Set(["MAX_TOKENS", "CONTINUATION"]);

/** SAFETY, RECITATION, BLOCKLIST and whatever else will be thought of. */
function stopReasonOf(reason: string | undefined, parts: readonly Part[]): StopReason {
  if (reason !== undefined && lengthEnds.has(reason)) return "length";
  if (reason !== undefined && !ordinaryEnds.has(reason)) return "content-filter";
  return parts.some((part) => part.type === "tool-call") ? "tool-calls" : "end";
}

function refuseBlocked({ blockReason, blockReasonMessage }: Json): void {
  if (typeof blockReason !== "string" || blockReason === "BLOCKED_REASON_UNSPECIFIED") return;
  const words = typeof blockReasonMessage === "string" ? `: ${blockReasonMessage}` : "";
  throw new ProviderError("content-filter", `the request was blocked (${blockReason})${words}`);
}

function firstOf(candidates: unknown): Json | undefined {
  if (!Array.isArray(candidates)) return undefined;
  return candidates.find((candidate: Json | null) => candidate !== null && (candidate.index ?? 0) === 0) as
    | Json
    | undefined;
}

/** Thoughts are billed as output, but counted apart. */
function usageOf(reported: unknown): Usage | undefined {
  if (reported === null || typeof reported !== "object") return undefined;
  const usage = reported as Json;
  const inputTokens = count(usage.promptTokenCount) + count(usage.toolUsePromptTokenCount);
  return {
    inputTokens,
    outputTokens: count(usage.candidatesTokenCount) + count(usage.thoughtsTokenCount),
    cacheReadTokens: Math.min(count(usage.cachedContentTokenCount), inputTokens),
    cacheWriteTokens: 0,
  };
}
