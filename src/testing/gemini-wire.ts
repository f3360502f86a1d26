import type { FinishReason, ScriptedAnswer } from "./reply.ts";
import { plainText, replayToken, usageOf, type Wire, type WireContext, type WireMessage } from "./wire.ts";

type Fields = Readonly<Record<string, unknown>>;

const finishReasons: Readonly<Record<FinishReason, string>> = {
  stop: "STOP",
  tool_calls: "STOP",
  length: "MAX_TOKENS",
  content_filter: "SAFETY",
  refusal: "PROHIBITED_CONTENT",
};

function usageBody(answer: ScriptedAnswer, context: WireContext): Fields {
  const usage = usageOf(answer, context);
  if (usage === undefined) return {};
  const { inputTokens, outputTokens, cachedTokens, reasoningTokens = 0 } = usage;
  return {
    usageMetadata: {
      promptTokenCount: inputTokens,
      candidatesTokenCount: outputTokens - reasoningTokens,
      totalTokenCount: inputTokens + outputTokens,
      ...(cachedTokens === undefined ? {} : { cachedContentTokenCount: cachedTokens }),
      ...(reasoningTokens === 0 ? {} : { thoughtsTokenCount: reasoningTokens }),
    },
  };
}

function argumentsOf(text: string): Fields | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Fields) : undefined;
  } catch {
    return undefined;
  }
}

type Piece = { readonly parts: readonly Fields[]; readonly finish?: Fields };

/** Calls come whole. What cannot be a call ends the answer, as the vendor ends it. */
function piecesOf(answer: ScriptedAnswer): Piece[] {
  const isSigned = answer.reasoning.length > 0;
  const signature = (isFirst: boolean) => (isSigned && isFirst ? { thoughtSignature: replayToken } : {});
  const thoughts = answer.reasoning.map((text) => ({ parts: [{ text, thought: true }] }));
  const hasCalls = answer.calls.length > 0;
  const texts = answer.deltas.map((text, at) => ({
    parts: [{ text, ...signature(!hasCalls && at === answer.deltas.length - 1) }],
  }));
  const pieces: Piece[] = [...thoughts, ...texts];
  for (const [at, call] of answer.calls.entries()) {
    const args = argumentsOf(call.arguments);
    if (args === undefined) {
      const finishMessage = `Malformed function call: ${call.name}(${call.arguments})`;
      return [...pieces, { parts: [], finish: { finishReason: "MALFORMED_FUNCTION_CALL", finishMessage } }];
    }
    const id = call.id === undefined ? {} : { id: call.id };
    pieces.push({ parts: [{ functionCall: { ...id, name: call.name, args }, ...signature(at === 0) }] });
  }
  return [...pieces, { parts: [{ text: "" }], finish: { finishReason: finishReasons[answer.finishReason] } }];
}

function response({ parts, finish }: Piece, context: WireContext, usage: Fields): Fields {
  return {
    candidates: [{ content: { role: "model", parts }, ...finish, index: 0 }],
    ...usage,
    modelVersion: modelOf(context.path),
    responseId: `scripted-${context.index + 1}`,
  };
}

function modelOf(path: string): string {
  return decodeURIComponent(/models\/([^:?]+)/.exec(path)?.[1] ?? "scripted");
}

type Given = { readonly role?: string; readonly parts?: readonly Fields[] };

/** A turn of this wire as messages of Chat Completions: results apart from what else was said. */
function messagesOf({ role, parts = [] }: Given): WireMessage[] {
  const results = parts.filter((part) => part.functionResponse);
  const others = parts.filter((part) => !part.functionResponse);
  const tools = results.map(({ functionResponse }): WireMessage => {
    const { id, name, response: given, parts: inside } = functionResponse as Fields;
    const { output, error } = given as { output?: string; error?: string };
    const content = output ?? error ?? "";
    return { role: "tool", tool_call_id: String(id ?? name), content, images: imagesIn(inside) + imagesIn(others) };
  });
  if (tools.length > 0 && !others.some(({ text }) => text)) return tools;
  const calls = others.filter((part) => part.functionCall);
  const signed = others.find((part) => part.thoughtSignature !== undefined);
  const said: WireMessage = {
    role: role === "model" ? "assistant" : "user",
    content: plainText(others.filter(({ thought }) => thought !== true)),
    images: imagesIn(others),
    ...(signed === undefined ? {} : { replayToken: signed.thoughtSignature }),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map(callOf) }),
  };
  return [...tools, said];
}

function callOf({ functionCall }: Fields) {
  const { id, name, args } = functionCall as Fields;
  return {
    id: String(id ?? name),
    type: "function",
    function: { name: String(name), arguments: JSON.stringify(args) },
  };
}

function imagesIn(parts: unknown): number {
  return Array.isArray(parts) ? parts.filter((part: Fields) => part.inlineData).length : 0;
}

/** Gemini generateContent. */
export const geminiWire: Wire = {
  name: "gemini-generate-content",
  serves: (pathname) => /:(?:streamGenerateContent|generateContent)$/.test(pathname),
  conversationField: "contents",
  wantsStream: ({ path }) => /:streamGenerateContent\?(?:.*&)?alt=sse/.test(path),

  *stream(answer, context) {
    const pieces = piecesOf(answer);
    const usage = usageBody(answer, context);
    for (const [at, piece] of pieces.entries())
      yield `data: ${JSON.stringify(response(piece, context, at === pieces.length - 1 ? usage : {}))}\r\n\r\n`;
  },

  whole(answer, context) {
    const pieces = piecesOf(answer);
    const parts = pieces.flatMap((piece) => piece.parts).filter((part) => part.text !== "");
    const finish = pieces.at(-1)?.finish ?? {};
    const body = response({ parts, finish }, context, usageBody(answer, context));
    return JSON.stringify(context.path.includes(":streamGenerateContent") ? [body] : body);
  },

  error: ({ status, type, message }) =>
    `data: ${JSON.stringify({ error: { code: status, message, status: type.toUpperCase() } })}\r\n\r\n`,

  conversation: ({ systemInstruction, contents }) => [
    ...(systemInstruction === undefined
      ? []
      : [{ role: "system", content: plainText((systemInstruction as Given).parts) }]),
    ...(contents as readonly Given[]).flatMap(messagesOf),
  ],
};
