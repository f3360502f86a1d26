import { describe, expect, it } from "vitest";
import { matchesName } from "./match-name.ts";

describe("matching a file name", () => {
  it("knows the shell's wildcards", () => {
    expect(matchesName("*.pem", "server.pem")).toBe(true);
    expect(matchesName("id_?sa", "id_rsa")).toBe(true);
    expect(matchesName("id_[a-z]sa*", "id_rsa.old")).toBe(true);
    expect(matchesName("*a*b*c", "xaybzc")).toBe(true);
    expect(matchesName("*.pem", "server.pen")).toBe(false);
    expect(matchesName("a", "ab")).toBe(false);
  });

  it("matches a hidden name only by a pattern that begins with a dot", () => {
    expect(matchesName("*", ".env")).toBe(false);
    expect(matchesName(".e*", ".env")).toBe(true);
  });

  it("is quick on patterns made to be slow", () => {
    expect(matchesName("*a".repeat(200), "a".repeat(199))).toBe(false);
  });
});
