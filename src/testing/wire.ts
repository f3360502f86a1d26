import type { ScriptedAnswer, ScriptedUsage } from "./reply.ts";

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
export type WireContext = { readonly body: RequestBody; readonly rawBody: string; readonly index: number };

/** A vendor's format: how an answer looks on the network. */
export type Wire = {
  readonly pathEnd: string;
  /** The answer as server-sent events, one network write each. */
  stream(answer: ScriptedAnswer, context: WireContext): Iterable<string>;
  /** The answer as one JSON body. */
  whole(answer: ScriptedAnswer, context: WireContext): string;
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
