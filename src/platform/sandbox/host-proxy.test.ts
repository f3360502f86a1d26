import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { type HostProxy, startHostProxy } from "./host-proxy.ts";

const folder = mkdtempSync(join(tmpdir(), "host-proxy-"));
const asked: string[] = [];
let server: Server;
let proxy: HostProxy;
let port = 0;

beforeAll(async () => {
  server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (data) => socket.end(`HTTP/1.1 200 OK\r\n\r\ngot ${String(data)}`));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  port = (server.address() as AddressInfo).port;
  proxy = await startHostProxy(folder, async (host, at) => {
    asked.push(`${host}:${at}`);
    return host === "127.0.0.1" ? undefined : "no rule allows it";
  });
});
afterAll(() => {
  proxy.close();
  server.close();
  expect(readdirSync(folder)).toEqual([]);
  rmSync(folder, { recursive: true, force: true });
});

function say(...parts: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(join(folder, readdirSync(folder)[0] ?? ""));
    let answer = "";
    socket.on("data", (data) => {
      answer += data;
      if (answer.startsWith("HTTP/1.1 200 Connection established") && parts[1] && !socket.writableEnded)
        socket.end(parts[1]);
    });
    socket.on("error", reject);
    socket.on("close", () => resolve(answer));
    socket.write(parts[0] ?? "");
  });
}

describe("a proxy for chosen hosts", () => {
  test("passes a request on, without what is between it and the proxy, one a connection", async () => {
    const head = `GET http://127.0.0.1:${port}/x?y HTTP/1.1\r\nHost: z\r\nProxy-Authorization: secret\r\nConnection: keep-alive\r\n\r\n`;
    expect(await say(head)).toBe(
      "HTTP/1.1 200 OK\r\n\r\ngot GET /x?y HTTP/1.1\r\nConnection: close\r\nHost: z\r\n\r\n",
    );
  });

  test("opens tunnels", async () => {
    expect(await say(`CONNECT 127.0.0.1:${port} HTTP/1.1\r\n\r\n`, "hello")).toContain("got hello");
  });

  test("refuses other hosts with the reason", async () => {
    expect(await say("CONNECT other.example.org:443 HTTP/1.1\r\n\r\n")).toMatch(
      /^HTTP\/1\.1 403 [\s\S]*no rule allows it/,
    );
    expect(asked.at(-1)).toBe("other.example.org:443");
  });

  test.each([
    "GET / HTTP/1.1\r\n\r\n",
    "CONNECT user@127.0.0.1:80 HTTP/1.1\r\n\r\n",
    "GET http://user@127.0.0.1/ HTTP/1.1\r\n\r\n",
    "GET ftp://127.0.0.1/ HTTP/1.1\r\n\r\n",
    "nonsense\r\n\r\n",
  ])("does not guess what %j means", async (head) => {
    const before = asked.length;
    expect(await say(head)).toMatch(/^HTTP\/1\.1 400 /);
    expect(asked.length).toBe(before);
  });
});
