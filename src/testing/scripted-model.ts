import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { performance } from "node:perf_hooks";
import { anthropicWire } from "./anthropic-wire.ts";
import { chatWire } from "./chat-wire.ts";
import { geminiWire } from "./gemini-wire.ts";
import { playReply } from "./play-reply.ts";
import { type ForeverReply, fault, type Reply, type ScriptedAnswer } from "./reply.ts";
import { responsesWire } from "./responses-wire.ts";
import type { RequestBody, StreamError, Wire, WireContext, WireMessage, WireName } from "./wire.ts";

/** One request to the model, as it came over the network. */
export type RecordedRequest = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly wire: WireName;
  readonly body: RequestBody;
  /** The conversation in the words of Chat Completions, whatever the wire: system, user, assistant and tool messages with plain text. */
  readonly conversation: readonly WireMessage[];
  /** The body byte for byte (UTF-8). */
  readonly rawBody: string;
  /** `performance.now()` when the last byte of the request had arrived. */
  readonly receivedAt: number;
};

/** Replies in order, or a function that answers each request (`index` counts from 0). */
export type Script =
  | readonly (Reply | ForeverReply)[]
  | ((request: RecordedRequest, index: number) => Reply | Promise<Reply>);

export type ScriptedModelOptions = {
  /** Cuts every network write of the answers into pieces of this many bytes, also inside characters and escapes. A function is asked for each piece. */
  readonly cutBytes?: number | (() => number);
  /** What `GET …/models` lists. */
  readonly models?: readonly string[];
  /** Left out: any free port. */
  readonly port?: number;
};

/** A running server. */
export type ScriptedModel = {
  /** Base URL for clients, ending in `/v1`. */
  readonly url: string;
  readonly port: number;
  /** Every request to the model so far, in order of arrival. Others, such as `GET …/models`, are not listed. */
  readonly requests: readonly RecordedRequest[];
  /** How many requests came after the script was over; each got an HTTP 500. */
  readonly overruns: number;
  /** Waits until the n-th request (counted from 1) has arrived, and answers with it. Rejects when the server closes first. */
  waitForRequest(n: number): Promise<RecordedRequest>;
  /** Ends all connections and frees the port. */
  close(): Promise<void>;
};

const wires: readonly Wire[] = [chatWire, responsesWire, anthropicWire, geminiWire];

function wireNamed(name: WireName): Wire {
  return wires.find((wire) => wire.name === name) as Wire;
}

/** The server-sent events of an answer on one wire: to be changed, and sent with `rawStream`. */
export function eventsOf(wire: WireName, answer: ScriptedAnswer): string[] {
  return [...wireNamed(wire).stream(answer, scriptedContext)];
}

/** As if everything had been asked for that a wire has to be asked for. */
const scriptedContext: WireContext = {
  path: "/models/scripted:generateContent",
  body: {
    model: "scripted",
    messages: [],
    stream: true,
    stream_options: { include_usage: true },
    include: ["reasoning.encrypted_content"],
  },
  rawBody: "",
  index: 0,
};

/** The same answer as one JSON body, from a server that does not stream. */
export function bodyOf(wire: WireName, answer: ScriptedAnswer): string {
  return wireNamed(wire).whole(answer, scriptedContext);
}

/** The event with which a wire reports an error in the middle of a stream. */
export function errorEvent(wire: WireName, error: StreamError): string {
  return wireNamed(wire).error(error);
}

function nextReply(script: Script, request: RecordedRequest, index: number): Reply | undefined | Promise<Reply> {
  if (typeof script === "function") return script(request, index);
  const last = script.at(-1);
  const entry = script[index] ?? (last?.type === "forever" ? last : undefined);
  return entry?.type === "forever" ? entry.reply : entry;
}

async function readBody(message: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = [];
  for await (const piece of message) pieces.push(piece as Buffer);
  return Buffer.concat(pieces).toString("utf8");
}

function parseBody(rawBody: string, { conversationField, conversation }: Wire, path: string): RequestBody | undefined {
  try {
    const body = JSON.parse(rawBody) as Record<string, unknown>;
    const list = body?.[conversationField];
    if (!Array.isArray(list) && typeof list !== "string") return undefined;
    const elsewhere = {
      model: { value: body.model ?? decodeURIComponent(/models\/([^:?]+)/.exec(path)?.[1] ?? "") },
      messages: { get: () => conversation(body) },
    };
    // not enumerable: the body still compares as it was sent
    for (const [name, property] of Object.entries(elsewhere))
      if (!(name in body)) Object.defineProperty(body, name, property);
    return body as RequestBody;
  } catch {
    return undefined;
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

function refuse(response: ServerResponse, status: number, message: string): void {
  sendJson(response, status, { error: { message, type: "scripted_model" } });
}

type Waiter = {
  readonly n: number;
  readonly resolve: (request: RecordedRequest) => void;
  readonly reject: (error: Error) => void;
};

/** The requests so far, and those who wait for one. */
function createRecorder() {
  const requests: RecordedRequest[] = [];
  let waiters: Waiter[] = [];
  return {
    requests,
    add(request: RecordedRequest): number {
      const index = requests.push(request) - 1;
      const ready = waiters.filter((waiter) => waiter.n === requests.length);
      waiters = waiters.filter((waiter) => waiter.n !== requests.length);
      for (const waiter of ready) waiter.resolve(request);
      return index;
    },
    waitFor(n: number): Promise<RecordedRequest> {
      const there = requests[n - 1];
      if (there !== undefined) return Promise.resolve(there);
      return new Promise((resolve, reject) => waiters.push({ n, resolve, reject }));
    },
    giveUp(): void {
      for (const { n, reject } of waiters) {
        reject(new Error(`The scripted model closed after ${requests.length} requests; request ${n} never came.`));
      }
      waiters = [];
    },
  };
}

/**
 * Starts a model that says what a script tells it: a real HTTP server on 127.0.0.1 that speaks OpenAI Chat Completions
 * (`POST …/chat/completions`), OpenAI Responses (`POST …/responses`), Anthropic Messages (`POST …/messages`) and Gemini
 * (`POST …/models/NAME:streamGenerateContent`), streamed or whole, and records every request.
 *
 * When the script is over, requests get an HTTP 500 that says so; end it with `forever(reply)` to go on.
 *
 * ```ts
 * const model = await startScriptedModel([call("bash", { command: "ls" }), text("There are two files.")]);
 * // … run something with OPENAI_BASE_URL=model.url …
 * await model.close();
 * ```
 */
export async function startScriptedModel(script: Script, options: ScriptedModelOptions = {}): Promise<ScriptedModel> {
  const recorder = createRecorder();
  let overruns = 0;

  async function replyTo(request: RecordedRequest, index: number): Promise<Reply> {
    try {
      const reply = await nextReply(script, request, index);
      if (reply !== undefined) return reply;
    } catch (error) {
      return fault(500, {
        error: { message: `The script threw at request ${index + 1}: ${String(error)}`, type: "script_error" },
      });
    }
    overruns++;
    const message = `The script is over: request ${index + 1} came, but the script has only ${script.length} replies.`;
    return fault(500, { error: { message, type: "script_over" } });
  }

  async function handle(message: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = message.method ?? "GET";
    const path = message.url ?? "/";
    const rawBody = await readBody(message);
    const pathname = path.split("?", 1)[0] ?? path;
    if (method === "GET" && pathname.endsWith("/models")) {
      const data = (options.models ?? ["scripted"]).map((id) => ({
        id,
        object: "model",
        created: 0,
        owned_by: "script",
      }));
      return sendJson(response, 200, { object: "list", data });
    }
    const wire = wires.find(({ serves }) => serves(pathname));
    if (method !== "POST" || wire === undefined) return refuse(response, 404, `No such endpoint: ${method} ${path}`);
    const body = parseBody(rawBody, wire, path);
    if (body === undefined)
      return refuse(response, 400, `The request body is no JSON object with a list of ${wire.conversationField}.`);
    const request: RecordedRequest = {
      ...{ method, path, headers: message.headers, wire: wire.name, body, rawBody, receivedAt: performance.now() },
      get conversation() {
        return wire.conversation(body);
      },
    };
    const index = recorder.add(request);
    const reply = await replyTo(request, index);
    await playReply({ response, wire, context: { path, body, rawBody, index }, cutBytes: options.cutBytes }, reply);
  }

  const server = createServer((message, response) => {
    response.on("error", () => response.destroy());
    handle(message, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(options.port ?? 0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}/v1`,
    port,
    requests: recorder.requests,
    get overruns() {
      return overruns;
    },
    waitForRequest: recorder.waitFor,
    close() {
      recorder.giveUp();
      return new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      });
    },
  };
}
