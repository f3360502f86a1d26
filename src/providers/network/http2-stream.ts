import type { IncomingHttpHeaders } from "node:http";
import type { ClientHttp2Session, ClientHttp2Stream } from "node:http2";
import type { Duplex } from "node:stream";
import { ProviderError } from "../../contracts/errors.ts";
import type { PostOptions, ResponseHead } from "../http-stream.ts";
import { networkError } from "./network-error.ts";
import type { ProxyServer } from "./proxy.ts";

/** For servers that speak nothing older. One connection an origin carries all requests. */
const sessions = new Map<string, Promise<ClientHttp2Session>>();

/** How long a server may take to agree on TLS. */
const handshakeMs = 30_000;

/** A frame of settings, with which a server of this protocol begins whatever it was sent. */
export function looksLikeHttp2(bytes: Uint8Array | undefined): boolean {
  return bytes !== undefined && bytes.length >= 9 && bytes[3] === 4 && bytes.subarray(5, 9).every((byte) => byte === 0);
}

/** Throws ProviderError "network", "unreachable" or "aborted". */
export async function postOverHttp2(
  { method, url, headers, body, signal }: PostOptions,
  proxy: ProxyServer | undefined,
): Promise<ResponseHead> {
  const session = await unlessAborted(sessionFor(url, proxy), signal);
  return new Promise((resolve, reject) => {
    // closed since, though not told yet
    if (session.closed || session.destroyed) return reject(networkError(url, new Error("the connection was closed")));
    const stream = session.request({
      ":method": method ?? "POST",
      ":path": `${url.pathname}${url.search}`,
      ":authority": url.host,
      ":scheme": url.protocol.slice(0, -1),
      ...headers,
    });
    const abort = () => stream.destroy(new ProviderError("aborted", "interrupted"));
    signal.addEventListener("abort", abort, { once: true });
    stream.on("close", () => {
      signal.removeEventListener("abort", abort);
      reject(networkError(url, new Error("the connection closed before an answer")));
    });
    stream.on("error", (error) => reject(error instanceof ProviderError ? error : networkError(url, error)));
    stream.on("response", (received) => resolve(headOf(stream, received)));
    stream.end(Buffer.concat(body));
  });
}

/** A connection that is never made is nobody's business any more once the request was given up. */
function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(new ProviderError("aborted", "interrupted"));
    if (signal.aborted) abort();
    signal.addEventListener("abort", abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", abort));
  });
}

function headOf(stream: ClientHttp2Stream, received: { readonly ":status"?: number | undefined }): ResponseHead {
  const { ":status": statusCode, ...headers } = received;
  let isEnded = false;
  stream.on("end", () => void (isEnded = !stream.aborted && (stream.rstCode ?? 0) === 0));
  return Object.defineProperties(stream, {
    statusCode: { value: statusCode },
    headers: { value: headers as IncomingHttpHeaders },
    complete: { get: () => isEnded },
  }) as unknown as ResponseHead;
}

function sessionFor(url: URL, proxy: ProxyServer | undefined): Promise<ClientHttp2Session> {
  const key = `${proxy?.url.href ?? ""} ${url.origin}`;
  let session = sessions.get(key);
  if (session === undefined) {
    session = openSession(url, proxy, () => sessions.delete(key));
    sessions.set(key, session);
    session.catch(() => sessions.delete(key));
  }
  return session;
}

async function openSession(url: URL, proxy: ProxyServer | undefined, onEnd: () => void): Promise<ClientHttp2Session> {
  const http2 = await import("node:http2");
  const socket = url.protocol === "https:" ? await secureSocket(url, proxy) : undefined;
  return new Promise((resolve, reject) => {
    const session = http2.connect(url.origin, socket === undefined ? {} : { createConnection: () => socket });
    session.on("connect", () => {
      // a kept connection is no reason to stay
      session.unref();
      resolve(session);
    });
    session.on("goaway", onEnd);
    session.on("close", onEnd);
    session.on("error", (error) => {
      onEnd();
      reject(networkError(url, error));
    });
  });
}

async function secureSocket(url: URL, proxy: ProxyServer | undefined): Promise<Duplex> {
  const [tls, { openTunnel }] = await Promise.all([import("node:tls"), import("./proxy-transport.ts")]);
  const tunnel = proxy === undefined ? {} : { socket: await openTunnel(proxy, url) };
  const host = url.hostname.replace(/^\[(.*)\]$/, "$1");
  const { isIP } = await import("node:net");
  const servername = isIP(host) === 0 ? { servername: host } : {};
  return new Promise((resolve, reject) => {
    const socket = tls.connect({
      host,
      port: Number(url.port || 443),
      ALPNProtocols: ["h2"],
      ...servername,
      ...tunnel,
    });
    socket.on("error", (error) => reject(networkError(url, error, proxy)));
    socket.setTimeout(handshakeMs, () => socket.destroy(new Error(`no connection within ${handshakeMs / 1000} s`)));
    socket.on("secureConnect", () => {
      socket.setTimeout(0);
      if (socket.alpnProtocol === "h2") return resolve(socket);
      socket.destroy();
      reject(new ProviderError("network", `${url.origin} does not speak HTTP/2`));
    });
  });
}
