import { describe, expect, it } from "vitest";
import type { Message } from "../contracts/message.ts";
import { breachIn } from "./invariants.ts";

const user = (id: string): Message => ({ id, role: "user", parts: [{ type: "text", text: id }] });
const calls = (id: string, ...ids: string[]): Message => ({
  id,
  role: "assistant",
  parts: ids.map((callId) => ({ type: "tool-call", callId, tool: "bash", input: {}, rawInput: "{}" })),
});
const result = (callId: string): Message => ({
  id: `r-${callId}`,
  role: "tool",
  parts: [{ type: "tool-result", callId, tool: "bash", text: "", isError: false, handle: "#1" }],
});

describe("a view", () => {
  it("with every call before its results is sound, also while the newest calls wait for theirs", () => {
    expect(breachIn([user("u"), calls("a", "1", "2"), result("1"), result("2"), user("v")], [])).toBeUndefined();
    expect(breachIn([user("u"), calls("a", "1")], [])).toBeUndefined();
  });

  it.each([
    ["a result without its call", [user("u"), result("1")], /result of 1/],
    ["results in the wrong order", [calls("a", "1", "2"), result("2"), result("1")], /result of 2/],
    ["a call without its result", [calls("a", "1", "2"), result("1"), user("u")], /call 2 has no result/],
    ["a result twice", [calls("a", "1"), result("1"), result("1")], /result of 1/],
  ])("with %s is not", (_what, view, breach) => {
    expect(breachIn(view, [])).toMatch(breach);
  });

  it("must hold what nobody may touch, as it was", () => {
    const first = user("first");
    expect(breachIn([first], [first])).toBeUndefined();
    expect(breachIn([{ ...first }], [first])).toMatch(/first was touched/);
  });
});
