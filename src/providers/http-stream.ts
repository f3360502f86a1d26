import type { ClientRequest, Agent as HttpAgent, IncomingHttpHeaders, RequestOptions } from "node:http";
import type { Readable, Transform } from "node:stream";
import { ProviderError } from "../contracts/errors.ts";
import { agentOptions } from "./network/agent-options.ts";
import { networkError } from "./network/network-error.ts";
import type { ProxyServer, ProxySettings } from "./network/proxy.ts";

/** The only HTTP client. node:http, over TLS with kept-alive connections: on Node 20 `fetch` costs 200 ms of CPU and 40 MB before its first byte. */

export type PostOptions = {
  /** Left out: POST. */
  readonly method?: "GET";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: readonly Uint8Array[];
  readonly signal: AbortSignal;
};

/** Sends the request and answers as soon as the response head is there, whatever its status. Throws ProviderError "network", "unreachable" or "aborted". */
export type Post = (options: PostOptions) => Promise<Response>;

/** An IncomingMessage, or what stands for one. */
export type ResponseHead = Readable & {
  readonly statusCode?: number | undefined;
  readonly headers: IncomingHttpHeaders;
  /** Received to its end. */
  readonly complete: boolean;
};

type Transport = { request(url: URL, options: RequestOptions): ClientRequest; agent: HttpAgent };

/** Connections are kept for all who post: by protocol, and by proxy. */
const transports = new Map<string, Promise<Transport>>();
/** Servers that were found to speak HTTP/2 only, and those that speak HTTP/1.1. */
const spokenBy = new Map<string, "http/2" | "http/1.1">();

export const post: Post = (options) => postVia(options, undefined);

/** Posts through the proxies that are set. */
export function createPost(proxies: ProxySettings): Post {
  if (proxies.http === undefined && proxies.https === undefined) return post;
  return async (options) => {
    const { chooseProxy } = await import("./network/proxy-choice.ts");
    return postVia(options, chooseProxy(proxies, options.url));
  };
}

async function postVia(options: PostOptions, proxy: ProxyServer | undefined): Promise<Response> {
  return openBody(await send(options, proxy));
}

async function send(options: PostOptions, proxy: ProxyServer | undefined): Promise<ResponseHead> {
  const { origin } = options.url;
  if (spokenBy.get(origin) === "http/2") return sendNewer(options, proxy);
  const outcome = await sendUsual(options, proxy).catch(asOutcome);
  if (await wantsHttp2(outcome, options.url)) {
    const newer = await sendNewer(options, proxy).catch(asOutcome);
    if (newer instanceof ProviderError) {
      // it was let in far enough to see what is wrong for good, such as a certificate
      if (newer.code === "aborted" || newer.code === "unreachable") throw newer;
    } else {
      spokenBy.set(origin, "http/2");
      if (!(outcome instanceof ProviderError)) outcome.destroy();
      return newer;
    }
  }
  if (outcome instanceof ProviderError) throw outcome;
  spokenBy.set(origin, "http/1.1");
  return outcome;
}

function asOutcome(error: unknown): ProviderError {
  if (error instanceof ProviderError) return error;
  throw error;
}

async function sendNewer(options: PostOptions, proxy: ProxyServer | undefined): Promise<ResponseHead> {
  const { postOverHttp2 } = await import("./network/http2-stream.ts");
  return postOverHttp2(options, proxy);
}

/** Statuses with which servers and balancers answer the wrong version of HTTP. */
const wrongVersion: ReadonlySet<number | undefined> = new Set([426, 464, 505]);

/** A server that never spoke HTTP/1.1 and does not begin to now. */
async function wantsHttp2(outcome: ResponseHead | ProviderError, url: URL): Promise<boolean> {
  if (!(outcome instanceof ProviderError)) return wrongVersion.has(outcome.statusCode);
  if (outcome.code !== "network" || spokenBy.get(url.origin) === "http/1.1") return false;
  const {
    code = "",
    message = "",
    rawPacket,
  } = (outcome.cause ?? {}) as Partial<NodeJS.ErrnoException> & {
    readonly rawPacket?: Uint8Array;
  };
  if (/no.application.protocol/i.test(`${code} ${message}`)) return true;
  if (code === "ECONNRESET") return url.protocol === "https:";
  if (!code.startsWith("HPE_")) return false;
  return (await import("./network/http2-stream.ts")).looksLikeHttp2(rawPacket);
}

async function transportFor(protocol: string, proxy: ProxyServer | undefined): Promise<Transport> {
  if (proxy !== undefined) return (await import("./network/proxy-transport.ts")).proxyTransport(proxy, protocol);
  const library = protocol === "https:" ? await import("node:https") : await import("node:http");
  const agent = new library.Agent(agentOptions);
  return { request: (url, options) => library.request(url, options), agent };
}

async function sendUsual(
  { method, url, headers, body, signal }: PostOptions,
  proxy: ProxyServer | undefined,
): Promise<ResponseHead> {
  const way = `${url.protocol}${proxy?.url.href ?? ""}`;
  let pending = transports.get(way);
  if (pending === undefined) transports.set(way, (pending = transportFor(url.protocol, proxy)));
  const { request, agent } = await pending;
  refuseUnsendable(headers);
  if (signal.aborted) throw new ProviderError("aborted", "interrupted");
  const head = await new Promise<ResponseHead>((resolve, reject) => {
    const size = body.reduce((sum, piece) => sum + piece.byteLength, 0);
    const sized = method === "GET" ? headers : { ...headers, "content-length": String(size) };
    const outgoing = request(url, { method: method ?? "POST", agent, headers: sized });
    const abort = () => {
      const interrupted = new ProviderError("aborted", "interrupted");
      outgoing.destroy(interrupted);
      // a request that waits for its connection does not notice
      reject(interrupted);
    };
    signal.addEventListener("abort", abort, { once: true });
    outgoing.on("close", () => signal.removeEventListener("abort", abort));
    outgoing.on("error", (error: NodeJS.ErrnoException) => {
      const isStale = outgoing.reusedSocket && (error.code === "ECONNRESET" || error.code === "EPIPE");
      if (error instanceof ProviderError) reject(error);
      // a server may close a connection it promised to keep (llama.cpp always does) while the next request is on its way
      else if (isStale) reject(new ProviderError("stale", `${url.host} had closed the connection`, { cause: error }));
      else reject(networkError(url, error, proxy));
    });
    outgoing.on("response", resolve);
    outgoing.setNoDelay(true);
    outgoing.cork();
    for (const piece of body) outgoing.write(piece);
    outgoing.uncork();
    outgoing.end();
  });
  if (head.statusCode !== 407 || proxy === undefined) return head;
  head.destroy();
  throw (await import("./network/proxy-transport.ts")).proxyRefusal(proxy, url, 407);
}

/** Keys come out of files and variables, sometimes with more than belongs to them. Their value is not shown. */
function refuseUnsendable(headers: PostOptions["headers"]): void {
  const bad = Object.entries(headers).find(([, value]) => /[^\t\x20-\x7e\x80-\xff]/.test(value));
  if (bad === undefined) return;
  throw new ProviderError(
    "auth",
    `the header ${bad[0]} cannot be sent: its value has a line break or another character that does not belong there`,
  );
}

/** A response and its body as it was before it was compressed. */
export type Response = { readonly head: ResponseHead; readonly body: Readable };

/** We ask for plain bodies; some servers and proxies compress all the same. */
async function openBody(head: ResponseHead): Promise<Response> {
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
  if (unpack === undefined) {
    head.destroy();
    throw new ProviderError("not-a-stream", `the server compressed its answer in a way unknown here (${encoding})`);
  }
  head.on("error", () => unpack.end());
  head.on("close", () => unpack.end());
  return { head, body: head.pipe(unpack) };
}
