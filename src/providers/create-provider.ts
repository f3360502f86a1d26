import { createParser } from "eventsource-parser";
import { ProviderError } from "../contracts/errors.ts";
import type { ModelAnswer, ModelRequest, Provider, StreamOptions } from "../contracts/provider.ts";
import { isRaised, isWorthRaising } from "./answer-limit.ts";
import { type Post, post, type Response } from "./http-stream.ts";
import type { Decoder, EncodeOptions, Protocol, Refusals } from "./protocol.ts";
import { describeBody, errorFromResponse, errorInStream } from "./provider-errors.ts";
import { createIdleTimer, readStream, readText } from "./read-response.ts";

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
  /** Header that takes the key, where it is not the wire's own. */
  readonly keyHeader?: string;
  /** What comes behind an address that is just a host: `/deployments/{model}{path}`. Left out: the wire's path. */
  readonly pathPattern?: string;
  readonly replayThinking: EncodeOptions["replayThinking"];
  /** What the vendor wants of this request beyond its wire. */
  readonly encodeOptions?: (request: ModelRequest, refusals: Refusals) => Partial<EncodeOptions>;
  /** The server cuts long prompts without a word. */
  readonly cutsSilently?: boolean;
  readonly idleTimeoutMs: number;
  /** How long the first data may take; left out: not longer than what follows. */
  readonly firstDataMs?: number;
  readonly memory: EndpointMemory;
  /** How requests leave; left out: straight over the network. */
  readonly post?: Post;
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
  const encoding: EncodeOptions = {
    refusals,
    replayThinking: target.replayThinking,
    ...target.encodeOptions?.(request, refusals),
  };
  const idle = createIdleTimer(target.idleTimeoutMs, target.firstDataMs);
  const waiting = new AbortController();
  idle.onExpire(() => waiting.abort());
  try {
    const response = await (target.post ?? post)({
      url: urlFor(target, request),
      headers: {
        "content-type": "application/json",
        accept: "text/event-stream",
        "accept-encoding": "identity",
        "user-agent": "corecoder",
        ...keyHeaders(target),
        ...target.headers,
      },
      body: protocol.encode(request, encoding),
      signal: AbortSignal.any([signal, waiting.signal]),
    }).catch((error: unknown) => {
      throw waiting.signal.aborted && !signal.aborted ? stalledBeforeAnswer(target, idle.limitMs) : error;
    });
    const status = response.head.statusCode ?? 0;
    if (status < 200 || status >= 300) throw await refusal(target, request, response);
    const decoder = protocol.createDecoder(onEvent);
    await readAnswer({ response, decoder, signal, idle });
    const answer = decoder.answer();
    refuseWithheld(answer);
    if (isWorthRaising(request, encoding, answer)) raiseLimit(target, request, answer);
    return target.cutsSilently ? { ...answer, mayBeCut: true } : answer;
  } catch (error) {
    throw error instanceof ProviderError ? withoutKey(error, target.apiKey) : error;
  } finally {
    idle.stop();
  }
}

/** An address may carry a query of its own. */
function urlFor({ endpoint, protocol, pathPattern }: Target, request: ModelRequest): URL {
  const url = new URL(endpoint);
  const own = protocol.path(request);
  const isBare = url.pathname === "/";
  const model = encodeURIComponent(request.model);
  const path = isBare && pathPattern ? pathPattern.replace("{model}", model).replace("{path}", own) : own;
  const [name = "", query] = path.split("?", 2);
  url.pathname = url.pathname.replace(/\/+$/, "") + name;
  for (const [key, value] of new URLSearchParams(query))
    if (!url.searchParams.has(key)) url.searchParams.set(key, value);
  return url;
}

function keyHeaders({ protocol, apiKey, keyHeader }: Target): Record<string, string> {
  return keyHeader === undefined ? protocol.headers(apiKey) : { ...protocol.headers(""), [keyHeader]: apiKey };
}

/** A filter that leaves nothing of an answer leaves nothing to show: the person should know why. */
function refuseWithheld({ stopReason, parts }: ModelAnswer): void {
  if (stopReason !== "content-filter" || parts.some((part) => part.type !== "thinking")) return;
  throw new ProviderError("content-filter", "the model's answer was withheld");
}

/** From now on as much as the model can write. An answer that never came to the point is asked for again; any other is continued. */
function raiseLimit({ memory, endpoint }: Target, { model }: ModelRequest, { parts, usage }: ModelAnswer): void {
  memory.learn(endpoint, model, "lowDefault");
  if (parts.some((part) => part.type !== "thinking")) return;
  throw new ProviderError("parameter-refused", "the output limit was reached before the answer began", { usage });
}

/** Some servers quote the key they refuse. One of a few letters, as local servers take, is part of any text. */
function withoutKey(error: ProviderError, apiKey: string): ProviderError {
  if (apiKey.length >= 6 && error.message.includes(apiKey))
    error.message = error.message.replaceAll(apiKey, "[key hidden]");
  return error;
}

function stalledBeforeAnswer({ endpoint }: Target, limitMs: number): ProviderError {
  return new ProviderError("stalled", `${endpoint} did not answer within ${limitMs / 1000} s`);
}

async function refusal(target: Target, request: ModelRequest, response: Response): Promise<ProviderError> {
  const body = await readText(response, 100_000);
  const status = response.head.statusCode ?? 0;
  const error = errorFromResponse(status, response.head.headers, body);
  const isTooMuch =
    error.code === "context-overflow" && isRaised(request, target.memory.recall(target.endpoint, request.model));
  // the prompt alone may fit: without the raised limit it shows
  if (isTooMuch) target.memory.learn(target.endpoint, request.model, "outputLimit");
  else if (error.code !== "bad-request" && error.code !== "not-found") return error;
  const isWorthAnother =
    isTooMuch || learn(target, request, describeBody(body)) || isRepaired(target, request, error, body);
  return isWorthAnother ? new ProviderError("parameter-refused", error.message, { status }) : error;
}

/** True when the complaint is about a field that was not known to be refused. */
function learn({ protocol, memory, endpoint }: Target, request: ModelRequest, message: string): boolean {
  const field = protocol.refusedField(request, message, memory.recall(endpoint, request.model));
  if (field === undefined) return false;
  memory.learn(endpoint, request.model, field);
  // GPT-5 and its kin refuse both together; asking twice would cost a second round trip.
  if (field === "maxTokens") memory.learn(endpoint, request.model, "temperature");
  return true;
}

function isRepaired({ protocol }: Target, request: ModelRequest, { code }: ProviderError, body: string): boolean {
  return code === "bad-request" && protocol.repair?.(request, describeBody(body)) === true;
}

type Reading = {
  readonly response: Response;
  readonly decoder: Decoder;
  readonly signal: AbortSignal;
  readonly idle: ReturnType<typeof createIdleTimer>;
};

async function readAnswer({ response, decoder, signal, idle }: Reading): Promise<void> {
  const isPage = (response.head.headers["content-type"] ?? "").includes("html");
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
      if (!isSignOfLife(data, event)) idle.refresh();
      decoder.push(data, event);
    },
    onError(fault) {
      // llama.cpp has written `error: {…}` where `data: {"error":…}` was meant
      if (fault.type === "unknown-field" && fault.field === "error") throw errorInStream(parsedOr(fault.value));
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

/** Sent to keep the connection open, not because anything has happened. */
function isSignOfLife(data: string, event: string | undefined): boolean {
  return event === "ping" || (data.length < 80 && /"type":\s*"(?:ping|keepalive)"/.test(data));
}

function parsedOr(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return { message: text };
  }
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
