import type { IncomingMessage } from "node:http";
import { createParser } from "eventsource-parser";
import { ProviderError } from "../contracts/errors.ts";
import type { ModelAnswer, ModelRequest, Provider, StreamOptions } from "../contracts/provider.ts";
import { createIdleTimer, post, readStream, readText } from "./http-stream.ts";
import type { Decoder, Protocol, Refusals } from "./protocol.ts";
import { describeBody, errorFromResponse } from "./provider-errors.ts";

/** Remembers, per endpoint and model, which optional fields were refused. */
export type EndpointMemory = {
  recall(endpoint: string, model: string): Refusals;
  learn(endpoint: string, model: string, refused: keyof Refusals): void;
};

export type ProviderOptions = {
  readonly protocol: Protocol;
  readonly baseUrl: string;
  readonly apiKey: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly replayThinking: boolean;
  /** The server cuts long prompts without a word. */
  readonly cutsSilently?: boolean;
  readonly idleTimeoutMs: number;
  readonly memory: EndpointMemory;
};

/** A vendor = a wire format at an address with a key. */
export function createProvider(options: ProviderOptions): Provider {
  const endpoint = options.baseUrl.replace(/\/+$/, "");
  return { endpoint, stream: (request, streamOptions) => stream({ ...options, endpoint }, request, streamOptions) };
}

type Target = ProviderOptions & { readonly endpoint: string };

async function stream(target: Target, request: ModelRequest, { signal, onEvent }: StreamOptions): Promise<ModelAnswer> {
  const { protocol, endpoint, memory } = target;
  const refusals = memory.recall(endpoint, request.model);
  const idle = createIdleTimer(target.idleTimeoutMs);
  const waiting = new AbortController();
  idle.onExpire(() => waiting.abort());
  try {
    const response = await post({
      url: new URL(endpoint + protocol.path(request)),
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "user-agent": "corecoder",
        ...protocol.headers(target.apiKey),
        ...target.headers,
      },
      body: protocol.encode(request, { refusals, replayThinking: target.replayThinking }),
      signal: AbortSignal.any([signal, waiting.signal]),
    }).catch((error: unknown) => {
      throw waiting.signal.aborted && !signal.aborted ? stalledBeforeAnswer(target) : error;
    });
    const status = response.statusCode ?? 0;
    if (status < 200 || status >= 300) throw await refusal(target, request, response);
    const decoder = protocol.createDecoder(onEvent);
    await readAnswer({ response, decoder, signal, idle });
    const answer = decoder.answer();
    return target.cutsSilently ? { ...answer, mayBeCut: true } : answer;
  } catch (error) {
    throw error instanceof ProviderError ? withoutKey(error, target.apiKey) : error;
  } finally {
    idle.stop();
  }
}

/** Some servers quote the key they refuse. */
function withoutKey(error: ProviderError, apiKey: string): ProviderError {
  if (apiKey !== "" && error.message.includes(apiKey)) error.message = error.message.replaceAll(apiKey, "[key hidden]");
  return error;
}

function stalledBeforeAnswer(target: Target): ProviderError {
  return new ProviderError("stalled", `${target.endpoint} did not answer within ${target.idleTimeoutMs / 1000} s`);
}

async function refusal(target: Target, request: ModelRequest, response: IncomingMessage): Promise<ProviderError> {
  const body = await readText(response, 100_000);
  const status = response.statusCode ?? 0;
  const error = errorFromResponse(status, response.headers, body);
  if (error.code !== "bad-request") return error;
  const field = target.protocol.refusedField(request, describeBody(body));
  if (field === undefined || target.memory.recall(target.endpoint, request.model)[field]) return error;
  target.memory.learn(target.endpoint, request.model, field);
  // GPT-5 and its kin refuse both together; asking twice would cost a second round trip.
  if (field === "maxTokens") target.memory.learn(target.endpoint, request.model, "temperature");
  return new ProviderError("parameter-refused", error.message, { status });
}

type Reading = {
  readonly response: IncomingMessage;
  readonly decoder: Decoder;
  readonly signal: AbortSignal;
  readonly idle: ReturnType<typeof createIdleTimer>;
};

async function readAnswer({ response, decoder, signal, idle }: Reading): Promise<void> {
  const isPage = (response.headers["content-type"] ?? "").includes("html");
  let kind = (isPage ? "page" : "unknown") as BodyKind;
  let whole = "";
  let flushIsDue = false;
  // A network packet holds many small pieces, each read on its own: their text goes out together once the packet is through.
  const flushSoon = () => {
    if (flushIsDue) return;
    flushIsDue = true;
    process.nextTick(() => {
      flushIsDue = false;
      decoder.flush();
    });
  };
  const parser = createParser({
    onEvent: ({ data, event }) => {
      idle.refresh();
      decoder.push(data, event);
    },
  });
  const ended = await readStream({
    response,
    signal,
    idle,
    state: () => decoder.state,
    onText(text) {
      whole += text;
      if (kind === "unknown") {
        // also takes a byte order mark, which the parser would mistake for a part of the first field
        whole = whole.trimStart();
        kind = sniff(whole);
      }
      if (kind !== "stream") return;
      parser.feed(whole);
      whole = "";
      flushSoon();
    },
  }).catch((error: unknown) => error);
  try {
    // A last event without its blank line still counts, however the stream ended.
    if (kind === "stream") parser.feed("\n\n");
  } finally {
    decoder.flush();
  }
  if (ended !== undefined && decoder.state === "open") throw ended;
  if (kind === "json") decoder.pushWhole(parseWhole(whole));
  else if (kind === "page")
    throw new ProviderError("not-a-stream", `the server did not send an answer: ${describeBody(whole)}`);
  decoder.flush();
}

function parseWhole(text: string): unknown {
  if (text.trim() === "")
    throw new ProviderError("broken-stream", "the server closed the connection without an answer");
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ProviderError("broken-stream", "the server's answer is cut off or no JSON", { cause });
  }
}

type BodyKind = "stream" | "json" | "page" | "unknown";

/** Servers stream under any content type, and send whole answers under any other: the first character tells. */
function sniff(text: string): BodyKind {
  if (text === "") return "unknown";
  if (text.startsWith("{") || text.startsWith("[")) return "json";
  return text.startsWith("<") ? "page" : "stream";
}
