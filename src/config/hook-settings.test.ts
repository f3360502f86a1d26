import { describe, expect, it } from "vitest";
import { readHooks } from "./hook-settings.ts";

const command = { type: "command", command: "./check.sh" };

describe("hooks in settings", () => {
  it("are a flat list with their event, matcher, limit and file", () => {
    const given = {
      PreToolUse: [{ matcher: "Bash", hooks: [command, { ...command, command: "b", timeout: 0.5 }] }],
      Stop: [{ hooks: [command] }],
    };
    const common = { file: "/f" };
    expect(readHooks(given, "/f")).toEqual({
      value: [
        { event: "PreToolUse", matcher: "Bash", command: "./check.sh", timeoutMs: 60_000, ...common },
        { event: "PreToolUse", matcher: "Bash", command: "b", timeoutMs: 500, ...common },
        { event: "Stop", matcher: undefined, command: "./check.sh", timeoutMs: 60_000, ...common },
      ],
    });
  });

  it.each(["", "*", undefined])("without a matcher (%j) are for everything", (matcher) => {
    expect(readHooks({ PreToolUse: [{ matcher, hooks: [command] }] }, "")).toMatchObject({
      value: [{ matcher: undefined }],
    });
  });

  it.each([
    [[], /must be an object such as/],
    [{ PreTool: [] }, /unknown event "PreTool"; the events are SessionStart/],
    [{ Stop: {} }, /needs a list as Stop$/],
    [{ Stop: [{ hooks: {} }] }, /needs a list as Stop\[0\]\.hooks$/],
    [{ Stop: [{ hook: [] }] }, /unknown key Stop\[0\]\.hook; known there: matcher, hooks/],
    [{ Stop: [{ hooks: [{ type: "prompt" }] }] }, /only "type": "command", so Stop\[0\]\.hooks\[0\]\.type/],
    [
      { Stop: [{ hooks: [{ type: "command", command: " " }] }] },
      /needs a shell command as Stop\[0\]\.hooks\[0\]\.command/,
    ],
    [{ Stop: [{ hooks: [{ ...command, timeout: 0 }] }] }, /needs seconds .* as Stop\[0\]\.hooks\[0\]\.timeout/],
    [{ Stop: [{ hooks: [{ ...command, timeout: 1e9 }] }] }, /needs seconds/],
    [{ PreToolUse: [{ matcher: "(", hooks: [command] }] }, /no valid regular expression as PreToolUse\[0\]\.matcher/],
  ])("that cannot be understood are named with their place: %j", (given, expected) => {
    expect(readHooks(given, "")).toEqual({ problem: expect.stringMatching(expected) });
  });
});
