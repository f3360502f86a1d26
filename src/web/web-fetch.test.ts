import { createServer, type RequestListener, type RequestOptions, request as sendRequest } from "node:http";
import type { AddressInfo } from "node:net";
import { gzipSync } from "node:zlib";
import { afterEach, describe, expect, it } from "vitest";
import type { Tool, ToolContext } from "../contracts/tool.ts";
import { isPublicAddress } from "../platform/public-address.ts";
import { passagesFor } from "./passages.ts";
import { createWebFetch } from "./web-fetch.ts";

const open: (() => void)[] = [];
afterEach(() => {
  for (const close of open.splice(0)) close();
});

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  open.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const kept: string[] = [];
const context = {
  signal: new AbortController().signal,
  handle: "#7",
  keep: (text: string) => `/kept/${kept.push(text)}`,
} as unknown as ToolContext;

async function read(url: string, question?: string, isNamed = true, more = {}): Promise<string> {
  const tool = createWebFetch({ isNamed: () => isNamed, ...more }) as unknown as Tool<{
    url: string;
    question?: string;
  }>;
  return tool.run(question === undefined ? { url } : { url, question }, context).then(
    ({ text }) => text,
    (error: Error) => `refused: ${error.message}`,
  );
}

const html =
  (body: string): RequestListener =>
  (_, response) =>
    response.setHeader("content-type", "text/html; charset=utf-8").end(`<html><body>${body}</body></html>`);

describe("web_fetch", () => {
  it("brings a page as Markdown, without what is no text, and marked as the words of strangers", async () => {
    const url = await serve(
      html(
        "<script>alert(1)</script><nav>menu</nav><h1>Über</h1><p>One <b>two</b> <a href='/x'>three</a>.</p><pre><code>let a = 1;</code></pre><img src='data:image/png;base64,AAAA' alt='a cat'>",
      ),
    );
    const text = await read(url);
    expect(text).toMatch(/written by strangers[\s\S]*# Über\n\nOne \*\*two\*\* \[three\]\(\/x\)\.[\s\S]*let a = 1;/);
    expect(text).toContain("[picture: a cat]");
    expect(text).not.toMatch(/alert|menu|base64/);
  });

  it("unpacks what is packed, and brings other texts as they are", async () => {
    const url = await serve((_, response) =>
      response
        .setHeader("content-type", "application/json")
        .setHeader("content-encoding", "gzip")
        .end(gzipSync('{"a": [1, 2]}')),
    );
    expect(await read(url)).toContain('{"a": [1, 2]}');
  });

  it("with a question brings the passages about it and says where the whole is", async () => {
    const filler = Array.from({ length: 200 }, (_, i) => `<p>Paragraph ${i} about nothing in particular at all.</p>`);
    const url = await serve(
      html(`${filler.join("")}<h2>Timeouts</h2><p>The flux capacitor waits 88 seconds.</p>${filler.join("")}`),
    );
    const text = await read(url, "how long does the flux capacitor wait?");
    expect(text).toContain("## Timeouts\n\nThe flux capacitor waits 88 seconds.");
    expect(text.length).toBeLessThan(9_000);
    expect(text).toMatch(/of \d+ characters; the whole page is #7, read_file \/kept\/\d+\]/);
    expect(kept.at(-1)).toContain("Paragraph 199");
  });

  it("does not reach into this machine or its network unless a rule names the host", async () => {
    const url = await serve(html("secret"));
    expect(await read(url, undefined, false)).toMatch(
      /refused: .*address of this machine.*network\(127\.0\.0\.1:\d+\)/,
    );
    expect(await read("http://localhost:1/", undefined, false)).toMatch(/refused: .*address of this machine/);
    expect(await read("http://[::1]:1/", undefined, false)).toMatch(/refused: .*address of this machine/);
  });

  it("follows a move on the same host and names one to another instead of following it", async () => {
    const url = await serve((request, response) => {
      if (request.url === "/a") response.writeHead(302, { location: "/b" }).end();
      else if (request.url === "/c") response.writeHead(301, { location: "http://10.0.0.1/inner" }).end();
      else if (request.url === "/d") response.writeHead(301, { location: "file:///etc/passwd" }).end();
      else if (request.url === "/e") response.writeHead(302, { location: "/e" }).end();
      else response.end("arrived");
    });
    expect(await read(`${url}/a`)).toContain("arrived");
    expect(await read(`${url}/c`)).toContain("has moved to http://10.0.0.1/inner");
    expect(await read(`${url}/d`)).toMatch(/refused: .*no web address/);
    expect(await read(`${url}/e`)).toMatch(/refused: .*without end/);
  });

  it("asks the person's proxy for a host that only that one knows, and not for one of this machine", async () => {
    const proxy = await serve((request, response) => response.end(`the proxy was asked for ${request.url}`));
    const throughProxy = async () => (url: URL, options: RequestOptions) =>
      sendRequest(proxy, { ...options, path: url.href });
    const text = await read("http://only-there.invalid/page", undefined, false, { throughProxy });
    expect(text).toContain("the proxy was asked for http://only-there.invalid/page");
    expect(await read("http://127.0.0.1:1/", undefined, false, { throughProxy })).toMatch(/refused: .*this machine/);
  });

  it("stops reading a page that does not end", async () => {
    const url = await serve((_, response) => {
      response.setHeader("content-type", "text/plain");
      const more = () => {
        while (response.write("x".repeat(64 * 1024)));
        response.once("drain", more);
      };
      more();
    });
    expect(await read(url)).toContain("longer than 5 MB");
  });

  it("reads a page nested too deep for Markdown, one in the letters it names itself, and one cut off in its packing", async () => {
    const url = await serve((request, response) => {
      response.setHeader("content-type", "text/html");
      if (request.url === "/deep") response.end(`${"<div>".repeat(3_000)}the words`);
      else if (request.url === "/latin")
        response.end(Buffer.from("<head><meta charset='iso-8859-1'></head><p>caf\xe9</p>", "latin1"));
      else {
        response.setHeader("content-encoding", "gzip").write(gzipSync("x".repeat(9_999)).subarray(0, 20));
        response.flushHeaders();
        setImmediate(() => response.socket?.destroy());
      }
    });
    expect(await read(`${url}/deep`)).toContain("the words");
    expect(await read(`${url}/latin`)).toContain("café");
    expect(await read(`${url}/cut`)).toMatch(/refused: .*was not fetched/);
  });

  it.each([
    ["ftp://example.org/x", /no web address/],
    ["not an address", /no web address/],
    ["http://user:word@example.org/", /user name or password/],
  ])("refuses %s", async (url, words) => {
    expect(await read(url)).toMatch(words);
  });

  it("says what a server answered instead of a page", async () => {
    const missing = await serve((_, response) => response.writeHead(404).end("no"));
    const binary = await serve((_, response) => response.setHeader("content-type", "image/png").end("x"));
    expect(await read(missing)).toMatch(/refused: .*status 404/);
    expect(await read(binary)).toMatch(/refused: .*image\/png, which is no text/);
  });
});

describe("addresses", () => {
  it.each(["8.8.8.8", "1.1.1.1", "2606:4700::1111", "172.32.0.1", "100.128.0.1"])("%s is public", (address) =>
    expect(isPublicAddress(address)).toBe(true),
  );

  it.each([
    "127.0.0.1",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "fe80::1",
    "fd00::1",
    "ff02::1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "not an address",
  ])("%s is not", (address) => expect(isPublicAddress(address)).toBe(false));
});

describe("passages", () => {
  it("keeps within its limit, in the text's order, and finds nothing where there is nothing", () => {
    const text = ["# A", "alpha beta", "gamma", "# B", "alpha delta"].join("\n\n");
    expect(passagesFor("alpha", text, 1_000)).toBe("# A\n\nalpha beta\n\n[…]\n\n# B\n\nalpha delta");
    expect(passagesFor("omega", text, 1_000)).toBe("");
    expect(passagesFor("alpha", text, 12).length).toBeLessThan(30);
  });
});
