import { describe, expect } from "vitest";
import { call, calls, fault, text } from "../../src/testing/index.ts";
import { messagesOf, resultOf, type SystemEvent, spokenText } from "../support/stream-events.ts";
import { it } from "../support/world.ts";

const stream = ["--output-format", "stream-json"];
const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 30 };

describe("--output-format stream-json", () => {
  it("tells the start, every message, every tool result, and the result last", async ({ world }) => {
    const model = await world.model([
      calls([call("bash", { command: "echo hi" }, { id: "c1" })], { text: "Let me look.", reasoning: "hmm", usage }),
      text("Done.", { usage }),
    ]);
    const result = await world.run(["-p", "go", ...stream, "-m", "gpt-4o"], { model });
    expect(result.code).toBe(0);
    const { events } = result;
    expect(events.map((event) => event.type)).toEqual(["system", "assistant", "user", "assistant", "result"]);
    const init = events[0] as SystemEvent;
    expect(init).toMatchObject({ subtype: "init", model: "gpt-4o", cwd: world.cwd });
    // where a sandbox works, the other where none does
    expect(["auto", "acceptEdits"]).toContain(init.permission_mode);
    expect(init.tools).toEqual(expect.arrayContaining(["bash", "read_file"]));
    expect(typeof init.session_id).toBe("string");
    const [first, second] = messagesOf(events, "assistant");
    expect(first!.message.content.map((block) => block.type)).toEqual(["thinking", "text", "tool_use"]);
    expect(first!.message.content[2]).toEqual({
      type: "tool_use",
      id: "c1",
      name: "bash",
      input: { command: "echo hi" },
    });
    expect(first).toMatchObject({
      parent_tool_use_id: null,
      session_id: init.session_id,
      message: { role: "assistant" },
    });
    expect(first!.message.usage).toMatchObject({ output_tokens: 20, cache_read_input_tokens: 30 });
    expect(second!.message.content).toEqual([{ type: "text", text: "Done." }]);
    const [answer] = messagesOf(events, "user");
    expect(answer).toMatchObject({ parent_tool_use_id: null, session_id: init.session_id, message: { role: "user" } });
    expect(answer!.message.content[0]).toMatchObject({ type: "tool_result", tool_use_id: "c1", is_error: false });
    expect(JSON.stringify(answer!.message.content[0])).toContain("hi");
  });

  it("ends with the sums", async ({ world }) => {
    const model = await world.model([text("Done.", { usage })]);
    const result = await world.run(["-p", "go", ...stream, "-m", "gpt-4o"], { model });
    const end = resultOf(result.events);
    expect(end).toMatchObject({
      subtype: "success",
      is_error: false,
      result: "Done.",
      num_turns: 1,
      permission_denials: [],
      errors: [],
    });
    expect(end.usage).toMatchObject({ output_tokens: 20, cache_read_input_tokens: 30, cache_creation_input_tokens: 0 });
    expect(end.total_cost_usd).toBeGreaterThan(0);
    expect(end.duration_ms).toBeGreaterThan(0);
    expect(end.duration_api_ms).toBeGreaterThan(0);
    expect(end.duration_ms).toBeLessThan(result.durationMs);
  });

  it("ends with a result after an error too, with the same exit code as in text", async ({ world }) => {
    const model = await world.model([fault(400, { error: { message: "nonsense in, nothing out" } })]);
    const result = await world.run(["-p", "go", ...stream], { model });
    expect(result.code).toBe(1);
    const end = resultOf(result.events);
    expect(end).toMatchObject({ subtype: "error_during_execution", is_error: true });
    expect(JSON.stringify(end.errors)).toContain("nonsense in, nothing out");
  });

  it("ends with a result when the key is missing or rejected", async ({ world }) => {
    const missing = await world.run(["-p", "go", ...stream]);
    expect(missing.code).toBe(41);
    expect(resultOf(missing.events).is_error).toBe(true);
    const model = await world.model([fault(401)]);
    const rejected = await world.run(["-p", "go", ...stream], { model });
    expect(rejected.code).toBe(41);
    expect(resultOf(rejected.events).is_error).toBe(true);
  });

  it("marks the results of failing calls", async ({ world }) => {
    const model = await world.model([
      calls([call("read_file", { file_path: "none" }), call("bash", { command: "false" })]),
      text("ok"),
    ]);
    const result = await world.run(["-p", "go", ...stream], { model });
    const blocks = messagesOf(result.events, "user").flatMap((event) => event.message.content);
    expect(blocks.map((block) => block.type === "tool_result" && block.is_error)).toEqual([true, true]);
  });

  it("carries deltas with --include-partial-messages, and none without", async ({ world }) => {
    const model = await world.model([text("a b c"), text("a b c")]);
    const without = await world.run(["-p", "go", ...stream], { model });
    expect(without.events.filter((event) => event.type === "stream_event")).toEqual([]);
    const withDeltas = await world.run(["-p", "go", ...stream, "--include-partial-messages"], { model });
    expect(withDeltas.events.filter((event) => event.type === "stream_event").length).toBeGreaterThan(0);
    expect(spokenText(withDeltas.events)).toBe("a b c");
  });

  it("does not break on line separators and broken characters in texts", async ({ world }) => {
    const odd = "a\u2028b\u2029c\r\nd\u0000e";
    const model = await world.model([text(odd, { deltas: 1 })]);
    const result = await world.run(["-p", "go", ...stream], { model });
    expect(spokenText(result.events)).toBe(odd);
  });
});

describe("--output-format json", () => {
  it("prints one object at the end", async ({ world }) => {
    const model = await world.model([call("bash", { command: "echo hi" }), text("Done.")]);
    const result = await world.run(["-p", "go", "--output-format", "json"], { model });
    expect(result.code).toBe(0);
    expect(result.stdout.trim().split("\n")).toHaveLength(1);
    expect(JSON.parse(result.stdout)).toMatchObject({
      type: "result",
      subtype: "success",
      result: "Done.",
      num_turns: 2,
    });
  });

  it("prints the object after an error too", async ({ world }) => {
    const model = await world.model([fault(403, { error: { message: "not for you" } })]);
    const result = await world.run(["-p", "go", "--output-format", "json"], { model });
    expect(result.code).not.toBe(0);
    expect(JSON.parse(result.stdout)).toMatchObject({
      type: "result",
      subtype: "error_during_execution",
      is_error: true,
    });
  });
});
