import { BlockList, isIP, isIPv6 } from "node:net";
import type { GivenProxy, ProxyServer, ProxySettings } from "./proxy.ts";

/** The proxy for this address, if it goes through one. The addresses in `settings` are known to be good. */
export function chooseProxy({ http, https, exceptions = "" }: ProxySettings, target: URL): ProxyServer | undefined {
  const given = target.protocol === "https:" ? https : http;
  if (given === undefined || isException(exceptions, target)) return undefined;
  const proxy = readProxy(given);
  // another machine would look for our loopback address on itself
  return proxy && isLoopback(target.hostname) && !isLoopback(proxy.url.hostname) ? undefined : proxy;
}

/** What is wrong with a proxy's address, if anything. */
export function problemWithProxy(address: string): string | undefined {
  const url = parse(address);
  if (url?.protocol === "http:" || url?.protocol === "https:") return undefined;
  const kind = url === undefined ? "what is no address" : `a ${url.protocol.replace(":", "")} address`;
  return `holds ${kind}; a proxy looks like http://host:8080 (http or https). Mend it, or name the hosts that need no proxy in NO_PROXY.`;
}

function readProxy({ address, from }: GivenProxy): ProxyServer | undefined {
  const url = parse(address);
  if (url === undefined) return undefined;
  const { username, password } = url;
  const credentials = username === "" && password === "" ? undefined : `${decoded(username)}:${decoded(password)}`;
  return {
    url,
    name: `${url.protocol}//${url.host}`,
    from,
    ...(credentials === undefined ? {} : { authorization: `Basic ${Buffer.from(credentials).toString("base64")}` }),
  };
}

/** `proxy:8080` is meant as http. */
function parse(address: string): URL | undefined {
  const full = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? address : `http://${address}`;
  return URL.canParse(full) ? new URL(full) : undefined;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function isException(list: string, target: URL): boolean {
  const host = bare(target.hostname);
  const port = target.port || (target.protocol === "https:" ? "443" : "80");
  return list
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => entry !== "" && covers(entry, host, port));
}

/** A host, a domain with all below it, an address, a range of addresses, or everything; perhaps at one port only. */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === "*") return true;
  if (entry.includes("/")) return isInRange(entry, host);
  const [, name = entry, onlyPort] = isIPv6(entry) ? [] : (/^(.*?)(?::(\d+))?$/.exec(entry) ?? []);
  if (onlyPort !== undefined && onlyPort !== port) return false;
  const domain = bare(name).replace(/^\*?\./, "");
  return domain !== "" && (host === domain || (isIP(host) === 0 && host.endsWith(`.${domain}`)));
}

function isInRange(entry: string, host: string): boolean {
  const [start = "", bits] = entry.split("/");
  const kind = isIPv6(start) ? "ipv6" : "ipv4";
  if (isIP(host) !== (kind === "ipv6" ? 6 : 4)) return false;
  const range = new BlockList();
  try {
    range.addSubnet(start, Number(bits), kind);
  } catch {
    return false;
  }
  return range.check(host, kind);
}

function isLoopback(hostname: string): boolean {
  const host = bare(hostname);
  return host === "localhost" || host.endsWith(".localhost") || host === "::1" || /^127\.\d+\.\d+\.\d+$/.test(host);
}

/** Without the brackets of IPv6 and the dot at the end of a full name. */
function bare(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1").replace(/\.$/, "");
}
