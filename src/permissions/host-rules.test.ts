import { describe, expect, it } from "vitest";
import { createHostRules } from "./host-rules.ts";

const rules = createHostRules({
  allow: ["network(registry.example.org)", "network(*.example.com:443)", "bash(ls)"],
  ask: ["network(*.example.com)"],
  deny: ["network(evil.example.com)"],
});
const verdict = (host: string, port = 443) => rules?.decide(host, port)?.verdict;

describe("host rules", () => {
  it("allow the host they name, on every port or on one, and what is below a wildcard", () => {
    expect([verdict("registry.example.org"), verdict("registry.example.org", 80)]).toEqual(["allow", "allow"]);
    expect(verdict("REGISTRY.Example.org")).toBe("allow");
    const only = createHostRules({ allow: ["network(*.example.com:443)"], ask: [], deny: [] });
    expect(only?.decide("a.b.example.com", 443)?.verdict).toBe("allow");
    expect(only?.decide("a.example.com", 80)).toBeUndefined();
    expect(only?.decide("example.com", 443)).toBeUndefined();
  });

  it("refuse before they ask, and ask before they allow", () => {
    expect([verdict("evil.example.com"), verdict("a.example.com")]).toEqual(["deny", "ask"]);
  });

  it.each(["registry.example.org.attacker.test", "xregistry.example.org", "example.org", "attackerexample.com"])(
    "say nothing about %s",
    (host) => expect(verdict(host)).toBeUndefined(),
  );

  it.each([
    "registry.example.org.",
    "registry.example.org\0.attacker.test",
    "a@registry.example.org",
    "",
    "r\u00e9gistry.example.org",
    "[::1]",
  ])("refuse what is no plain host name: %j", (host) => expect(verdict(host)).toBe("deny"));

  it("are none where nothing could be reached", () => {
    expect(createHostRules({ allow: ["bash(ls)"], ask: [], deny: ["network(x)"] })).toBeUndefined();
  });
});
