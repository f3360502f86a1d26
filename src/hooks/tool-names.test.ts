import { describe, expect, it } from "vitest";
import { nameForMatcher } from "./tool-names.ts";

describe("a matcher", () => {
  it.each([
    [undefined, "bash", "bash"],
    ["bash", "bash", "bash"],
    ["Bash", "bash", "Bash"],
    ["Edit|Write", "write_file", "Write"],
    ["edit_file|Write", "edit_file", "edit_file"],
    [".*_file", "read_file", "read_file"],
    ["mcp__.*", "mcp__files__read", "mcp__files__read"],
    ["Task", "agent", "Task"],
    ["Bash", "read_file", undefined],
    ["bas", "bash", undefined],
    ["ash", "bash", undefined],
    ["BASH", "bash", undefined],
    ["startup|resume", "resume", "resume"],
  ])("%j for %s finds %j", (matcher, tool, expected) => {
    expect(nameForMatcher(matcher, tool)).toBe(expected);
  });
});
