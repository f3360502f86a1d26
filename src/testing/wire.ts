import type { ScriptedAnswer, ScriptedUsage } from "./reply.ts";

export type WireName = "openai-chat" | "openai-responses" | "anthropic-messages" | "gemini-generate-content";

/** A message as it stands in a request. */
export type WireMessage = {
  readonly role: string;
  readonly content?: unknown;
  readonly tool_calls?: readonly {
    readonly id: string;
    readonly type: string;
    readonly function: { readonly name: string; readonly arguments: string };
  }[];
  readonly tool_call_id?: string;
  readonly reasoning_content?: string;
  readonly [key: string]: unknown;
};

/** The body of a request, parsed. Fields depend on the wire. */
export type RequestBody = {
  readonly model: string;
  /** On wires that call it otherwise (`input`, `contents`): the conversation in the words of Chat Completions. */
  readonly messages: readonly WireMessage[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean };
  readonly tools?: readonly {
    readonly function?: { readonly name: string };
    readonly name?: string;
    readonly [key: string]: unknown;
  }[];
  readonly [key: string]: unknown;
};

/** What a wire needs to know about the request it answers. */
export type WireContext = {
  readonly path: string;
  readonly body: RequestBody;
  readonly rawBody: string;
  readonly index: number;
};

/** What went wrong, for a wire to say inside a stream that began well. */
export type StreamError = { readonly status: number; readonly type: string; readonly message: string };

/** A vendor's format: how an answer looks on the network. */
export type Wire = {
  readonly name: WireName;
  serves(pathname: string): boolean;
  /** The list of the body that holds the conversation. */
  readonly conversationField: "messages" | "input" | "contents";
  wantsStream(context: WireContext): boolean;
  /** The answer as server-sent events, one network write each. */
  stream(answer: ScriptedAnswer, context: WireContext): Iterable<string>;
  /** The answer as one JSON body. */
  whole(answer: ScriptedAnswer, context: WireContext): string;
  /** An error as one server-sent event. */
  error(error: StreamError): string;
  /** The conversation of a request in the words of Chat Completions: system, user, assistant and tool messages with plain text. */
  conversation(body: Readonly<Record<string, unknown>>): readonly WireMessage[];
};

/** About four bytes a token, when the script names no usage. */
export function usageOf(answer: ScriptedAnswer, context: WireContext): ScriptedUsage | undefined {
  if (answer.usage === "none") return undefined;
  if (answer.usage !== undefined) return answer.usage;
  const letters = [...answer.reasoning, ...answer.deltas, ...answer.calls.map((call) => call.name + call.arguments)];
  return {
    inputTokens: Math.ceil(context.rawBody.length / 4),
    outputTokens: Math.max(1, Math.ceil(letters.join("").length / 4)),
  };
}

/** Every call of an answer with an id: its own, or one made from the request's number. */
export function withIds(answer: ScriptedAnswer, context: WireContext) {
  return answer.calls.map((call, position) => ({
    ...call,
    position,
    id: call.id ?? `call_${context.index + 1}_${position + 1}`,
  }));
}

/** Stands for the sealed thoughts that vendors want back. */
export const replayToken = "c2NyaXB0ZWQ=";

/** Text of a message, whether it is given as a string or as parts. */
export function plainText(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.map((part: { readonly text?: unknown }) => (typeof part?.text === "string" ? part.text : "")).join("");
}

/** Pieces of several texts, one after the other or taking turns. */
export function* inOrder<T extends { readonly fragments: readonly string[] }>(
  list: readonly T[],
  order: ScriptedAnswer["order"],
): Iterable<readonly [T, string]> {
  if (order === "one-after-another") {
    for (const one of list) for (const fragment of one.fragments) yield [one, fragment];
    return;
  }
  const longest = Math.max(0, ...list.map((one) => one.fragments.length));
  for (let turn = 0; turn < longest; turn++)
    for (const one of list) {
      const fragment = one.fragments[turn];
      if (fragment !== undefined) yield [one, fragment];
    }
}
