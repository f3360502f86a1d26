import type { Message, ToolCallPart, ToolResultPart } from "../../contracts/message.ts";
import { textOf, toolCallsOf } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import type { EncodeOptions, Protocol, Refusals } from "../protocol.ts";
import { createSerialisedPrefix } from "../serialised-prefix.ts";
import { createChatDecoder } from "./openai-chat-decoder.ts";

/** OpenAI Chat Completions, the wire most vendors and all local servers speak. */
export function createOpenAiChat(): Protocol {
  const prefixes = {
    plain: createSerialisedPrefix((message, i, all) => serialise({ message, i, all, withThinking: false })),
    withThinking: createSerialisedPrefix((message, i, all) => serialise({ message, i, all, withThinking: true })),
  };
  return {
    name: "openai-chat",
    path: () => "/chat/completions",
    headers: (apiKey) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    encode(request, options) {
      const prefix = options.replayThinking && !options.refusals.reasoning ? prefixes.withThinking : prefixes.plain;
      const images = imagesAwaitingTheirMessage(request.messages.length, request.messages);
      return [Buffer.from(head(request, options)), prefix.bytesOf(request.messages), Buffer.from(`${images}]}`)];
    },
    createDecoder: createChatDecoder,
    refusedField,
  };
}

/** Everything before the conversation, up to and including the system message. */
function head(request: ModelRequest, { refusals }: EncodeOptions): string {
  const { model, temperature, maxTokens, tools } = request;
  const fields: Record<string, unknown> = { model, stream: true };
  if (!refusals.streamOptions) fields.stream_options = { include_usage: true };
  if (temperature !== undefined && !refusals.temperature) fields.temperature = temperature;
  if (maxTokens !== undefined) fields[refusals.maxTokens ? "max_completion_tokens" : "max_tokens"] = maxTokens;
  if (tools.length > 0) {
    fields.tools = tools.map(({ name, description, input }) => ({
      type: "function",
      function: { name, description, parameters: input },
    }));
  }
  const system = JSON.stringify({ role: "system", content: request.system });
  return `${JSON.stringify(fields).slice(0, -1)},"messages":[${system}`;
}

type Place = { message: Message; i: number; all: readonly Message[]; withThinking: boolean };

function serialise({ message, i, all, withThinking }: Place): string {
  switch (message.role) {
    case "user":
      return imagesAwaitingTheirMessage(i, all) + element({ role: "user", content: userContent(message) });
    case "assistant":
      return imagesAwaitingTheirMessage(i, all) + element(assistantMessage(message, withThinking));
    case "tool":
      return message.parts
        .filter((part) => part.type === "tool-result")
        .map((part) => element({ role: "tool", tool_call_id: part.callId, content: part.text }))
        .join("");
  }
}

function element(value: unknown): string {
  return `,${JSON.stringify(value)}`;
}

function userContent(message: Message): unknown {
  if (message.parts.every((part) => part.type === "text")) return textOf(message);
  return message.parts.flatMap((part) => {
    if (part.type === "text") return [{ type: "text", text: part.text }];
    if (part.type === "image") return [imageUrl(part.mediaType, part.base64)];
    return [];
  });
}

function imageUrl(mediaType: string, base64: string): unknown {
  return { type: "image_url", image_url: { url: `data:${mediaType};base64,${base64}` } };
}

function assistantMessage(message: Message, withThinking: boolean): unknown {
  const calls = toolCallsOf(message);
  const thinking = message.parts.find((part) => part.type === "thinking");
  return {
    role: "assistant",
    content: textOf(message) || (calls.length > 0 ? null : ""),
    ...(withThinking && thinking && calls.length > 0 ? { [thinkingField(thinking.opaque)]: thinking.text } : {}),
    ...(calls.length > 0 ? { tool_calls: calls.map(toolCall) } : {}),
  };
}

/** The decoder notes the name of the field the thinking came in. */
function thinkingField(opaque: unknown): string {
  return opaque === "reasoning" ? "reasoning" : "reasoning_content";
}

/** Arguments go back exactly as the model wrote them, also when they were no JSON: it should see its own mistake. */
function toolCall(call: ToolCallPart): unknown {
  return { id: call.callId, type: "function", function: { name: call.tool, arguments: call.rawInput } };
}

/** A tool message holds text only on this wire; images of a block of results follow it in a user message. */
function imagesAwaitingTheirMessage(i: number, all: readonly Message[]): string {
  const results: ToolResultPart[] = [];
  for (let k = i - 1; k >= 0 && all[k]?.role === "tool"; k--) {
    for (const part of all[k]?.parts ?? []) if (part.type === "tool-result" && part.images) results.unshift(part);
  }
  if (results.length === 0) return "";
  const content = results.flatMap(({ tool, callId, images }) => [
    { type: "text", text: `[image returned by ${tool} (${callId})]` },
    ...(images ?? []).map((image) => imageUrl(image.mediaType, image.base64)),
  ]);
  return element({ role: "user", content });
}

const refusalWords =
  /unsupported|not support|unknown|unrecogni[sz]ed|unexpected|invalid|not permitted|not allowed|extra (fields|inputs)|no such/i;

const droppableFields: readonly {
  field: keyof Refusals;
  wording: RegExp;
  sentIn: (request: ModelRequest) => boolean;
}[] = [
  { field: "streamOptions", wording: /stream_options|include_usage/, sentIn: () => true },
  {
    field: "maxTokens",
    wording: /\bmax_tokens\b|max_completion_tokens/,
    sentIn: (request) => request.maxTokens !== undefined,
  },
  { field: "temperature", wording: /\btemperature\b/, sentIn: (request) => request.temperature !== undefined },
  { field: "reasoning", wording: /reasoning_content|\breasoning\b/, sentIn: () => true },
];

function refusedField(request: ModelRequest, message: string): keyof Refusals | undefined {
  if (!refusalWords.test(message)) return undefined;
  return droppableFields.find(({ wording, sentIn }) => wording.test(message) && sentIn(request))?.field;
}
