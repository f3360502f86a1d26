import type { ImagePart, Message, Part } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import { answerLimit } from "../answer-limit.ts";
import { createHistoryWriter, type Place } from "../history-writer.ts";
import type { EncodeOptions, Protocol } from "../protocol.ts";
import { refusedOf } from "../refused-field.ts";
import { createResponsesDecoder } from "./openai-responses-decoder.ts";

type Replay = "with-reasoning" | "without";

/** OpenAI Responses without the vendor's memory: nothing is stored there, so the whole conversation goes along, reasoning in its sealed form included. */
export function createOpenAiResponses(): Protocol {
  const writer = createHistoryWriter<Replay>({ callIds: { pattern: /^[a-zA-Z0-9_-]+$/, longest: 64 }, serialise });
  return {
    name: "openai-responses",
    path: () => "/responses",
    headers: (apiKey) => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
    encode(request, options) {
      const replay = options.refusals.reasoning ? "without" : "with-reasoning";
      const { bytes } = writer.write(request.messages, options, replay);
      return [Buffer.from(head(request, options)), bytes, Buffer.from("]}")];
    },
    createDecoder: createResponsesDecoder,
    refusedField,
    repair: ({ messages }, message) => reasoningWording.test(message) && writer.forgetThinking(messages),
  };
}

const reasoningWording = /encrypted content|item .*\brs_|of type '?reasoning|reasoning item/i;

/** Everything before the conversation. */
function head(request: ModelRequest, options: EncodeOptions): string {
  const { model, system, tools, temperature, sessionId } = request;
  const maxTokens = answerLimit(request, options);
  const { refusals, cacheKeyField } = options;
  const body = {
    model,
    stream: true,
    store: false,
    ...(refusals.reasoning ? {} : { include: ["reasoning.encrypted_content"] }),
    ...(temperature === undefined || refusals.temperature ? {} : { temperature }),
    ...(maxTokens === undefined || refusals.maxTokens ? {} : { max_output_tokens: maxTokens }),
    ...(cacheKeyField && sessionId && !refusals.cacheKey ? { [cacheKeyField]: sessionId } : {}),
    ...effortOf(options),
    ...(system === "" ? {} : { instructions: system }),
    ...(tools.length > 0
      ? {
          tools: tools.map(({ name, description, input }) => ({
            type: "function",
            name,
            description,
            parameters: input,
            strict: false,
          })),
        }
      : {}),
  };
  return `${JSON.stringify(body).slice(0, -1)},"input":[`;
}

/** Rows say it in the words of Chat Completions. */
function effortOf({ fields = {}, refusals }: EncodeOptions): Record<string, unknown> {
  const { reasoning_effort: effort, ...others } = fields as { reasoning_effort?: string };
  if (effort === undefined) return others;
  const summary = effort === "none" || refusals.summary ? {} : { summary: "auto" };
  return { ...others, reasoning: { effort, ...summary } };
}

function serialise({ message, i, variant }: Place<Replay>): string {
  const text = itemsOf(message, variant)
    .map((item) => JSON.stringify(item))
    .join(",");
  return i > 0 && text !== "" ? `,${text}` : text;
}

function itemsOf(message: Message, replay: Replay): unknown[] {
  switch (message.role) {
    case "user":
      return [{ role: "user", content: userContent(message) }];
    case "assistant":
      return answerItems(message, replay);
    case "tool":
      return message.parts.flatMap(outputItem);
  }
}

function userContent({ parts }: Message): unknown {
  const content = parts.flatMap((part) => {
    if (part.type === "text") return part.text === "" ? [] : [{ type: "input_text", text: part.text }];
    return part.type === "image" ? [inputImage(part)] : [];
  });
  return content.length > 0 ? content : "(nothing)";
}

/** Reasoning belongs to what follows it; alone it is refused. */
function answerItems({ parts }: Message, replay: Replay): unknown[] {
  const last = parts.findLastIndex((part) => part.type !== "thinking" && !isBlank(part));
  return parts.slice(0, last + 1).flatMap((part, i) => {
    switch (part.type) {
      case "text":
        return isBlank(part) ? [] : [{ role: "assistant", content: part.text, ...phaseOf(parts[i - 1]) }];
      case "thinking":
        return replay === "with-reasoning" && isReplayable(part.opaque) ? [part.opaque] : [];
      case "tool-call":
        return [{ type: "function_call", call_id: part.callId, name: part.tool, arguments: part.rawInput || "{}" }];
      default:
        return [];
    }
  });
}

function isBlank(part: Part): boolean {
  return part.type === "text" && part.text === "";
}

function phaseOf(before: Part | undefined): { phase?: string } {
  const mark =
    before?.type === "thinking" ? (before.opaque as { type?: string; phase?: string } | undefined) : undefined;
  return mark?.type === "phase" && mark.phase !== undefined ? { phase: mark.phase } : {};
}

/** Without its sealed or open content the vendor would look for it in its own memory, where it is not. */
function isReplayable(opaque: unknown): opaque is Readonly<Record<string, unknown>> {
  const item = (opaque ?? {}) as { type?: unknown; encrypted_content?: unknown; content?: unknown };
  return item.type === "reasoning" && Boolean(item.encrypted_content || item.content);
}

function outputItem(part: Part): unknown[] {
  if (part.type !== "tool-result") return [];
  const { callId: call_id, text, images } = part;
  const output = images ? [...(text ? [{ type: "input_text", text }] : []), ...images.map(inputImage)] : text;
  return [{ type: "function_call_output", call_id, output }];
}

function inputImage({ mediaType, base64 }: ImagePart): unknown {
  return { type: "input_image", detail: "auto", image_url: `data:${mediaType};base64,${base64}` };
}

const refusedField = refusedOf([
  { field: "maxTokens", wording: /max_output_tokens/, sentIn: (request) => request.maxTokens !== undefined },
  { field: "temperature", wording: /\btemperature\b/, sentIn: (request) => request.temperature !== undefined },
  { field: "cacheKey", wording: /prompt_cache_key/, sentIn: (request) => request.sessionId !== undefined },
  {
    field: "summary",
    wording: /reasoning\.summary|reasoning summar/i,
    sentIn: (request) => request.effort !== undefined,
  },
  { field: "effort", wording: /reasoning\.effort|'reasoning'/, sentIn: (request) => request.effort !== undefined },
  { field: "reasoning", wording: /\binclude\b|encrypted.content is not supported/i, sentIn: () => true },
]);
