import { type ImagePart, type Message, type Part, textOf } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import type { Protocol } from "../protocol.ts";
import { createSerialisedPrefix } from "../serialised-prefix.ts";
import { createMessagesDecoder } from "./anthropic-messages-decoder.ts";

/** This wire wants a limit on every request; models that allow less say so in their refusal. */
const defaultMaxTokens = 16_384;

const cacheMark = { cache_control: { type: "ephemeral" } } as const;

type Block = Readonly<Record<string, unknown>>;

/** Anthropic Messages. Cache marks: after system and tools, and on the last message; everything before them is billed as read. */
export function createAnthropicMessages(): Protocol {
  const prefix = createSerialisedPrefix(serialise);
  return {
    name: "anthropic-messages",
    path: () => "/messages",
    headers: (apiKey) => ({ "x-api-key": apiKey, "anthropic-version": "2023-06-01" }),
    encode(request, { refusals }) {
      const { messages } = request;
      const lastTurn = startOfLastTurn(messages);
      const before = prefix.bytesOf(messages.slice(0, lastTurn));
      const tail = turnOf(messages.slice(lastTurn), cacheMark);
      const head = headOf(request, { withTemperature: !refusals.temperature });
      return [Buffer.from(head), before, Buffer.from(`${tail}]}`)];
    },
    createDecoder: createMessagesDecoder,
    refusedField(request, message) {
      return request.temperature !== undefined && /\btemperature\b/.test(message) ? "temperature" : undefined;
    },
  };
}

function headOf(
  { model, system, tools, temperature, maxTokens }: ModelRequest,
  options: { withTemperature: boolean },
): string {
  const fields = {
    model,
    stream: true,
    max_tokens: maxTokens ?? defaultMaxTokens,
    ...(temperature === undefined || !options.withTemperature ? {} : { temperature }),
    ...(tools.length > 0
      ? { tools: tools.map(({ name, description, input }) => ({ name, description, input_schema: input })) }
      : {}),
    system: [{ type: "text", text: system, ...cacheMark }],
  };
  return `${JSON.stringify(fields).slice(0, -1)},"messages":[`;
}

/** Results of one round belong into one user message; a run of tool messages is one turn on this wire. */
function startOfLastTurn(messages: readonly Message[]): number {
  let start = messages.length - 1;
  while (start > 0 && messages[start]?.role === "tool" && messages[start - 1]?.role === "tool") start--;
  return Math.max(start, 0);
}

function serialise(message: Message, i: number, all: readonly Message[]): string {
  if (message.role !== "tool") return `${turnOf([message], {})},`;
  if (all[i + 1]?.role === "tool") return "";
  let first = i;
  while (all[first - 1]?.role === "tool") first--;
  return `${turnOf(all.slice(first, i + 1), {})},`;
}

function turnOf(messages: readonly Message[], mark: Block): string {
  const blocks = messages.flatMap((message) => blocksOf(message));
  const last = blocks.pop() ?? { type: "text", text: "(nothing)" };
  const isThinking = last.type === "thinking" || last.type === "redacted_thinking";
  const role = messages[0]?.role === "assistant" ? "assistant" : "user";
  return JSON.stringify({ role, content: [...blocks, isThinking ? last : { ...last, ...mark }] });
}

function blocksOf(message: Message): Block[] {
  const blocks = message.parts.flatMap(blockOf);
  // an answer that was cut off before its first word still has to say something
  return blocks.length > 0 || message.role !== "assistant"
    ? blocks
    : [{ type: "text", text: textOf(message) || "(interrupted)" }];
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
      const content = part.images ? [{ type: "text", text: part.text }, ...part.images.map(imageBlock)] : part.text;
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
