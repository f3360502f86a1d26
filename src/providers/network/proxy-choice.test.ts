import { describe, expect, it } from "vitest";
import type { ProxySettings } from "./proxy.ts";
import { chooseProxy, problemWithProxy } from "./proxy-choice.ts";

const both = (exceptions = ""): ProxySettings => ({
  https: { address: "http://bob:p%40ss@secure.proxy:3128", from: "HTTPS_PROXY" },
  http: { address: "plain.proxy:8080", from: "HTTP_PROXY" },
  exceptions,
});
const viaProxy = (url: string, exceptions?: string) => chooseProxy(both(exceptions), new URL(url)) !== undefined;

describe("the proxy for an address", () => {
  it("follows from its protocol, and carries name and password apart from its own name", () => {
    const secure = chooseProxy(both(), new URL("https://api.example.com/v1"));
    expect(secure).toMatchObject({ name: "http://secure.proxy:3128", from: "HTTPS_PROXY" });
    expect(secure?.authorization).toBe(`Basic ${Buffer.from("bob:p@ss").toString("base64")}`);
    const plain = chooseProxy(both(), new URL("http://api.example.com/v1"));
    expect(plain).toMatchObject({ name: "http://plain.proxy:8080" });
    expect(plain).not.toHaveProperty("authorization");
    expect(chooseProxy({}, new URL("https://api.example.com"))).toBeUndefined();
  });

  it.each([
    ["https://api.example.com", "api.example.com", false],
    ["https://api.example.com", "example.com", false],
    ["https://api.example.com", ".example.com", false],
    ["https://api.example.com", "*.example.com", false],
    ["https://API.example.com.", "Example.COM", false],
    ["https://notexample.com", "example.com", true],
    ["https://example.com.evil.net", "example.com", true],
    ["https://api.example.com", "other.net, \t,example.com", false],
    ["https://api.example.com", "other.net example.com", false],
    ["https://api.example.com", "*", false],
    ["https://api.example.com", "example.com:443", false],
    ["https://api.example.com:8443", "example.com:443", true],
    ["http://10.1.2.3:9000", "10.1.2.3", false],
    ["http://10.1.2.3:9000", "10.1.2.3:9000", false],
    ["http://10.1.2.3:9000", "10.0.0.0/8", false],
    ["http://11.1.2.3", "10.0.0.0/8", true],
    ["http://host10", "10.0.0.0/8", true],
    ["http://110.1.2.3", "10.1.2.3", true],
    ["http://[fd00::5]:80", "fd00::/8", false],
    ["http://[fd00::5]:81", "[fd00::5]:81", false],
    ["http://[fd00::5]:81", "fd00::5", false],
    ["http://[fd00::5]", "10.0.0.0/8", true],
    ["http://10.1.2.3", "10.0.0.0/99", true],
    ["https://api.example.com", "", true],
  ])("for %s with NO_PROXY=%j: used %s", (url, exceptions, expected) => {
    expect(viaProxy(url, exceptions)).toBe(expected);
  });

  it.each([
    "http://localhost:11434",
    "http://127.0.0.1:1234",
    "http://127.8.8.8",
    "http://[::1]:8000",
    "http://a.localhost",
  ])("is none for %s, which another machine would look for on itself, but one on this machine can reach it", (url) => {
    expect(viaProxy(url)).toBe(false);
    const own = { http: { address: "http://127.0.0.1:3128", from: "HTTP_PROXY" } };
    expect(chooseProxy(own, new URL(url))?.name).toBe("http://127.0.0.1:3128");
  });

  it("must be http or https", () => {
    for (const good of ["http://proxy", "https://u:p@proxy:1", "proxy:8080"])
      expect(problemWithProxy(good)).toBeUndefined();
    expect(problemWithProxy("socks5://user:secret@proxy:1080")).toMatch(/socks5.*http:\/\/host:8080/);
    expect(problemWithProxy("socks5://user:secret@proxy:1080")).not.toContain("secret");
    expect(problemWithProxy("http://")).toMatch(/no address/);
  });
});
