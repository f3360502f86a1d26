import { describe, expect, it } from "vitest";
import { UserError } from "../contracts/errors.ts";
import { loadTrace } from "./load-trace.ts";

const assistant = { role: "assistant", content: "ok" };

describe("a recorded session", () => {
  it("becomes our messages: calls with their input, results with tool and handle, times", () => {
    const call = { id: "c1", function: { name: "read_file", arguments: '{"file_path":"a.ts"}' } };
    const messages = loadTrace(
      {
        messages: [
          { role: "system", content: "rules", ts: 1_000 },
          {
            role: "user",
            content: [
              { type: "text", text: "one" },
              { type: "text", text: "two" },
            ],
            ts: 2_000,
          },
          { role: "assistant", content: null, tool_calls: [call], ts: "1970-01-01T00:00:03Z" },
          { role: "tool", tool_call_id: "c1", content: "text of a.ts", is_error: true },
        ],
      },
      "x.json",
    );
    expect(messages).toEqual([
      { time: 1_000, message: { id: "m1", role: "user", parts: [{ type: "text", text: "rules" }] } },
      { time: 2_000, message: { id: "m2", role: "user", parts: [{ type: "text", text: "one\ntwo" }] } },
      {
        time: 3_000,
        message: {
          id: "m3",
          role: "assistant",
          parts: [
            {
              type: "tool-call",
              callId: "c1",
              tool: "read_file",
              input: { file_path: "a.ts" },
              rawInput: '{"file_path":"a.ts"}',
            },
          ],
        },
      },
      {
        time: 11_000,
        message: {
          id: "m4",
          role: "tool",
          parts: [
            { type: "tool-result", callId: "c1", tool: "read_file", text: "text of a.ts", isError: true, handle: "#1" },
          ],
        },
      },
    ]);
  });

  it("may be the list alone, without times, with what the recorded agent summarised left out", () => {
    const summary = { role: "user", content: "so far", meta: "compact_summary" };
    const messages = loadTrace([{ role: "user", content: "hi" }, summary, assistant], "x.json");
    expect(messages.map(({ time }) => time)).toEqual([8_000, 16_000]);
  });

  it("counts back from the first known time instead of making a gap before it", () => {
    const times = loadTrace(
      [
        { role: "user", content: "hi" },
        { ...assistant, ts: 1e12 },
      ],
      "x.json",
    ).map((m) => m.time);
    expect(times).toEqual([1e12 - 8_000, 1e12]);
  });

  it("keeps a call whose arguments are no object, as the model wrote them", () => {
    const calls = [
      { id: "c1", function: { name: "bash", arguments: "{cut off" } },
      { id: "c2", function: { arguments: "[1]" } },
      { id: "c3" },
    ];
    const parts = loadTrace([{ role: "assistant", tool_calls: [...calls, null] }], "x.json")[0]?.message.parts;
    expect(parts).toMatchObject([
      { tool: "bash", input: undefined, rawInput: "{cut off" },
      { tool: "tool", input: undefined, rawInput: "[1]" },
      { tool: "tool", input: {}, rawInput: "{}" },
    ]);
  });

  it.each([
    ["nothing", null, /x\.json is no recorded session/],
    ["a number", 3, /x\.json is no recorded session/],
    ["an object without messages", { message: [] }, /x\.json is no recorded session/],
    ["an empty list", [], /x\.json holds no model call/],
    ["no answer of a model", [{ role: "user", content: "hi" }], /x\.json holds no model call/],
    ["lists of nothing", [null, 1, "a", []], /x\.json holds no model call/],
    ["an unknown role", [{ role: "king" }], /x\.json: message 1 has the role "king"/],
  ])("is refused when it is %s", (_, value, problem) => {
    expect(() => loadTrace(value, "x.json")).toThrow(problem);
    expect(() => loadTrace(value, "x.json")).toThrow(UserError);
  });
});
