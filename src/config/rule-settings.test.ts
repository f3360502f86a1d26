import { describe, expect, it } from "vitest";
import { readRules } from "./rule-settings.ts";

describe("rules in settings", () => {
  it("are texts or objects with examples, and a list that is left out is empty", () => {
    const detailed = { rule: "bash(b)", match: ["b"], notMatch: ["c"] };
    expect(readRules({ allow: ["bash(a)", detailed], deny: [] }, "/f")).toEqual({
      value: {
        allow: [
          { rule: "bash(a)", match: [], notMatch: [], file: "/f" },
          { ...detailed, file: "/f" },
        ],
        ask: [],
        deny: [],
      },
    });
  });

  it.each([
    [[], /must be an object such as/],
    [{ allowed: [] }, /unknown list "allowed"; the lists are allow, ask, deny/],
    [{ ask: "bash" }, /must hold a list of rules under "ask"/],
    [{ deny: ["a", 1] }, /as deny\[1\]$/],
    [{ deny: [{ rule: "a", match: "b" }] }, /as deny\[0\]$/],
    [{ deny: [{ rule: "a", matches: [] }] }, /as deny\[0\]$/],
  ])("that cannot be understood are named: %j", (given, expected) => {
    expect(readRules(given, "")).toEqual({ problem: expect.stringMatching(expected) });
  });
});
