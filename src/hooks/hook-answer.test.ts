import { describe, expect, it } from "vitest";
import type { HookDefinition, HookEventName } from "../contracts/hook.ts";
import type { PipedResult } from "../platform/piped-command.ts";
import { hookAnswer } from "./hook-answer.ts";

const hook = (event: HookEventName): HookDefinition => ({
  event,
  matcher: undefined,
  command: "./check.sh",
  timeoutMs: 1500,
  file: "/s.json",
});
const ended = (more: Partial<PipedResult>): PipedResult => ({
  code: 0,
  signal: null,
  ending: "exited",
  stdout: "",
  stderr: "",
  isCut: false,
  ...more,
});
const answer = (event: HookEventName, value: object) =>
  hookAnswer(hook(event), ended({ stdout: JSON.stringify(value) }));

describe("what a hook wants", () => {
  it("is nothing when it ends with 0 and is silent", () => {
    expect(hookAnswer(hook("PreToolUse"), ended({}))).toEqual({ notices: [] });
    expect(hookAnswer(hook("PreToolUse"), ended({ stdout: "just talking" }))).toEqual({ notices: [] });
  });

  it.each(["SessionStart", "UserPromptSubmit"] as const)("is to be heard, of %s, when it prints", (event) => {
    expect(hookAnswer(hook(event), ended({ stdout: "on \u001b[31mmain\u001b[0m\n" }))).toEqual({
      context: "on main",
      notices: [],
    });
    expect(hookAnswer(hook(event), ended({ stdout: "{not json" }))).toEqual({ context: "{not json", notices: [] });
  });

  it("is a no with exit code 2, also without a word", () => {
    expect(hookAnswer(hook("Stop"), ended({ code: 2, stderr: "why\n" }))).toEqual({ block: "why", notices: [] });
    expect(hookAnswer(hook("Stop"), ended({ code: 2 })).block).toContain("./check.sh");
  });

  it.each(["SessionStart", "SessionEnd", "Notification", "PostCompact"] as const)(
    "is for the person when %s has nothing to stop",
    (event) => {
      expect(hookAnswer(hook(event), ended({ code: 2, stderr: "hm\nand more" }))).toEqual({
        notices: [`${event} hook: hm / and more`],
      });
    },
  );

  it.each([
    [ended({ code: 1, stderr: "bad\u001b[2J" }), /ended with exit code 1: bad/],
    [ended({ code: null, signal: "SIGKILL" }), /was ended by SIGKILL/],
    [ended({ code: null, ending: "timed-out" }), /was stopped after 1\.5 s/],
    [ended({ stdout: '{"decision": ' }), /JSON that cannot be read/],
    [ended({ stdout: '{"a": ', isCut: true }), /more than can be read/],
  ])("is not known when it fails, and that blocks nothing", (result, expected) => {
    const { notices, ...rest } = hookAnswer(hook("PreToolUse"), result);
    expect(rest).toEqual({});
    expect(notices).toEqual([expect.stringMatching(expected)]);
    expect(notices[0]).toMatch(/^The PreToolUse hook `\.\/check\.sh` .*\/s\.json\.$/);
    expect(notices[0]).not.toContain("\u001b");
  });

  it("is nothing when it was interrupted", () => {
    expect(hookAnswer(hook("PreToolUse"), ended({ code: null, ending: "interrupted" }))).toEqual({ notices: [] });
  });

  it("is read from JSON, in the old words and in the new", () => {
    expect(answer("PreToolUse", { decision: "block", reason: "r" })).toEqual({ block: "r", notices: [] });
    expect(answer("PreToolUse", { decision: "approve", reason: "r" })).toEqual({
      permission: { verdict: "allow", because: "r" },
      notices: [],
    });
    const own = { permissionDecision: "deny", permissionDecisionReason: "own" };
    expect(answer("PreToolUse", { decision: "approve", hookSpecificOutput: own })).toEqual({
      block: "own",
      notices: [],
    });
    expect(
      answer("PreToolUse", {
        continue: false,
        stopReason: "s",
        systemMessage: "m",
        hookSpecificOutput: { permissionDecision: "ask", updatedInput: { a: 1 }, additionalContext: "c" },
      }),
    ).toMatchObject({
      stop: "s",
      input: { a: 1 },
      context: "c",
      permission: { verdict: "ask" },
      notices: ["PreToolUse hook: m"],
    });
  });

  it("has no say over calls at other events", () => {
    const own = { permissionDecision: "allow", updatedInput: { a: 1 } };
    expect(answer("PostToolUse", { hookSpecificOutput: own })).toEqual({ notices: [] });
    expect(answer("PreToolUse", { hookSpecificOutput: { permissionDecision: "defer", updatedInput: [] } })).toEqual({
      notices: [],
    });
  });

  it("is cut when it is long", () => {
    const { context = "" } = hookAnswer(hook("SessionStart"), ended({ stdout: "x".repeat(50_000) }));
    expect(context.length).toBeLessThan(10_200);
    expect(context).toContain("40000 characters");
  });
});
