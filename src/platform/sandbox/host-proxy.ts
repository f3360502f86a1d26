import { lookup } from "node:dns/promises";
import { rmSync } from "node:fs";
import { connect, createServer, isIP, type Socket } from "node:net";
import { join } from "node:path";
import { randomName } from "../random-name.ts";

/** Undefined: it may be reached. Otherwise why not. */
export type MayReach = (host: string, port: number) => Promise<string | undefined>;

/** A proxy for HTTP and CONNECT on a socket file in `folder`, which a command without a network sees as its /tmp. */
export type HostProxy = {
  /** Shell code for bash that makes it reachable inside; what was started for it ends with the sandbox. */
  readonly prelude: string;
  close(): void;
};

/** Inside the command's own network there is nobody else to take it. */
const innerPort = 8118;
const headLimit = 16_384;
const headMs = 10_000;

export async function startHostProxy(folder: string, mayReach: MayReach): Promise<HostProxy> {
  const name = `.network-${randomName(8)}`;
  const path = join(folder, name);
  const open = new Set<Socket>();
  const server = createServer({ allowHalfOpen: true }, (client) => {
    open.add(client);
    client.once("close", () => open.delete(client));
    client.on("error", () => client.destroy());
    void serve(client, mayReach).catch(() => client.destroy());
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(path, resolve);
  });
  server.unref();
  return {
    prelude: carrierPrelude(`/tmp/${name}`),
    close() {
      server.close();
      for (const client of open) client.destroy();
      rmSync(path, { force: true });
    },
  };
}

async function serve(client: Socket, mayReach: MayReach): Promise<void> {
  const { head, rest } = await readHead(client);
  const target = targetOf(head);
  if (target === undefined) return answer(client, "400 Bad Request", "only http and CONNECT are spoken here");
  const { host, port } = target;
  const refusal = (await mayReach(host, port)) ?? (await leadsInside(host));
  if (refusal !== undefined) {
    return answer(client, "403 Forbidden", `${host}:${port} is not to be reached from the sandbox: ${refusal}`);
  }
  const server = connect({ host, port, allowHalfOpen: true });
  server.once("connect", () => {
    if (target.forwarded === undefined) client.write("HTTP/1.1 200 Connection established\r\n\r\n");
    else server.write(target.forwarded);
    if (rest.length > 0) server.write(rest);
    client.pipe(server).pipe(client);
    client.resume();
  });
  server.once("error", (error) => {
    if (server.connecting || server.bytesRead === 0) answer(client, "502 Bad Gateway", error.message);
    else client.destroy();
  });
  client.once("close", () => server.destroy());
  server.once("close", () => client.end());
}

type Head = { readonly head: string; readonly rest: Buffer };

function readHead(client: Socket): Promise<Head> {
  return new Promise((resolve, reject) => {
    let bytes = Buffer.alloc(0);
    client.setTimeout(headMs, () => reject(new Error("nothing was asked for")));
    client.once("close", () => reject(new Error("closed")));
    client.on("data", function take(chunk: Buffer) {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\r\n\r\n");
      if (end < 0 && bytes.length <= headLimit) return;
      client.off("data", take);
      client.pause();
      client.setTimeout(0);
      if (end < 0) return reject(new Error("too long"));
      resolve({ head: bytes.toString("latin1", 0, end + 4), rest: bytes.subarray(end + 4) });
    });
  });
}

type Target = { readonly host: string; readonly port: number; readonly forwarded?: string };

function targetOf(head: string): Target | undefined {
  const [first = ""] = head.split("\r\n", 1);
  const tunnel = /^CONNECT ([^\s:/@]+):(\d{1,5}) HTTP\/1\.[01]$/.exec(first);
  if (tunnel) return { host: tunnel[1] ?? "", port: Number(tunnel[2]) };
  const plain = /^([A-Z]+) http:\/\/([^\s:/@?#]+)(?::(\d{1,5}))?(\/\S*)? (HTTP\/1\.[01])$/.exec(first);
  if (!plain) return undefined;
  const [, method, host = "", port = "80", path = "/", version] = plain;
  // One request a connection: the next one may be for another host.
  const headers = head.slice(first.length + 2).replace(/^(proxy-[\w-]+|connection|keep-alive):.*\r\n/gim, "");
  const forwarded = `${method} ${path} ${version}\r\nConnection: close\r\n${headers}`;
  return { host, port: Number(port), forwarded };
}

/** A public name may be made to lead to this machine or to a cloud's metadata. */
async function leadsInside(host: string): Promise<string | undefined> {
  if (isIP(host) !== 0 || host === "localhost") return undefined;
  const found = await lookup(host, { all: true }).catch(() => []);
  const inner = found.find(({ address }) =>
    /^(127\.|0\.|169\.254\.|::1$|fe80:|::ffff:(127|169\.254)\.)/i.test(address),
  );
  return inner && `it leads to ${inner.address}, which only a rule for that address itself allows`;
}

function answer(client: Socket, status: string, text: string): void {
  client.end(`HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\nConnection: close\r\n\r\n${text}\n`);
}

/** Carries what goes to a port of the command's own network to the socket file. Node is there, socat may not be. */
const carrier = `const n=require("net");n.createServer({allowHalfOpen:true},c=>{const s=n.connect({path:process.argv[1],allowHalfOpen:true});c.pipe(s);s.pipe(c);c.on("error",()=>s.destroy());s.on("error",()=>c.destroy())}).listen(${innerPort},"127.0.0.1",()=>require("fs").writeSync(1,"ready\\n"))`;

const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;

/** Starts the carrier apart from the shell's jobs and waits until it listens. */
function carrierPrelude(socket: string): string {
  const start = [process.execPath, "-e", carrier, socket].map(quoted).join(" ");
  return `read -r _ < <( (NODE_OPTIONS= exec ${start} </dev/null 2>/dev/null &) ); unset _; `;
}

const proxyUrl = `http://127.0.0.1:${innerPort}`;

export const proxyVariables: Readonly<Record<string, string>> = {
  ...Object.fromEntries(
    ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "http_proxy", "https_proxy", "all_proxy"].map((name) => [
      name,
      proxyUrl,
    ]),
  ),
  NO_PROXY: "localhost,127.0.0.1",
  no_proxy: "localhost,127.0.0.1",
  NODE_USE_ENV_PROXY: "1",
};
