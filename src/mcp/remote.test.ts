import { type ChildProcess, spawn } from "node:child_process";
import { readdirSync, statSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { repoRoot } from "../../test/support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { McpServer } from "../contracts/mcp-server.ts";
import { createServers, type ServersOptions, tokensFor } from "./create-servers.ts";
import { logIn } from "./login.ts";

const folder = makeTempFolder();
const children: ChildProcess[] = [];
const listening: Server[] = [];
afterAll(() => {
  for (const child of children) child.kill("SIGKILL");
  for (const server of listening) server.close().closeAllConnections();
  removeTempFolder(folder);
});

const surroundings = { stateFolder: join(folder, "state"), environment: {}, ownEnvironment: { WHERE: "mcp" } };
const { signal } = new AbortController();

function connect(definition: McpServer, more: Partial<ServersOptions> = {}) {
  const [server] = createServers({
    servers: [definition],
    cwd: folder,
    version: "0",
    startTimeoutMs: 5_000,
    callTimeoutMs: 5_000,
    onListing: () => {},
    ...surroundings,
    ...more,
  });
  if (server === undefined) throw new Error("no server");
  return server;
}

function remote(type: "http" | "sse", url: string): McpServer {
  return { name: "far", file: "", owner: "person", connection: { type, url, headers: { "x-test": "${WHERE}" } } };
}

/** The public server of examples, on a port of its own. */
async function startEverything(transport: "streamableHttp" | "sse", same?: number): Promise<string> {
  const free = createServer().listen(0, "127.0.0.1");
  await new Promise((resolve) => free.once("listening", resolve));
  const port = same ?? (free.address() as AddressInfo).port;
  await new Promise((resolve) => free.close(resolve));
  const script = join(repoRoot, "node_modules/@modelcontextprotocol/server-everything/dist/index.js");
  const child = spawn(process.execPath, [script, transport], {
    env: { PORT: String(port) },
    stdio: ["ignore", "ignore", "pipe"],
  });
  children.push(child);
  await new Promise<void>((resolve) =>
    child.stderr?.on("data", (text) => /port|running|listening/i.test(String(text)) && resolve()),
  );
  return `http://127.0.0.1:${port}/${transport === "sse" ? "sse" : "${WHERE}"}`;
}

describe.concurrent("a server on the network", () => {
  it.each([
    ["http", "streamableHttp"],
    ["sse", "sse"],
  ] as const)("is reached by %s, its tools listed and called, and what ends is said", async (type, transport) => {
    const url = await startEverything(transport);
    const server = connect(remote(type, url));
    const answer = await server.request("tools/call", { name: "echo", arguments: { message: "hi" } }, { signal });
    expect(answer).toMatchObject({ content: [{ type: "text", text: "Echo: hi" }] });
    expect(server.listing()?.tools.length).toBeGreaterThan(5);
    if (type === "http") {
      const port = Number(new URL(url).port);
      children.find(({ spawnargs }) => spawnargs.includes(transport))?.kill("SIGKILL");
      const call = () => server.request("tools/call", { name: "echo", arguments: { message: "again" } }, { signal });
      await expect(call()).rejects.toThrow("the next call starts the server again");
      await startEverything(transport, port);
      expect(await call()).toMatchObject({ content: [{ text: "Echo: again" }] });
      children.findLast(({ spawnargs }) => spawnargs.includes(transport))?.kill("SIGKILL");
      await startEverything(transport, port);
      expect(await call()).toMatchObject({ content: [{ text: "Echo: again" }] });
    }
    await server.close();
    const nobody = connect(remote(type, "http://127.0.0.1:9/mcp"));
    await expect(nobody.start()).rejects.toThrow();
    expect(nobody.problem()).toMatch(/ECONNREFUSED|bad port|fetch failed/);
  });
});

describe("a server on the network that takes the connection and never answers", () => {
  it.each(["http", "sse"] as const)("fails in its time by %s, and holds up nobody who leaves before", async (type) => {
    const silent = createServer(() => {});
    listening.push(silent);
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const definition = remote(type, `http://127.0.0.1:${(silent.address() as AddressInfo).port}/mcp`);
    const left = connect(definition);
    const leaving = expect(left.start()).rejects.toThrow("interrupted");
    await left.close();
    await leaving;
    const waited = connect(definition, { startTimeoutMs: 100 });
    await expect(waited.start()).rejects.toThrow("it did not answer within 0.1 s");
  });
});

/** An authorisation server and a server of tools behind it, in one. */
async function startProtected(): Promise<{ url: string; registered: () => number }> {
  let registrations = 0;
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", url);
    let body = "";
    for await (const piece of request) body += piece;
    const json = (value: unknown, status = 200, headers = {}) =>
      response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));
    const grant = { access_token: "token-1", token_type: "Bearer", expires_in: 3600, refresh_token: "r" };
    if (pathname.startsWith("/.well-known/oauth-protected-resource"))
      return json({ resource: `${url}/mcp`, authorization_servers: [url] });
    if (pathname.startsWith("/.well-known/oauth-authorization-server"))
      return json({
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        registration_endpoint: `${url}/register`,
        response_types_supported: ["code"],
        code_challenge_methods_supported: ["S256"],
        grant_types_supported: ["authorization_code", "refresh_token"],
        token_endpoint_auth_methods_supported: ["none"],
      });
    if (pathname === "/register") return json({ ...JSON.parse(body), client_id: `client-${++registrations}` }, 201);
    if (pathname === "/authorize") {
      const back = new URL(searchParams.get("redirect_uri") ?? "");
      back.search = String(new URLSearchParams({ code: "code-1", state: searchParams.get("state") ?? "" }));
      return response.writeHead(302, { location: back.href }).end();
    }
    if (pathname === "/token") {
      const isRight = new URLSearchParams(body).get("code") === "code-1" && body.includes("code_verifier=");
      return json(isRight ? grant : { error: "invalid_grant" }, isRight ? 200 : 400);
    }
    if (request.headers.authorization !== "Bearer token-1")
      return json({}, 401, {
        "www-authenticate": `Bearer resource_metadata="${url}/.well-known/oauth-protected-resource"`,
      });
    if (request.method !== "POST") return response.writeHead(405).end();
    const { id, method, params } = JSON.parse(body);
    if (id === undefined) return response.writeHead(202).end();
    const results: Record<string, unknown> = {
      initialize: {
        protocolVersion: params?.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: "p", version: "1" },
      },
      "tools/list": { tools: [{ name: "secret", inputSchema: { type: "object" } }] },
      "tools/call": { content: [{ type: "text", text: "behind the login" }] },
    };
    return json({ jsonrpc: "2.0", id, result: results[method] ?? {} });
  });
  listening.push(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return { url: `${url}/mcp`, registered: () => registrations };
}

describe("a server behind a login", () => {
  it("says how to log in; after a login in the browser it works, with tokens nobody else can read, until the logout", async () => {
    const { url, registered } = await startProtected();
    const definition = remote("http", url);
    const before = connect(definition);
    await expect(before.start()).rejects.toThrow("it wants a login: corecoder mcp login far");
    expect(registered()).toBe(0);
    const store = tokensFor(definition, surroundings);
    const connection = definition.connection as Extract<McpServer["connection"], { url: string }>;
    const logInWith = (show: (address: URL) => Promise<void>) =>
      logIn({ connection, store, version: "0", timeoutMs: 5_000, show });
    const outcome = await logInWith(async (address) => {
      const forged = new URL(address.searchParams.get("redirect_uri") ?? "");
      forged.search = "?code=evil&state=guessed";
      expect((await fetch(forged)).status).toBe(404);
      expect(await (await fetch(address)).text()).toContain("You can close this page");
    });
    expect(outcome).toBe("done");
    const after = connect(definition);
    const answer = await after.request("tools/call", { name: "secret", arguments: {} }, { signal });
    expect(answer).toMatchObject({ content: [{ text: "behind the login" }] });
    const [kept = ""] = readdirSync(join(folder, "state/mcp")).filter((name) => name.startsWith("login-far-"));
    expect(statSync(join(folder, "state/mcp", kept)).mode & 0o777).toBe(0o600);
    expect([store.forget(), store.forget()]).toEqual([true, false]);
    await expect(connect(definition).start()).rejects.toThrow("corecoder mcp login far");
    const refused = logInWith(async (address) => {
      const back = new URL(address.searchParams.get("redirect_uri") ?? "");
      back.search = String(
        new URLSearchParams({ error: "access_denied", state: address.searchParams.get("state") ?? "" }),
      );
      await fetch(back);
    });
    await expect(refused).rejects.toThrow("the login was refused: access_denied");
  });
});
