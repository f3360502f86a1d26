import { describe, expect, it } from "vitest";
import type { PermissionPolicy, PermissionRequest, Verdict } from "../contracts/permission.ts";
import { tightenPolicy } from "./tighten-policy.ts";

const request = { tool: "bash", effect: "execute" } as PermissionRequest;
const saying = (verdict: Verdict, because: string): PermissionPolicy => ({
  mode: "default",
  allow: () => {},
  decide: () => ({ verdict, because }),
});

describe("two policies", () => {
  it.each([
    ["allow", "allow", "allow"],
    ["allow", "ask", "ask"],
    ["allow", "deny", "deny"],
    ["ask", "allow", "ask"],
    ["ask", "deny", "deny"],
    ["deny", "allow", "deny"],
  ] as const)("of which one says %s and the other %s come to %s", async (own, by, expected) => {
    expect((await tightenPolicy(saying(own, "own"), saying(by, "by")).decide(request)).verdict).toBe(expected);
  });
});
