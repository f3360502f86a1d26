import type { ImagePart, Message, Part } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import { answerLimit, isRaised } from "../answer-limit.ts";
import { createCacheMarks } from "../cache-marks.ts";
import { createHistoryWriter, type Place, type Written } from "../history-writer.ts";
import type { BodyFields, EncodeOptions, Protocol } from "../protocol.ts";
import { refusedOf } from "../refused-field.ts";
import { createMessagesDecoder } from "./anthropic-messages-decoder.ts";

/** This wire wants a limit on every request: what most models allow, less for one that is not known, and less still for one that complains. */
const longAnswer = 32_000;
const unknownLimit = 16_384;
const shortAnswer = 4_096;
/** Of thinking, as this wire takes it. */
const leastBudget = 1_024;

const cacheMark = { cache_control: { type: "ephemeral" } } as const;
const spliced = Buffer.from(`,${JSON.stringify(cacheMark).slice(1, -1)}`);

type Block = Readonly<Record<string, unknown>>;

/** Anthropic Messages. Everything before a cache mark is billed as read once it has been sent. */
export function createAnthropicMessages(): Protocol {
  const writer = createHistoryWriter<"with-thinking" | "without">({
    callIds: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 },
    serialise,
  });
  const marks = createCacheMarks();
  return {
    name: "anthropic-messages",
    path: () => "/messages",
    headers: (apiKey) => ({ ...(apiKey ? { "x-api-key": apiKey } : {}), "anthropic-version": "2023-06-01" }),
    encode(request, options) {
      const variant = options.refusals.reasoning ? "without" : "with-thinking";
      const written = writer.write(request.messages, options, variant);
      const { messages, frontier } = written;
      const places = marks.placeIn({ messages, frontier, blocksOf: (message) => message.parts.length });
      const head = headOf(request, options, fieldsFor(messages, options));
      return [Buffer.from(head), ...withMarks(written, places), Buffer.from("]}]}")];
    },
    createDecoder: createMessagesDecoder,
    refusedField,
    repair: ({ messages }, message) => thinkingWording.test(message) && writer.forgetThinking(messages),
  };
}

const thinkingWording = /signature[^.]*thinking|thinking[^.]*(?:signature|cannot be modified|bound to|must remain)/i;

/** A mark goes into the last block of a message, which ends with its closing brace. */
function withMarks({ bytes, ends, messages }: Written, places: readonly number[]): Uint8Array[] {
  const pieces: Uint8Array[] = [];
  let from = 0;
  for (const place of places) {
    const end = ends[place - 1];
    if (end === undefined || !takesMark(messages[place - 1])) continue;
    pieces.push(bytes.subarray(from, end - 1), spliced);
    from = end - 1;
  }
  return [...pieces, bytes.subarray(from)];
}

/** Thinking cannot be marked. */
function takesMark(message: Message | undefined): boolean {
  return message?.parts.findLast((part) => blockOf(part).length > 0)?.type !== "thinking";
}

function headOf(request: ModelRequest, options: EncodeOptions, fields: BodyFields): string {
  const { refusals, outputLimit } = options;
  const { model, system, tools, temperature } = request;
  const thinking = fields.thinking as { type?: string; budget_tokens?: number } | undefined;
  const isThinking = thinking !== undefined && thinking.type !== "disabled";
  const usual = refusals.maxTokens ? shortAnswer : Math.min(outputLimit ?? unknownLimit, longAnswer);
  const answerTokens = answerLimit(request, options) ?? usual;
  const most = outputLimit ?? Number.POSITIVE_INFINITY;
  // thinking counts against the limit, and must leave room for an answer
  const budget_tokens = Math.min(thinking?.budget_tokens ?? 0, Math.max(leastBudget, most - shortAnswer));
  const body = {
    model,
    stream: true,
    max_tokens: Math.min(answerTokens + budget_tokens, most),
    ...(temperature === undefined || refusals.temperature || isThinking ? {} : { temperature }),
    ...fields,
    ...(budget_tokens > 0 ? { thinking: { ...thinking, budget_tokens } } : {}),
    ...(tools.length > 0
      ? { tools: tools.map(({ name, description, input }) => ({ name, description, input_schema: input })) }
      : {}),
    ...(system === "" ? {} : { system: [{ type: "text", text: system, ...cacheMark }] }),
  };
  return `${JSON.stringify(body).slice(0, -1)},"messages":[`;
}

/** A round that began without thinking, perhaps with another vendor, cannot go on with a thinking budget. */
function fieldsFor(messages: readonly Message[], { fields = {} }: EncodeOptions): BodyFields {
  const { thinking, ...others } = fields as { thinking?: { type?: string } };
  if (thinking?.type !== "enabled" || messages.at(-1)?.role !== "tool") return fields;
  const started = messages.findLast((message) => message.role === "assistant");
  const first = started?.parts[0];
  return first?.type === "thinking" && isOwnThinking(first.opaque) ? fields : others;
}

/** Turns alternate on this wire: results of one round and what the person says then are one turn. A turn is closed by the next, or at the end. */
function serialise({ message, i, all, variant }: Place<"with-thinking" | "without">): string {
  const role = roleOf(message);
  const before = all[i - 1];
  const isSameTurn = before !== undefined && roleOf(before) === role;
  const start = isSameTurn ? "," : `${before === undefined ? "" : "]},"}{"role":"${role}","content":[`;
  const shown = variant === "without" ? message.parts.filter((part) => part.type !== "thinking") : message.parts;
  const blocks = shown.flatMap(blockOf);
  return start + (blocks.length > 0 ? blocks : [nothingSaid(role)]).map((block) => JSON.stringify(block)).join(",");
}

function roleOf(message: Message): "assistant" | "user" {
  return message.role === "assistant" ? "assistant" : "user";
}

/** An answer that was cut off before its first word still has to say something. */
function nothingSaid(role: "assistant" | "user"): Block {
  return { type: "text", text: role === "assistant" ? "(interrupted)" : "(nothing)" };
}

function blockOf(part: Part): Block[] {
  switch (part.type) {
    case "text":
      return part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
    case "thinking":
      return isOwnThinking(part.opaque) ? [part.opaque] : [];
    case "image":
      return [imageBlock(part)];
    case "tool-call":
      return [
        {
          type: "tool_use",
          id: part.callId,
          name: part.tool,
          input: part.input ?? { unreadable_input: part.rawInput },
        },
      ];
    case "tool-result": {
      const text = part.text.trim() === "" ? [] : [{ type: "text", text: part.text }];
      const content = part.images ? [...text, ...part.images.map(imageBlock)] : part.text;
      return [{ type: "tool_result", tool_use_id: part.callId, content, ...(part.isError ? { is_error: true } : {}) }];
    }
  }
}

/** Thinking is replayed with its signature, exactly as it came; another vendor's has none and is left out. */
function isOwnThinking(opaque: unknown): opaque is Block {
  const type = (opaque as { type?: unknown } | undefined)?.type;
  return type === "thinking" || type === "redacted_thinking";
}

function imageBlock({ mediaType, base64 }: ImagePart): Block {
  return { type: "image", source: { type: "base64", media_type: mediaType, data: base64 } };
}

const refusedField = refusedOf([
  {
    field: "maxTokens",
    wording: /\bmax_tokens\b/,
    sentIn: (request, known) => request.maxTokens === undefined && !isRaised(request, known),
  },
  { field: "temperature", wording: /\btemperature\b/, sentIn: (request) => request.temperature !== undefined },
  {
    field: "effort",
    wording: /thinking\.type|budget_tokens|output_config|\beffort\b|\bthinking\b[^.]*not support/i,
    sentIn: (request) => request.effort !== undefined,
  },
]);
