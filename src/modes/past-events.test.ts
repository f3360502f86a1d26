import { describe, expect, it } from "vitest";
import type { Message } from "../contracts/message.ts";
import { readFile } from "../tools/read-file.ts";
import { pastEvents } from "./past-events.ts";

const user = (text: string): Message => ({ id: text, role: "user", parts: [{ type: "text", text }] });
const said = (text: string): Message => ({ id: text, role: "assistant", parts: [{ type: "text", text }] });
function called(callId: string, tool: string, input: Readonly<Record<string, unknown>>): Message[] {
  return [
    { id: callId, role: "assistant", parts: [{ type: "tool-call", callId, tool, input, rawInput: "" }] },
    {
      id: `r${callId}`,
      role: "tool",
      parts: [{ type: "tool-result", callId, tool, text: "out", isError: false, handle: "#1" }],
    },
  ];
}

describe("what was said last", () => {
  it("is the last turn alone, its calls as they were shown", () => {
    const turn = [
      user("second"),
      ...called("c1", "read_file", { file_path: "a.ts" }),
      ...called("c2", "gone", {}),
      said("done"),
    ];
    const items = pastEvents([user("first"), said("old"), ...turn], [readFile]);
    expect(items.map(({ type }) => type)).toEqual([
      "prompt",
      "message.added",
      "tool.finished",
      "message.added",
      "tool.finished",
      "text.delta",
      "message.added",
    ]);
    expect(items.flatMap((item) => ("view" in item ? [`${item.view.label} ${item.view.title}`] : []))).toEqual([
      "read a.ts",
      "gone ",
    ]);
  });

  it("of a long turn is its end", () => {
    const steps = Array.from({ length: 50 }, (_, at) => said(`step ${at}`));
    const items = pastEvents([user("go"), ...steps], []);
    expect(items[1]).toEqual({ type: "notice", text: "… 10 earlier messages" });
    expect(items.filter(({ type }) => type === "text.delta")).toHaveLength(40);
    expect(pastEvents([], [])).toEqual([]);
  });
});
