import type { ClientRequest, Agent as HttpAgent, IncomingMessage, RequestOptions } from "node:http";
import type { Readable, Transform } from "node:stream";
import { ProviderError } from "../contracts/errors.ts";

/** The only HTTP client. node:http with kept-alive connections: on Node 20 `fetch` costs 200 ms of CPU and 40 MB before its first byte. */

export type PostOptions = {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
};

type Transport = { request(url: URL, options: RequestOptions): ClientRequest; agent: HttpAgent };

const transports = new Map<string, Promise<Transport>>();

async function transportFor(protocol: string): Promise<Transport> {
  const library = protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = new library.Agent({ keepAlive: true, keepAliveMsecs: 30_000, scheduling: "lifo" });
  return { request: (url, options) => library.request(url, options), agent };
}

/** Sends the request and answers as soon as the response head is there, whatever its status. Throws ProviderError "network" or "aborted". */
export async function post(options: PostOptions): Promise<Response> {
  return openBody(await send(options));
}

async function send({ url, headers, body, signal }: PostOptions): Promise<IncomingMessage> {
  let pending = transports.get(url.protocol);
  if (pending === undefined) transports.set(url.protocol, (pending = transportFor(url.protocol)));
  const { request, agent } = await pending;
  if (signal.aborted) throw new ProviderError("aborted", "interrupted");
  return new Promise((resolve, reject) => {
    const size = body.reduce((sum, piece) => sum + piece.byteLength, 0);
    const outgoing = request(url, { method: "POST", agent, headers: { ...headers, "content-length": String(size) } });
    const abort = () => outgoing.destroy(new ProviderError("aborted", "interrupted"));
    signal.addEventListener("abort", abort, { once: true });
    outgoing.on("close", () => signal.removeEventListener("abort", abort));
    outgoing.on("error", (error) => reject(error instanceof ProviderError ? error : networkError(url, error)));
    outgoing.on("response", resolve);
    outgoing.setNoDelay(true);
    outgoing.cork();
    for (const piece of body) outgoing.write(piece);
    outgoing.uncork();
    outgoing.end();
  });
}

function networkError(url: URL, error: Error): ProviderError {
  const code = (error as NodeJS.ErrnoException).code;
  const what =
    code === "ECONNREFUSED"
      ? "the connection was refused"
      : code === "ENOTFOUND" || code === "EAI_AGAIN"
        ? "the host name cannot be resolved"
        : error.message || code || "the connection failed";
  return new ProviderError("network", `cannot reach ${url.origin}: ${what}`, { cause: error });
}

/** A response and its body as it was before it was compressed. */
export type Response = { readonly head: IncomingMessage; readonly body: Readable };

/** We ask for plain bodies; some servers and proxies compress all the same. */
async function openBody(head: IncomingMessage): Promise<Response> {
  const encoding = head.headers["content-encoding"]?.toLowerCase() ?? "identity";
  if (encoding === "identity" || encoding === "") return { head, body: head };
  const zlib = await import("node:zlib");
  // what arrived before a cut is worth having
  const { Z_SYNC_FLUSH, BROTLI_OPERATION_FLUSH } = zlib.constants;
  const kinds: Readonly<Record<string, () => Transform>> = {
    gzip: () => zlib.createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
    "x-gzip": () => zlib.createGunzip({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
    deflate: () => zlib.createInflate({ flush: Z_SYNC_FLUSH, finishFlush: Z_SYNC_FLUSH }),
    br: () => zlib.createBrotliDecompress({ flush: BROTLI_OPERATION_FLUSH, finishFlush: BROTLI_OPERATION_FLUSH }),
  };
  const unpack = kinds[encoding]?.();
  if (unpack === undefined)
    throw new ProviderError("not-a-stream", `the server compressed its answer in a way unknown here (${encoding})`);
  head.on("error", () => unpack.end());
  head.on("close", () => unpack.end());
  return { head, body: head.pipe(unpack) };
}

/** A response body as text, at most `limit` characters: for error messages. */
export async function readText({ head, body }: Response, limit: number): Promise<string> {
  body.setEncoding("utf8");
  let text = "";
  try {
    for await (const piece of body) {
      text += piece as string;
      if (text.length > limit) break;
    }
  } catch {
    // what arrived before the connection broke is all there is to say
  }
  if (!head.complete) head.destroy();
  return text;
}

export type ReadOptions = {
  readonly response: Response;
  readonly signal: AbortSignal;
  /** Each piece of decoded text as it arrives. Throwing ends the read. */
  readonly onText: (text: string) => void;
  /** Asked after each piece: "finishing" waits a moment longer, "done" stops reading. */
  readonly state: () => "open" | "finishing" | "done";
  readonly idle: IdleTimer;
};

/** Reset by data events alone: comments and pings keep a dead stream alive for ever. */
export type IdleTimer = {
  readonly limitMs: number;
  refresh(): void;
  onExpire(callback: () => void): void;
  stop(): void;
};

export function createIdleTimer(limitMs: number): IdleTimer {
  let expire: () => void = () => {};
  const timer = setTimeout(() => expire(), limitMs);
  return {
    limitMs,
    refresh: () => void timer.refresh(),
    onExpire: (callback) => void (expire = callback),
    stop: () => clearTimeout(timer),
  };
}

/** How long to wait for a late usage report once the answer itself is complete… */
const finishingGraceMs = 500;
/** …and for the end of the body once everything was said: a response read to its end gives its connection back. */
const doneGraceMs = 30;

/** Reads until the end, "done", a stall or an abort. Throws ProviderError "broken-stream", "stalled" or "aborted". */
export function readStream({ response, signal, onText, state, idle }: ReadOptions): Promise<void> {
  const { head, body } = response;
  return new Promise((resolve, reject) => {
    let grace: NodeJS.Timeout | undefined;
    const settle = (error?: unknown) => {
      idle.stop();
      clearTimeout(grace);
      signal.removeEventListener("abort", abort);
      body.off("data", read);
      if (error === undefined) resolve();
      else reject(signal.aborted ? new ProviderError("aborted", "interrupted") : error);
      if (!head.complete) head.destroy();
    };
    const end = () => settle(head.complete || state() !== "open" ? undefined : brokenStream());
    const abort = () => settle(new ProviderError("aborted", "interrupted"));
    const read = (text: string) => {
      try {
        onText(text);
      } catch (error) {
        settle(error);
        return;
      }
      if (state() === "open") return;
      clearTimeout(grace);
      grace = setTimeout(() => settle(), state() === "done" ? doneGraceMs : finishingGraceMs);
    };
    signal.addEventListener("abort", abort, { once: true });
    idle.onExpire(() => settle(new ProviderError("stalled", `no data from the model for ${idle.limitMs / 1000} s`)));
    body.setEncoding("utf8");
    body.on("data", read);
    body.on("end", end);
    body.on("error", (cause) => settle(state() === "open" ? brokenStream(cause) : undefined));
    body.on("close", end);
  });
}

function brokenStream(cause?: unknown): ProviderError {
  return new ProviderError("broken-stream", "the connection broke in the middle of the answer", { cause });
}
