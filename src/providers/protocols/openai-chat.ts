import type { Message, ToolCallPart, ToolResultPart } from "../../contracts/message.ts";
import { textOf, toolCallsOf } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import { answerLimit, isRaised } from "../answer-limit.ts";
import { createHistoryWriter, type Place } from "../history-writer.ts";
import type { EncodeOptions, Protocol } from "../protocol.ts";
import { refusedOf } from "../refused-field.ts";
import { createChatDecoder } from "./openai-chat-decoder.ts";

/** Which thinking goes back: none, what led to tool calls, or some with every answer. */
type Replay = "none" | "with-calls" | "always";

/** OpenAI Chat Completions, the wire most vendors and all local servers speak. */
export function createOpenAiChat(): Protocol {
  const writer = createHistoryWriter<Replay>({ callIds: { pattern: /./, longest: 256 }, serialise });
  return {
    name: "openai-chat",
    path: () => "/chat/completions",
    headers: (apiKey) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    encode(request, options) {
      const { bytes, messages } = writer.write(request.messages, options, replayOf(options));
      const images = imagesAwaitingTheirMessage(messages.length, messages);
      return [Buffer.from(head(request, options)), bytes, Buffer.from(`${images}]}`)];
    },
    createDecoder: createChatDecoder,
    refusedField,
  };
}

function replayOf({ refusals, replayThinking }: EncodeOptions): Replay {
  if (refusals.reasoning || !replayThinking) return "none";
  return replayThinking === "always" ? "always" : "with-calls";
}

/** Everything before the conversation, up to and including the system message. */
function head(request: ModelRequest, options: EncodeOptions): string {
  const { refusals, fields, cacheKeyField } = options;
  const { model, temperature, tools, sessionId } = request;
  const maxTokens = answerLimit(request, options);
  const body: Record<string, unknown> = { model, stream: true };
  if (!refusals.streamOptions) body.stream_options = { include_usage: true };
  if (temperature !== undefined && !refusals.temperature) body.temperature = temperature;
  if (maxTokens !== undefined) body[refusals.maxTokens ? "max_completion_tokens" : "max_tokens"] = maxTokens;
  if (cacheKeyField && sessionId && !refusals.cacheKey) body[cacheKeyField] = sessionId;
  Object.assign(body, fields);
  if (refusals.effortWithTools && tools.length > 0) body.reasoning_effort = "none";
  if (tools.length > 0) {
    body.tools = tools.map(({ name, description, input }) => ({
      type: "function",
      function: { name, description, parameters: input },
    }));
  }
  const system = JSON.stringify({ role: "system", content: request.system });
  return `${JSON.stringify(body).slice(0, -1)},"messages":[${system}`;
}

function serialise({ message, i, all, variant }: Place<Replay>): string {
  switch (message.role) {
    case "user":
      return imagesAwaitingTheirMessage(i, all) + element({ role: "user", content: userContent(message) });
    case "assistant":
      return imagesAwaitingTheirMessage(i, all) + element(assistantMessage(message, variant));
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

function assistantMessage(message: Message, replay: Replay): unknown {
  const calls = toolCallsOf(message);
  return {
    role: "assistant",
    content: textOf(message) || (calls.length > 0 ? null : ""),
    ...thinkingOf(message, calls.length > 0 ? replay : replay === "always" ? replay : "none"),
    ...(calls.length > 0 ? { tool_calls: calls.map(toolCall) } : {}),
  };
}

/** Who wants thinking with every answer refuses a request in which one has none, and an empty one as well. */
const noThinking = " ";

function thinkingOf(message: Message, replay: Replay): Record<string, string> {
  if (replay === "none") return {};
  let text = "";
  let field = "reasoning_content";
  for (const part of message.parts) {
    if (part.type !== "thinking") continue;
    text += part.text;
    if (replay === "always") continue;
    // the decoder notes the name of the field the thinking came in; another vendor's thinking is not for this one
    if (part.opaque === "reasoning") field = "reasoning";
    else if (part.opaque !== "reasoning_content") return {};
  }
  if (text === "") return replay === "always" ? { [field]: noThinking } : {};
  return { [field]: text };
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

const refusedField = refusedOf([
  { field: "streamOptions", wording: /stream_options|include_usage/, sentIn: () => true },
  { field: "maxTokens", wording: /max_completion_tokens/, sentIn: isRaised },
  {
    field: "maxTokens",
    wording: /\bmax_tokens\b|max_completion_tokens/,
    sentIn: (request) => request.maxTokens !== undefined,
  },
  { field: "temperature", wording: /\btemperature\b/, sentIn: (request) => request.temperature !== undefined },
  { field: "cacheKey", wording: /prompt_cache_key/, sentIn: (request) => request.sessionId !== undefined },
  {
    field: "effortWithTools",
    wording: /tools with reasoning_effort.*responses/i,
    sentIn: (request) => request.tools.length > 0,
  },
  {
    field: "effort",
    wording: /reasoning_effort|\b(enable_)?thinking\b|thinking_budget|chat_template_kwargs/,
    sentIn: (request) => request.effort !== undefined,
  },
  { field: "reasoning", wording: /reasoning_content|\breasoning\b/, sentIn: () => true },
]);
