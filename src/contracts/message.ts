/** What the model and the person say to each other. Plain data: written to the log, sent on the wire, never changed. */

export type TextPart = { readonly type: "text"; readonly text: string };

/** `opaque` is the vendor's own replay token: carried back untouched, never looked into. */
export type ThinkingPart = { readonly type: "thinking"; readonly text: string; readonly opaque?: unknown };

export type ImagePart = { readonly type: "image"; readonly mediaType: string; readonly base64: string };

export type ToolCallPart = {
  readonly type: "tool-call";
  readonly callId: string;
  readonly tool: string;
  /** The parsed arguments; `undefined` when what the model wrote was not a JSON object. */
  readonly input: Readonly<Record<string, unknown>> | undefined;
  /** The arguments exactly as the model wrote them. */
  readonly rawInput: string;
};

export type ToolResultPart = {
  readonly type: "tool-result";
  readonly callId: string;
  readonly tool: string;
  readonly text: string;
  readonly isError: boolean;
  /** Short name of this result inside the session, `#12`. */
  readonly handle: string;
  readonly images?: readonly ImagePart[];
  /** Files the call changed on disk, as far as they are worth naming; never sent. */
  readonly changed?: readonly { readonly path: string; readonly use: "edited" | "created" | "deleted" }[];
};

export type Part = TextPart | ThinkingPart | ImagePart | ToolCallPart | ToolResultPart;

/** Tokens of one model call. `inputTokens` is the whole prompt, cached or not. */
export type Usage = {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadTokens: number;
  readonly cacheWriteTokens: number;
};

export type StopReason = "end" | "tool-calls" | "length" | "content-filter" | "interrupted";

export type Message = {
  readonly id: string;
  readonly role: "user" | "assistant" | "tool";
  readonly parts: readonly Part[];
  /** Set on assistant messages. */
  readonly usage?: Usage;
  readonly stopReason?: StopReason;
  /** True when the program, not the person, wrote this user message (a continuation request, a notice). */
  readonly synthetic?: boolean;
};

export const emptyUsage: Usage = { inputTokens: 0, outputTokens: 0, cacheReadTokens: 0, cacheWriteTokens: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    inputTokens: a.inputTokens + b.inputTokens,
    outputTokens: a.outputTokens + b.outputTokens,
    cacheReadTokens: a.cacheReadTokens + b.cacheReadTokens,
    cacheWriteTokens: a.cacheWriteTokens + b.cacheWriteTokens,
  };
}

export function textOf(message: Message): string {
  let text = "";
  for (const part of message.parts) if (part.type === "text") text += part.text;
  return text;
}

export function toolCallsOf(message: Message): ToolCallPart[] {
  return message.parts.filter((part) => part.type === "tool-call");
}
