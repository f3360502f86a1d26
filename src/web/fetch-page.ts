import type { IncomingMessage, RequestOptions } from "node:http";
import { ToolError } from "../contracts/errors.ts";
import type { SendRequest } from "../contracts/extension.ts";
import { type FoundAddress, findAddress } from "../platform/public-address.ts";

export type Page = {
  /** Where it was found in the end. */
  readonly url: string;
  readonly type: string;
  readonly text: string;
  /** More came than was read. */
  readonly isCut: boolean;
};

/** The server sends us elsewhere, to another host: that is another permission. */
export type Elsewhere = { readonly movedTo: string };

export type FetchOptions = {
  readonly signal: AbortSignal;
  /** Was this very host allowed by name? Then it may also be one of this machine or network. */
  readonly isNamed: (host: string, port: number) => boolean;
  readonly throughProxy?: (url: URL) => Promise<SendRequest | undefined>;
};

const pageLimit = 5 * 1024 * 1024;
const limitMs = 30_000;
const hopLimit = 5;

/** One page of the web as text. Throws ToolError in words for the model. */
export async function fetchPage(given: URL, options: FetchOptions): Promise<Page | Elsewhere> {
  const signal = AbortSignal.any([options.signal, AbortSignal.timeout(limitMs)]);
  let url = given;
  for (let hop = 0; hop <= hopLimit; hop++) {
    const response = await request(url, { ...options, signal });
    const moved = movedTo(response, url);
    if (moved === undefined) return readPage(response, url, signal);
    response.destroy();
    if (moved.host !== given.host || moved.protocol !== given.protocol) return { movedTo: moved.href };
    url = moved;
  }
  throw new ToolError(`${given.href} was not fetched: it sends from one address to the next without end.`);
}

export function portOf({ protocol, port }: URL): number {
  return port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
}

async function request(url: URL, options: FetchOptions): Promise<IncomingMessage> {
  const { signal } = options;
  const send = await sender(url, options);
  return new Promise((resolve, reject) => {
    const outgoing = send(url, {
      signal,
      headers: {
        "user-agent": "corecoder (web_fetch)",
        accept: "text/markdown, text/html;q=0.9, text/plain;q=0.8, application/json;q=0.8, */*;q=0.1",
        "accept-encoding": "gzip",
      },
    });
    outgoing.once("response", resolve);
    outgoing.once("error", (error) =>
      reject(new ToolError(`${url.href} was not fetched: ${problemOf(error, signal)}.`)),
    );
    outgoing.end();
  });
}

/** Behind a proxy a host may be known to that alone; one that is known here is checked all the same. */
async function sender(url: URL, { isNamed, throughProxy }: FetchOptions): Promise<SendRequest> {
  const [proxied, where] = await Promise.all([throughProxy?.(url), findAddress(url.hostname)]);
  if (where && !where.isPublic && !isNamed(url.hostname, portOf(url)))
    throw new ToolError(
      `${url.href} was not fetched: ${url.hostname} is an address of this machine or its network (${where.found.address}). Only a rule that names it allows that: network(${url.host}).`,
    );
  if (proxied) return proxied;
  if (where === undefined) throw new ToolError(`${url.href} was not fetched: there is no host ${url.hostname}.`);
  return straightTo(where.found, url.protocol);
}

/** What was checked is what is connected to, whatever the name means by now. */
async function straightTo({ address, family }: FoundAddress, protocol: string): Promise<SendRequest> {
  const library = protocol === "https:" ? await import("node:https") : await import("node:http");
  const lookup: RequestOptions["lookup"] = (_host, { all }, done) =>
    all ? done(null, [{ address, family }]) : done(null, address, family);
  return (url, options) => library.request(url, { ...options, lookup });
}

function problemOf(error: Error, signal: AbortSignal): string {
  if (!signal.aborted) return error.message;
  return signal.reason instanceof Error && signal.reason.name === "TimeoutError"
    ? `it took longer than ${limitMs / 1000} seconds`
    : "interrupted";
}

function movedTo({ statusCode = 0, headers }: IncomingMessage, from: URL): URL | undefined {
  if (statusCode < 300 || statusCode >= 400 || headers.location === undefined) return undefined;
  const to = URL.canParse(headers.location, from) ? new URL(headers.location, from) : undefined;
  if (to === undefined || !/^https?:$/.test(to.protocol))
    throw new ToolError(`${from.href} was not fetched: it leads to ${headers.location}, which is no web address.`);
  return to;
}

async function readPage(response: IncomingMessage, url: URL, signal: AbortSignal): Promise<Page> {
  const { statusCode = 0, headers } = response;
  const type = (headers["content-type"] ?? "text/plain").toLowerCase();
  if (statusCode >= 400) {
    response.destroy();
    throw new ToolError(`${url.href} was not fetched: the server answered with status ${statusCode}.`);
  }
  if (!/^(text\/|application\/(.*\+)?(json|xml|javascript|x-ndjson|yaml|toml))/.test(type)) {
    response.destroy();
    throw new ToolError(`${url.href} is ${type}, which is no text. Download it with a command if it is needed.`);
  }
  const { bytes, isCut } = await readBytes(response, url, signal);
  const charset = charsetIn(type) ?? (isHtml(type) ? charsetIn(bytes.toString("latin1", 0, headBytes)) : undefined);
  return { url: url.href, type, text: decode(bytes, charset ?? "utf-8"), isCut };
}

async function readBytes(response: IncomingMessage, url: URL, signal: AbortSignal) {
  const body = response.headers["content-encoding"] === "gzip" ? await unpacked(response) : response;
  const pieces: Buffer[] = [];
  let size = 0;
  try {
    for await (const piece of body) {
      pieces.push(piece as Buffer);
      size += (piece as Buffer).length;
      if (size > pageLimit) break;
    }
  } catch (error) {
    throw new ToolError(`${url.href} was not fetched: ${problemOf(error as Error, signal)}.`);
  } finally {
    response.destroy();
  }
  return { bytes: Buffer.concat(pieces).subarray(0, pageLimit), isCut: size > pageLimit };
}

/** A connection that breaks ends this too: piping alone would leave its reader waiting for ever. */
async function unpacked(response: IncomingMessage): Promise<AsyncIterable<unknown>> {
  const [{ createGunzip }, { pipeline }] = await Promise.all([import("node:zlib"), import("node:stream")]);
  return pipeline(response, createGunzip(), () => {});
}

/** Where a page says itself how it is written, it does so at its beginning. */
const headBytes = 1024;

const charsetIn = (text: string): string | undefined => /charset=["']?([\w-]+)/i.exec(text)?.[1];

export const isHtml = (type: string): boolean => /^text\/html|^application\/xhtml/.test(type);

function decode(bytes: Buffer, charset: string): string {
  try {
    return new TextDecoder(charset).decode(bytes);
  } catch {
    return bytes.toString("utf8");
  }
}
