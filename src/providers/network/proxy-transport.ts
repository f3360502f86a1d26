import type { Agent, ClientRequest, RequestOptions } from "node:http";
import type { Duplex } from "node:stream";
import type { ConnectionOptions } from "node:tls";
import { ProviderError } from "../../contracts/errors.ts";
import { agentOptions } from "./agent-options.ts";
import { networkError } from "./network-error.ts";
import { named, type ProxyServer } from "./proxy.ts";

type Transport = { request(url: URL, options: RequestOptions): ClientRequest; agent: Agent };

/** How long a proxy may take to open a tunnel. */
const tunnelMs = 60_000;

/** How requests leave through a proxy: plain ones are handed to it whole, for the others it opens a tunnel that it cannot look into. */
export async function proxyTransport(proxy: ProxyServer, protocol: string): Promise<Transport> {
  return protocol === "https:" ? tunnelled(proxy) : handedOver(proxy);
}

async function handedOver(proxy: ProxyServer): Promise<Transport> {
  const library = await libraryFor(proxy);
  const agent = new library.Agent(agentOptions);
  return {
    agent,
    request: (url, { headers, ...options }) =>
      library.request({
        ...options,
        ...addressOf(proxy),
        path: `${url.origin}${url.pathname}${url.search}`,
        headers: { ...headers, host: url.host, ...authorization(proxy) },
      }),
  };
}

async function tunnelled(proxy: ProxyServer): Promise<Transport> {
  const [https, tls] = await Promise.all([import("node:https"), import("node:tls")]);
  const agent = new https.Agent(agentOptions);
  type Open = (options: ConnectionOptions, done: (error: Error | null, socket?: Duplex) => void) => undefined;
  const open: Open = (options, done) => {
    openTunnel(proxy, new URL(`https://${urlHost(options.host ?? "")}:${options.port ?? 443}`)).then(
      (socket) => done(null, tls.connect({ ...options, path: undefined, socket })),
      (error: Error) => done(error),
    );
  };
  Object.assign(agent, { createConnection: open });
  return { agent, request: (url, options) => https.request(url, options) };
}

/** A connection to the target that the proxy passes on. Throws ProviderError that names the proxy. */
export async function openTunnel(proxy: ProxyServer, target: URL): Promise<Duplex> {
  const library = await libraryFor(proxy);
  const place = `${target.hostname}:${target.port || 443}`;
  return new Promise((resolve, reject) => {
    const asking = library.request({
      ...addressOf(proxy),
      method: "CONNECT",
      path: place,
      headers: { host: place, ...authorization(proxy) },
      agent: false,
    });
    asking.on("connect", ({ statusCode = 0 }, socket) => {
      if (statusCode >= 200 && statusCode < 300) return resolve(socket);
      socket.destroy();
      reject(proxyRefusal(proxy, target, statusCode));
    });
    asking.setTimeout(tunnelMs, () => asking.destroy(new Error(`no answer within ${tunnelMs / 1000} s`)));
    asking.on("error", (error) => reject(networkError(target, error, proxy)));
    asking.end();
  });
}

/** What a proxy says for itself. */
export function proxyRefusal(proxy: ProxyServer, target: URL, status: number): ProviderError {
  if (status === 407)
    return new ProviderError(
      "unreachable",
      `${named(proxy)} ${proxy.authorization === undefined ? "wants a name and a password" : "does not take this name and password"} (HTTP 407). Set ${proxy.from} to ${proxy.url.protocol}//NAME:PASSWORD@${proxy.url.host}`,
      { status },
    );
  const isPassing = status === 408 || status === 429 || status >= 500;
  return new ProviderError(
    isPassing ? "network" : "unreachable",
    `${named(proxy)} did not connect to ${target.host} (HTTP ${status}). If ${target.hostname} can be reached without it, name it in NO_PROXY`,
    { status },
  );
}

function libraryFor({ url }: ProxyServer): Promise<typeof import("node:http") | typeof import("node:https")> {
  return url.protocol === "https:" ? import("node:https") : import("node:http");
}

function addressOf({ url }: ProxyServer): Pick<RequestOptions, "host" | "port"> {
  return { host: url.hostname.replace(/^\[(.*)\]$/, "$1"), port: url.port || (url.protocol === "https:" ? 443 : 80) };
}

function urlHost(host: string): string {
  return host.includes(":") ? `[${host}]` : host;
}

function authorization({ authorization: value }: ProxyServer): Record<string, string> {
  return value === undefined ? {} : { "proxy-authorization": value };
}
