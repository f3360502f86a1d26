import { ProviderError, type ProviderErrorCode } from "../../src/contracts/errors.ts";
import type { Message, Part, ToolCallPart } from "../../src/contracts/message.ts";
import type { ModelAnswer, ModelRequest, Provider, ProviderEvent } from "../../src/contracts/provider.ts";
import { chooseVendor } from "../../src/providers/choose-vendor.ts";
import { connect } from "../../src/providers/connect.ts";
import type { EndpointMemory } from "../../src/providers/create-provider.ts";
import type { Post } from "../../src/providers/http-stream.ts";
import type { Refusals } from "../../src/providers/protocol.ts";
import type { WireName } from "../../src/testing/index.ts";

/** A wire as people choose it. */
export type WireUnderTest = {
  readonly name: WireName;
  readonly provider: string;
  readonly model: string;
  /** Variable that holds its key. */
  readonly keyVariable: string;
  /** Tokens written to the cache are billed apart. */
  readonly reportsCacheWrites: boolean;
  /** Sealed thoughts go back with the next request. */
  readonly replaysThoughts: boolean;
  /** Calls come in pieces, and may hold anything. */
  readonly streamsArguments: boolean;
};

export const wires: readonly WireUnderTest[] = [
  {
    name: "openai-chat",
    provider: "openai",
    model: "gpt-4o",
    keyVariable: "OPENAI_API_KEY",
    reportsCacheWrites: true,
    replaysThoughts: false,
    streamsArguments: true,
  },
  {
    name: "openai-responses",
    provider: "openai-responses",
    model: "gpt-4o",
    keyVariable: "OPENAI_API_KEY",
    reportsCacheWrites: true,
    replaysThoughts: true,
    streamsArguments: true,
  },
  {
    name: "anthropic-messages",
    provider: "anthropic",
    model: "claude-sonnet-4-5",
    keyVariable: "ANTHROPIC_API_KEY",
    reportsCacheWrites: true,
    replaysThoughts: true,
    streamsArguments: true,
  },
  {
    name: "gemini-generate-content",
    provider: "gemini",
    model: "gemini-2.5-pro",
    keyVariable: "GEMINI_API_KEY",
    reportsCacheWrites: false,
    replaysThoughts: true,
    streamsArguments: false,
  },
];

export function createMemory(): EndpointMemory & { readonly learned: readonly string[] } {
  const refusals: Record<string, true> = {};
  return {
    recall: () => refusals as Refusals,
    learn: (_endpoint, _model, field) => void (refusals[field] = true),
    get learned() {
      return Object.keys(refusals);
    },
  };
}

export type ConnectTo = {
  readonly url: string;
  readonly idleMs?: number;
  readonly memory?: EndpointMemory;
  readonly post?: Post;
};

export function providerFor(wire: WireUnderTest, to: ConnectTo): Provider {
  const { url, idleMs = 5000, memory = createMemory(), post } = to;
  const choice = chooseVendor({
    provider: wire.provider,
    model: wire.model,
    baseUrl: url,
    keyVariable: undefined,
  });
  return connect({ choice, apiKey: "k", idleTimeoutMs: idleMs, memory, ...(post ? { post } : {}) });
}

let count = 0;
export const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
export const said = (text: string): Part => ({ type: "text", text });
export const image: Part & { type: "image" } = { type: "image", mediaType: "image/png", base64: "aGVsbG8=" };

export const resultOf = (call: ToolCallPart, text: string, more: Partial<Part> = {}): Message =>
  message("tool", {
    type: "tool-result",
    callId: call.callId,
    tool: call.tool,
    text,
    isError: false,
    handle: "#1",
    ...more,
  } as Part);

export const tools: ModelRequest["tools"] = [
  {
    name: "bash",
    description: "runs a command",
    input: { type: "object", properties: { command: { type: "string" } }, required: ["command"] },
  },
];

export function requestWith(
  wire: WireUnderTest,
  messages: readonly Message[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return { model: wire.model, system: "be brief", tools, messages, ...more };
}

/** What came of one request. */
export type Outcome = {
  readonly answer: ModelAnswer | undefined;
  readonly error: ProviderError | undefined;
  readonly code: ProviderErrorCode | undefined;
  readonly events: readonly ProviderEvent[];
  /** The text that was passed on while it streamed. */
  readonly shown: string;
  readonly thought: string;
};

export async function ask(provider: Provider, request: ModelRequest, signal?: AbortSignal): Promise<Outcome> {
  const events: ProviderEvent[] = [];
  const textOf = (type: "text" | "thinking") =>
    events.map((event) => (event.type === type && "text" in event ? event.text : "")).join("");
  let answer: ModelAnswer | undefined;
  let error: ProviderError | undefined;
  try {
    answer = await provider.stream(request, {
      signal: signal ?? new AbortController().signal,
      onEvent: (event) => events.push(event),
    });
  } catch (thrown) {
    if (!(thrown instanceof ProviderError)) throw thrown;
    error = thrown;
  }
  return { answer, error, code: error?.code, events, shown: textOf("text"), thought: textOf("thinking") };
}

export function callsOf(answer: ModelAnswer | undefined): ToolCallPart[] {
  return (answer?.parts ?? []).filter((part): part is ToolCallPart => part.type === "tool-call");
}

export function textIn(answer: ModelAnswer | undefined, type: "text" | "thinking" = "text"): string {
  return (answer?.parts ?? []).map((part) => (part.type === type ? part.text : "")).join("");
}

/** Everything but what tells that the answer is over. */
export function withoutEnd(events: readonly string[]): string[] {
  return events.filter(
    (event) =>
      !/"(?:finish_reason|finishReason|stop_reason)":"|"response\.completed"|message_stop|\[DONE\]/.test(event),
  );
}
