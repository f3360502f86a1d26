import { describe, expect, it } from "vitest";
import type { PermissionMode } from "../contracts/permission.ts";
import { createPolicy } from "./policy.ts";

type Case = { readonly mode: PermissionMode; readonly claim?: "person" | "project"; readonly rules?: object };

async function verdictOn({ mode, claim, rules = {} }: Case, tool = "mcp__forge__list_issues") {
  const policy = createPolicy({ mode, allow: [], ask: [], deny: [], home: "/home/x", ...rules });
  const view = { label: "mcp", title: "forge list_issues", ...(claim ? { readOnlyClaim: claim } : {}) };
  const { verdict, rule } = await policy.decide({
    tool,
    effect: "execute",
    view,
    cwd: "/w",
    root: "/w",
    writableRoots: ["/w"],
  });
  return [verdict, rule];
}

describe("a tool of a server", () => {
  it.each<[Case, string]>([
    [{ mode: "default" }, "ask"],
    [{ mode: "acceptEdits" }, "ask"],
    [{ mode: "auto" }, "ask"],
    [{ mode: "plan" }, "deny"],
    [{ mode: "bypassPermissions" }, "allow"],
    // the word of a server that the person chose counts where edits need no question
    [{ mode: "default", claim: "person" }, "ask"],
    [{ mode: "acceptEdits", claim: "person" }, "allow"],
    [{ mode: "auto", claim: "person" }, "allow"],
    [{ mode: "plan", claim: "person" }, "ask"],
    // that of a project's server never does
    [{ mode: "acceptEdits", claim: "project" }, "ask"],
    [{ mode: "auto", claim: "project" }, "ask"],
    [{ mode: "plan", claim: "project" }, "ask"],
    [{ mode: "default", claim: "project", rules: { allow: ["mcp__forge__*"] } }, "allow"],
    [{ mode: "default", rules: { allow: ["mcp__forge"] } }, "allow"],
    [{ mode: "default", rules: { allow: ["mcp__*"] } }, "allow"],
    [{ mode: "default", rules: { allow: ["mcp__for"] } }, "ask"],
    [{ mode: "plan", rules: { allow: ["mcp__*"] } }, "deny"],
    [{ mode: "auto", claim: "person", rules: { ask: ["mcp__*"] } }, "ask"],
    [{ mode: "auto", claim: "person", rules: { deny: ["mcp__*"] } }, "deny"],
    [{ mode: "bypassPermissions", rules: { deny: ["mcp__forge"] } }, "deny"],
  ])("%j: %s", async (given, expected) => {
    expect((await verdictOn(given))[0]).toBe(expected);
  });

  it("is offered as a rule by its whole name, and a rule for one server is none for another", async () => {
    expect(await verdictOn({ mode: "default", claim: "person" })).toEqual(["ask", "mcp__forge__list_issues"]);
    expect((await verdictOn({ mode: "default", rules: { allow: ["mcp__forge"] } }, "mcp__forgery__x"))[0]).toBe("ask");
  });
});
