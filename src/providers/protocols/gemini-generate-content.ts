import type { ImagePart, Message, Part, ToolResultPart } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import { answerLimit } from "../answer-limit.ts";
import { createHistoryWriter, type Place } from "../history-writer.ts";
import type { BodyFields, EncodeOptions, Protocol } from "../protocol.ts";
import { refusedOf } from "../refused-field.ts";
import { createGeminiDecoder } from "./gemini-decoder.ts";
import { geminiSchema } from "./gemini-schema.ts";

/** From version 3 on calls need the signature of the thought that led to them, and images belong inside results. */
type Generation = "signed" | "unsigned";

/** Google's word for "this call was not made by you". */
const foreignSignature = "skip_thought_signature_validator";

/** Gemini generateContent, streamed as server-sent events. */
export function createGeminiGenerateContent(): Protocol {
  const writer = createHistoryWriter<Generation>({ callIds: { pattern: /./, longest: 256 }, serialise });
  let wantsSignatures = false;
  return {
    name: "gemini-generate-content",
    path: ({ model }) => `/models/${encodeURIComponent(model.replace(/^models\//, ""))}:streamGenerateContent?alt=sse`,
    headers: (apiKey) => (apiKey ? { "x-goog-api-key": apiKey } : {}),
    encode(request, options) {
      const generation = wantsSignatures || isSigned(request.model) ? "signed" : "unsigned";
      const { bytes } = writer.write(request.messages, options, generation);
      return [Buffer.from(head(request, options)), bytes, Buffer.from("]}]}")];
    },
    createDecoder: createGeminiDecoder,
    refusedField,
    repair({ messages, model }, message) {
      if (!/thought.?signature/i.test(message)) return false;
      const isNew = !wantsSignatures && !isSigned(model);
      wantsSignatures = true;
      return writer.forgetThinking(messages) || isNew;
    },
  };
}

function isSigned(model: string): boolean {
  return /gemini-(?:[3-9]|\d\d)/.test(model);
}

/** Everything before the conversation. */
function head(request: ModelRequest, options: EncodeOptions): string {
  const { refusals, fields = {} } = options;
  const { system, tools, temperature } = request;
  const maxTokens = answerLimit(request, options);
  const { generationConfig, ...others } = fields as { generationConfig?: BodyFields };
  const config = {
    ...(temperature === undefined || refusals.temperature ? {} : { temperature }),
    ...(maxTokens === undefined || refusals.maxTokens ? {} : { maxOutputTokens: maxTokens }),
    ...generationConfig,
  };
  const body = {
    ...(Object.keys(config).length > 0 ? { generationConfig: config } : {}),
    ...others,
    ...(system === "" ? {} : { systemInstruction: { parts: [{ text: system }] } }),
    ...(tools.length > 0 ? { tools: [{ functionDeclarations: tools.map(declaration) }] } : {}),
  };
  const text = JSON.stringify(body);
  return `${text.slice(0, -1)}${text === "{}" ? "" : ","}"contents":[`;
}

function declaration({ name, description, input }: ModelRequest["tools"][number]): unknown {
  const parameters = geminiSchema(input);
  return { name, description, ...(parameters === undefined ? {} : { parameters }) };
}

/** The results of one round are one turn; a turn is closed by the next, or at the end. */
function serialise({ message, i, all, variant }: Place<Generation>): string {
  const before = all[i - 1];
  const isSameTurn = before?.role === "tool" && message.role === "tool";
  const role = message.role === "assistant" ? "model" : "user";
  const start = isSameTurn ? "," : `${before === undefined ? "" : "]},"}{"role":"${role}","parts":[`;
  const parts = message.role === "assistant" ? answerParts(message, variant) : givenParts(message, variant);
  const shown = parts.length > 0 ? parts : [{ text: role === "model" ? "(interrupted)" : "(nothing)" }];
  return start + shown.map((part) => JSON.stringify(part)).join(",");
}

type Signed = { type?: unknown; thoughtSignature?: unknown } | undefined;

function answerParts({ parts }: Message, generation: Generation): BodyFields[] {
  const result: BodyFields[] = [];
  let signature: { thoughtSignature?: unknown } = {};
  let hasSignature = false;
  for (const part of parts) {
    const sent = answerPart(part);
    const own = part.type === "thinking" ? (part.opaque as Signed) : undefined;
    if (own?.type === "thought-signature") signature = { thoughtSignature: own.thoughtSignature };
    if (sent === undefined) continue;
    hasSignature ||= "thoughtSignature" in signature || "thoughtSignature" in sent;
    result.push({ ...sent, ...signature });
    signature = {};
  }
  if ("thoughtSignature" in signature) result.push({ text: "", ...signature });
  return generation === "signed" && !hasSignature ? withForeignSignature(result) : result;
}

function answerPart(part: Part): BodyFields | undefined {
  switch (part.type) {
    case "text":
      return part.text === "" ? undefined : { text: part.text };
    case "tool-call":
      return {
        functionCall: { id: part.callId, name: part.tool, args: part.input ?? { unreadable_input: part.rawInput } },
      };
    case "thinking": {
      const { type, thoughtSignature } = (part.opaque ?? {}) as { type?: unknown; thoughtSignature?: unknown };
      return type === "thought" ? { text: part.text, thought: true, thoughtSignature } : undefined;
    }
    default:
      return undefined;
  }
}

/** Of calls made side by side only the first is signed. */
function withForeignSignature(parts: readonly BodyFields[]): BodyFields[] {
  const first = parts.findIndex((part) => "functionCall" in part);
  return parts.map((part, i) => (i === first ? { ...part, thoughtSignature: foreignSignature } : part));
}

function givenParts({ parts }: Message, generation: Generation): BodyFields[] {
  return parts.flatMap((part): BodyFields[] => {
    if (part.type === "text") return part.text === "" ? [] : [{ text: part.text }];
    if (part.type === "image") return [inlineData(part)];
    return part.type === "tool-result" ? resultParts(part, generation) : [];
  });
}

function resultParts(
  { callId, tool, text, isError, images = [] }: ToolResultPart,
  generation: Generation,
): BodyFields[] {
  const response = isError ? { error: text } : { output: text };
  const inside = generation === "signed" && images.length > 0 ? { parts: images.map(inlineData) } : {};
  const functionResponse = { id: callId, name: tool, response, ...inside };
  return [{ functionResponse }, ...(generation === "signed" ? [] : images.map(inlineData))];
}

function inlineData({ mediaType, base64 }: ImagePart): BodyFields {
  return { inlineData: { mimeType: mediaType, data: base64 } };
}

const refusedField = refusedOf([
  { field: "maxTokens", wording: /maxOutputTokens/i, sentIn: (request) => request.maxTokens !== undefined },
  { field: "temperature", wording: /\btemperature\b/, sentIn: (request) => request.temperature !== undefined },
  {
    field: "effort",
    wording: /thinking.?(?:config|budget|level)|\bthinking\b/i,
    sentIn: (request) => request.effort !== undefined,
  },
]);
