import { describe, expect, it } from "vitest";
import { createConversationRecord } from "../contracts/conversation-record.ts";
import type { Message, ToolCallPart } from "../contracts/message.ts";
import { fateOf, openCalls } from "./open-calls.ts";

const call = (callId: string): ToolCallPart => ({ type: "tool-call", callId, tool: "bash", input: {}, rawInput: "{}" });
const asked = (...ids: string[]): Message => ({ id: "m2", role: "assistant", parts: ids.map(call) });
const answered = (callId: string): Message => ({
  id: `r-${callId}`,
  role: "tool",
  parts: [{ type: "tool-result", callId, tool: "bash", text: "", isError: false, handle: "#1" }],
});
const prompt: Message = { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] };

function recordOf(...messages: Message[]) {
  const record = createConversationRecord();
  for (const message of messages) record.take({ type: "message", message }, 0);
  return record;
}

describe("calls that a stopped program left open", () => {
  it("are those of the last answer without a result", () => {
    const open = (...messages: Message[]) => openCalls(recordOf(...messages)).map(({ callId }) => callId);
    expect(open(prompt, asked("a", "b", "c"), answered("a"))).toEqual(["b", "c"]);
    expect(open(prompt, asked("a"), answered("a"))).toEqual([]);
    expect(open(prompt)).toEqual([]);
    expect(open()).toEqual([]);
    expect(open(prompt, asked("a"), answered("a"), { ...prompt, id: "m9" })).toEqual([]);
  });

  it("are told apart by whether they had begun, with what they changed", () => {
    const record = recordOf(prompt, asked("a"));
    expect(fateOf(call("a"), record, new Set())).toMatch(/before this call ran; it did nothing/);
    expect(fateOf(call("a"), record, new Set(["a"]))).toMatch(/while this call ran.*Look before you repeat it/);
    record.take({ type: "changes", callId: "a", changes: [{ path: "/w/x.ts" }] }, 0);
    expect(fateOf(call("a"), record, new Set(["a"]))).toContain("It changed /w/x.ts.");
  });
});
