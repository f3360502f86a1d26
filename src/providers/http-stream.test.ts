import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { createServer, type IncomingMessage, type Server } from "node:http";
import { createServer as createPlainHttp2, createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer as createNetServer, connect as dial } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer, connect as dialTls } from "node:tls";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { ProviderError } from "../contracts/errors.ts";
import { createPost, type Post, post } from "./http-stream.ts";
import { readText } from "./read-response.ts";

const folder = makeTempFolder();
const closing: { close(): unknown }[] = [];
let identity: { key: string; cert: string };

beforeAll(() => {
  const [key, cert] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,DNS:model.test,IP:127.0.0.1"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", cert, ...names], { stdio: "ignore" });
  identity = { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") };
});
afterAll(() => {
  for (const server of closing) server.close();
  removeTempFolder(folder);
});

async function listening(server: Server | ReturnType<typeof createSecureServer>): Promise<number> {
  closing.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  return (server.address() as AddressInfo).port;
}

/** Certificates made here are trusted while this runs. */
async function trusting<T>(work: () => Promise<T>): Promise<T> {
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = "0";
  try {
    return await work();
  } finally {
    delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
  }
}

async function say(text: string, to: string, how: Post = post): Promise<string> {
  const options = { url: new URL(to), headers: { "x-api-key": "k" }, body: [Buffer.from(text)] };
  const response = await how({ ...options, signal: new AbortController().signal });
  return `${response.head.statusCode} ${await readText(response, 10_000)}`;
}

async function complaint(asked: Promise<unknown>): Promise<ProviderError> {
  const error = await asked.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ProviderError) return error;
  throw new Error(`no ProviderError: ${String(error)}`);
}

async function echo(request: IncomingMessage | import("node:http2").Http2ServerRequest): Promise<string> {
  let text = "";
  for await (const piece of request) text += String(piece);
  return `${request.httpVersion} ${request.url} ${text}`;
}

/** A proxy that keeps what it was asked for; whatever name it is asked for, the server is on this machine. */
async function startProxy({ secure = false, refuse = 0, login = "" } = {}) {
  const seen: string[] = [];
  const server = secure ? createHttpsServer(identity) : createServer();
  const objection = (request: IncomingMessage) => {
    seen.push(`${request.method} ${request.url} ${request.headers.host}`);
    if (refuse > 0) return refuse;
    return login !== "" && request.headers["proxy-authorization"] !== `Basic ${btoa(login)}` ? 407 : 0;
  };
  server.on("connect", (request, socket) => {
    const status = objection(request);
    if (status > 0) return socket.end(`HTTP/1.1 ${status} No\r\ncontent-length: 0\r\n\r\n`);
    const way = dial(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
      socket.write("HTTP/1.1 200 Connection established\r\n\r\n");
      way.pipe(socket).pipe(way);
    });
    for (const end of [way, socket]) end.on("error", () => [way, socket].map((other) => other.destroy()));
  });
  server.on("request", async (request, response) => {
    const status = objection(request);
    response.writeHead(status || 200).end(status ? "" : `handed over: ${await echo(request)}`);
  });
  const port = await listening(server);
  const address = `${secure ? "https" : "http"}://${login ? `${login}@` : ""}127.0.0.1:${port}`;
  const given = { address, from: "HTTPS_PROXY" };
  return { seen, port, via: createPost({ https: given, http: given }) };
}

const startHttps = () =>
  listening(createHttpsServer(identity, async (request, response) => response.end(await echo(request))));

describe("a request through a proxy", () => {
  it.each([{ secure: false }, { secure: true }])("reaches an https server in a tunnel (%j)", async (kind) => {
    const port = await startHttps();
    const proxy = await startProxy({ ...kind, login: "bob:secret" });
    const url = `https://model.test:${port}/v1`;
    expect(await trusting(() => say("one", url, proxy.via))).toBe("200 1.1 /v1 one");
    expect(await trusting(() => say("two", url, proxy.via))).toBe("200 1.1 /v1 two");
    // the second goes through the tunnel that is there
    expect(proxy.seen).toEqual([`CONNECT model.test:${port} model.test:${port}`]);
  });

  it("to an http server is handed over whole", async () => {
    const proxy = await startProxy();
    expect(await say("hi", "http://model.test/v1/x?y=1", proxy.via)).toBe(
      "200 handed over: 1.1 http://model.test/v1/x?y=1 hi",
    );
    expect(proxy.seen).toEqual(["POST http://model.test/v1/x?y=1 model.test"]);
  });

  it.each(["https://model.test/v1", "http://model.test/v1"])(
    "without the right name and password is told so at once, without the password (%s)",
    async (url) => {
      const { port } = await startProxy({ login: "bob:right" });
      const given = { address: `http://bob:wrong-one@127.0.0.1:${port}`, from: "HTTPS_PROXY" };
      const { code, message } = await complaint(say("hi", url, createPost({ https: given, http: given })));
      expect(code).toBe("unreachable");
      expect(message).toContain(`http://127.0.0.1:${port} (HTTPS_PROXY)`);
      expect(message).toContain("NAME:PASSWORD@");
      expect(message).not.toContain("wrong-one");
    },
  );

  it("that says no is final, one that cannot reach the server may be asked again", async () => {
    const refused = await complaint(say("hi", "https://model.test/v1", (await startProxy({ refuse: 403 })).via));
    expect(refused).toMatchObject({
      code: "unreachable",
      message: expect.stringMatching(/proxy.*model\.test.*403.*NO_PROXY/),
    });
    const passing = await complaint(say("hi", "https://model.test/v1", (await startProxy({ refuse: 502 })).via));
    expect(passing.code).toBe("network");
    const given = { address: "http://127.0.0.1:9", from: "https_proxy" };
    const gone = await complaint(say("hi", "https://model.test/v1", createPost({ https: given })));
    expect(gone).toMatchObject({
      code: "network",
      message: expect.stringMatching(/proxy http:\/\/127\.0\.0\.1:9 \(https_proxy\).*refused.*NO_PROXY/),
    });
  });

  it("ends at once when it is interrupted while the proxy is silent", async () => {
    const silent = createServer().on("connect", () => stop.abort());
    const given = { address: `http://127.0.0.1:${await listening(silent)}`, from: "HTTPS_PROXY" };
    const stop = new AbortController();
    const asked = createPost({ https: given })({
      url: new URL("https://model.test"),
      headers: {},
      body: [],
      signal: stop.signal,
    });
    expect((await complaint(asked)).code).toBe("aborted");
  });
});

it("a header that cannot be sent is named, without its value", async () => {
  const options = { url: new URL("http://127.0.0.1:9"), body: [], signal: new AbortController().signal };
  const error = await complaint(post({ ...options, headers: { authorization: "Bearer sk-1\nx" } }));
  expect(error).toMatchObject({ code: "auth", message: expect.stringMatching(/authorization.*line break/) });
  expect(error.message).not.toContain("sk-1");
});

describe("a server", () => {
  it("that closes a connection it promised to keep is told apart from one that is not there", async () => {
    let asked = 0;
    const connections = new Set<object>();
    const server = createServer((request, response) => {
      connections.add(request.socket);
      if (++asked === 2) request.socket.resetAndDestroy();
      else response.end("hello");
    });
    const url = `http://127.0.0.1:${await listening(server)}/`;
    expect(await say("one", url)).toBe("200 hello");
    expect(await complaint(say("two", url))).toMatchObject({ code: "stale" });
    expect(await say("three", url)).toBe("200 hello");
    expect([asked, connections.size]).toEqual([3, 2]);
  });

  it("whose certificate nobody vouches for is refused for good, with the way out", async () => {
    const error = await complaint(say("hi", `https://localhost:${await startHttps()}/v1`));
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
  });

  it("that speaks plain HTTP at an https address is named as such", async () => {
    const port = await listening(createServer());
    const error = await complaint(say("hi", `https://127.0.0.1:${port}/v1`));
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining("http://") });
  });

  it("that speaks HTTP/2 only is spoken to in HTTP/2, also through a proxy, and from the first byte the next time", async () => {
    const server = createSecureServer({ ...identity, allowHTTP1: false });
    let connections = 0;
    server.on("connection", () => connections++);
    server.on("request", async (request, response) => response.end(await echo(request)));
    const port = await listening(server);
    expect(await trusting(() => say("one", `https://localhost:${port}/v1?a=b`))).toBe("200 2.0 /v1?a=b one");
    expect(await trusting(() => say("two", `https://localhost:${port}/v1`))).toBe("200 2.0 /v1 two");
    // one to find out
    expect(connections).toBe(2);
    const proxy = await startProxy();
    expect(await trusting(() => say("three", `https://model.test:${port}/v1`, proxy.via))).toBe("200 2.0 /v1 three");
    expect(proxy.seen.every((line) => line.startsWith("CONNECT model.test"))).toBe(true);
  });

  it("that speaks HTTP/2 only and has a certificate nobody vouches for is refused for good, with the way out", async () => {
    const port = await listening(createSecureServer({ ...identity, allowHTTP1: false }));
    const error = await complaint(say("hi", `https://localhost:${port}/v1`));
    expect(error).toMatchObject({ code: "unreachable", message: expect.stringContaining("NODE_EXTRA_CA_CERTS") });
  });

  it("that falls silent when it is spoken to in HTTP/2 does not hold up who gives up", async () => {
    const giveUp = new AbortController();
    let connections = 0;
    const server = createNetServer((socket) => {
      socket.on("error", () => {});
      if (++connections === 1) socket.once("data", () => socket.resetAndDestroy());
      else socket.once("data", () => giveUp.abort());
    });
    const url = new URL(`https://localhost:${await listening(server as Server)}/v1`);
    const error = await complaint(post({ url, headers: {}, body: [], signal: giveUp.signal }));
    expect([error.code, connections]).toEqual(["aborted", 2]);
  });

  it("without encryption that speaks HTTP/2 only is spoken to in HTTP/2", async () => {
    const server = createPlainHttp2(async (request, response) => response.end(await echo(request)));
    const port = await listening(server as unknown as Server);
    expect(await say("hi", `http://127.0.0.1:${port}/v1`)).toBe("200 2.0 /v1 hi");
  });

  it.each([
    ["answers 426", "HTTP/1.1 426 Upgrade Required\r\nupgrade: h2\r\ncontent-length: 0\r\n\r\n"],
    ["closes the connection", ""],
  ])("that %s to HTTP/1.1 and speaks HTTP/2 as well is spoken to in HTTP/2", async (_how, reply) => {
    const newer = createSecureServer(identity, async (request, response) => response.end(await echo(request)));
    const inner = await listening(newer);
    const server = createTlsServer({ ...identity, ALPNProtocols: ["h2", "http/1.1"] }, (socket) => {
      socket.on("error", () => {});
      if (socket.alpnProtocol !== "h2") return socket.once("data", () => socket.end(reply));
      const way = dialTls({ port: inner, host: "127.0.0.1", ALPNProtocols: ["h2"], rejectUnauthorized: false });
      way.on("error", () => socket.destroy());
      way.pipe(socket).pipe(way);
    });
    const port = await listening(server as unknown as Server);
    expect(await trusting(() => say("hi", `https://localhost:${port}/v1`))).toBe("200 2.0 /v1 hi");
  });

  it("that answers 426 and speaks nothing newer is quoted", async () => {
    const server = createServer((_request, response) => response.writeHead(426).end("use something else"));
    expect(await say("hi", `http://127.0.0.1:${await listening(server)}/v1`)).toBe("426 use something else");
  });

  it("that breaks an HTTP/2 answer off has not completed it", async () => {
    const server = createSecureServer({ ...identity, allowHTTP1: false });
    server.on("stream", (stream) => {
      stream.on("error", () => {});
      stream.respond({ ":status": 200 });
      stream.write("half", () => setImmediate(() => stream.session?.destroy()));
    });
    const url = new URL(`https://localhost:${await listening(server)}/v1`);
    const response = await trusting(() => post({ url, headers: {}, body: [], signal: new AbortController().signal }));
    expect(await readText(response, 100)).toBe("half");
    expect(response.head.complete).toBe(false);
  });
});
