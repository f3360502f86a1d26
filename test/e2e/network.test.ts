import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createServer, request as forward } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import type { AddressInfo, Server } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import { call, eventsOf, fault, text } from "../../src/testing/index.ts";
import { it, type World } from "../support/world.ts";

async function listening(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", () => resolve()));
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Passes requests on and remembers them. */
async function startProxy(): Promise<{ readonly url: string; readonly seen: string[] }> {
  const seen: string[] = [];
  const server = createServer((incoming, outgoing) => {
    seen.push(incoming.url ?? "");
    const { method, headers } = incoming;
    incoming.pipe(
      forward(incoming.url ?? "", { method, headers }, (response) => {
        outgoing.writeHead(response.statusCode ?? 0, response.headers);
        response.pipe(outgoing);
      }),
    );
  });
  return { url: `http://bob:geheim@127.0.0.1:${await listening(server)}`, seen };
}

describe("a proxy", () => {
  it("from the environment is used; one from a project's file never is, unless the key stands beside it", async ({
    world,
  }) => {
    const model = await world.model([text("one"), text("two"), text("three")]);
    const proxy = await startProxy();
    const given = await world.run(["-p", "go"], { model, env: { HTTP_PROXY: proxy.url } });
    expect(given).toMatchObject({ code: 0, stdout: "one\n" });
    expect(proxy.seen).toEqual([`${model.url}/chat/completions`]);
    world.write(".env", `HTTP_PROXY=${proxy.url}\n`);
    const ignored = await world.run(["-p", "go"], { model });
    expect(ignored).toMatchObject({ code: 0, stdout: "two\n" });
    expect(ignored.stderr).toMatch(/Ignored httpProxy from .*\.env/);
    expect(ignored.stderr).not.toContain("geheim");
    expect(proxy.seen).toHaveLength(1);
    world.write(".env", `HTTP_PROXY=${proxy.url}\nOPENAI_API_KEY=k\nOPENAI_BASE_URL=${model.url}\n`);
    expect(await world.run(["-p", "go"])).toMatchObject({ code: 0, stdout: "three\n" });
    expect(proxy.seen).toHaveLength(2);
  });

  it("that is none is a mistake of who set it", async ({ world }) => {
    const result = await world.run(["-p", "go"], {
      env: { OPENAI_API_KEY: "k", ALL_PROXY: "socks5://bob:geheim@127.0.0.1:9" },
    });
    expect(result.code).toBe(52);
    expect(result.stderr).toMatch(/^ALL_PROXY holds a socks5 address/m);
    expect(result.stderr).not.toContain("geheim");
  });
});

function makeCertificate({ folder }: World): { key: string; cert: string; path: string } {
  const [key, path] = [join(folder, "key.pem"), join(folder, "cert.pem")];
  const names = ["-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost"];
  const kind = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"];
  execFileSync("openssl", ["req", "-x509", ...kind, "-keyout", key, "-out", path, ...names], { stdio: "ignore" });
  return { key: readFileSync(key, "utf8"), cert: readFileSync(path, "utf8"), path };
}

describe("a server with a certificate of its own making", () => {
  it("is refused once, in one line with the way out, and trusted with NODE_EXTRA_CA_CERTS", async ({ world }) => {
    const { path, ...identity } = makeCertificate(world);
    let connections = 0;
    const server = createHttpsServer(identity, (request, response) => {
      request.resume();
      response.end(eventsOf("openai-chat", text("trusted")).join(""));
    }).on("connection", () => connections++);
    const env = { OPENAI_API_KEY: "k", OPENAI_BASE_URL: `https://localhost:${await listening(server)}/v1` };
    const refused = await world.run(["-p", "go"], { env });
    expect(refused.code).toBe(1);
    expect(refused.stderr.trim().split("\n")).toHaveLength(1);
    expect(refused.stderr).toMatch(/certificate is not trusted.*NODE_EXTRA_CA_CERTS/);
    expect(connections).toBe(1);
    const trusted = await world.run(["-p", "go"], { env: { ...env, NODE_EXTRA_CA_CERTS: path } });
    expect(trusted).toMatchObject({ code: 0, stdout: "trusted\n" });
  });
});

describe("the traffic of a run", () => {
  it("is recorded and played back without network or key, elsewhere as well, retries and sub-agents included", async ({
    world,
  }) => {
    const model = await world.model([
      fault(503, { error: { message: "busy" } }),
      call("agent", { task: "look at it" }),
      call("bash", { command: "echo found" }),
      text("the report"),
      text("all done"),
    ]);
    const recorded = await world.run(["-p", "go", "--record", "tape"], { model });
    expect(recorded).toMatchObject({ code: 0, stdout: "all done\n" });
    const files = ["0001.json", "0002.json", "0003.json", "0004.json", "0005.json"];
    for (const name of files) {
      const path = join(world.cwd, "tape", name);
      expect(statSync(path).mode & 0o777).toBe(0o600);
      expect(readFileSync(path, "utf8")).not.toContain(world.key);
    }
    const again = await world.run(["-p", "go", "--replay", join(world.cwd, "tape")], { cwd: world.home });
    expect(again).toMatchObject({ code: 0, stdout: "all done\n" });
    expect(model.requests).toHaveLength(5);
    const other = await world.run(["-p", "something else", "--replay", "tape"]);
    expect(other.code).toBe(1);
    expect(other.stderr).toMatch(/not the one recorded.*0001\.json.*recorded "go", now "something else"/s);
  });

  it("needs a folder that holds a recording, or one that holds none", async ({ world }) => {
    const none = await world.run(["-p", "go", "--replay", "nowhere"]);
    expect(none).toMatchObject({ code: 42, stderr: expect.stringMatching(/nowhere.*holds no recording/) });
    world.write("tape/0001.json", "{}");
    const taken = await world.run(["-p", "go", "--record", "tape"], { env: { OPENAI_API_KEY: "k" } });
    expect(taken).toMatchObject({ code: 42, stderr: expect.stringMatching(/holds a recording already/) });
  });
});
