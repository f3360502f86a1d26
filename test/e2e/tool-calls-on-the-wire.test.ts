import { describe, expect } from "vitest";
import { assertPairing, call, calls, rawStream, text } from "../../src/testing/index.ts";
import { messagesWithRole, toolTexts } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

const awkward = 'für "日本" 🦊\n\ttab \\n not a newline, \\u00e9 and a backslash \\';

function sse(...payloads: readonly unknown[]): string[] {
  return [...payloads.map((payload) => `data: ${JSON.stringify(payload)}\n\n`), "data: [DONE]\n\n"];
}

function chunk(delta: unknown, finishReason: string | null = null): unknown {
  return { id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] };
}

describe("tool calls that arrive in pieces", () => {
  it.for([undefined, 1, 5] as const)(
    "run once each with exactly their arguments, when interleaved and cut (network pieces of %s bytes)",
    async (cutBytes, { world }) => {
      const first = call("write_file", { file_path: "a.txt", content: awkward }, { id: "call_a", fragments: 7 });
      const second = call(
        "write_file",
        { file_path: "b.txt", content: `${awkward}2` },
        { id: "call_b", fragments: 40 },
      );
      const model = await world.model(
        [calls([first, second], { order: "interleaved" }), text("done")],
        cutBytes === undefined ? {} : { cutBytes },
      );
      expect((await world.run(["-p", "go"], { model })).code).toBe(0);
      expect([world.read("a.txt"), world.read("b.txt")]).toEqual([awkward, `${awkward}2`]);
      const messages = model.requests[1]!.body.messages.slice(2);
      expect(messages.map((message) => message.tool_calls?.map(({ id }) => id) ?? message.tool_call_id)).toEqual([
        ["call_a", "call_b"],
        "call_a",
        "call_b",
      ]);
      const sent = messages[0]!.tool_calls!.map((one) => JSON.parse(one.function.arguments) as { content: string });
      expect(sent.map(({ content }) => content)).toEqual([awkward, `${awkward}2`]);
      assertPairing(model.requests);
    },
  );

  it("are put together without an index", async ({ world }) => {
    world.write("a.txt", "alpha");
    const chunks = sse(
      chunk({
        role: "assistant",
        tool_calls: [{ id: "x1", type: "function", function: { name: "read_file", arguments: "" } }],
      }),
      chunk({ tool_calls: [{ function: { arguments: '{"file_pa' } }] }),
      chunk({ tool_calls: [{ function: { arguments: 'th":"a.txt"}' } }] }),
      chunk({}, "tool_calls"),
    );
    const model = await world.model([rawStream({ chunks, end: "close" }), text("done")]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    expect(toolTexts(model.requests[1])).toEqual([expect.stringContaining("alpha")]);
    assertPairing(model.requests);
  });

  it("survive arguments given as an object instead of a string", async ({ world }) => {
    world.write("a.txt", "alpha");
    const chunks = sse(
      chunk({
        role: "assistant",
        tool_calls: [{ index: 0, id: "x1", function: { name: "read_file", arguments: { file_path: "a.txt" } } }],
      }),
      chunk({}, "tool_calls"),
    );
    const model = await world.model([rawStream({ chunks, end: "close" }), text("done")]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    expect(toolTexts(model.requests[1])).toHaveLength(1);
    assertPairing(model.requests);
  });

  it("get ids of their own when the model gives them none or the same one twice", async ({ world }) => {
    const chunks = sse(
      chunk({
        role: "assistant",
        tool_calls: [
          { index: 0, id: "dup", type: "function", function: { name: "glob", arguments: '{"pattern":"*"}' } },
          { index: 1, id: "dup", type: "function", function: { name: "glob", arguments: '{"pattern":"*.md"}' } },
          { index: 2, type: "function", function: { name: "glob", arguments: '{"pattern":"*.ts"}' } },
        ],
      }),
      chunk({}, "tool_calls"),
    );
    const model = await world.model([rawStream({ chunks, end: "close" }), text("done")]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    const ids = messagesWithRole(model.requests[1], "tool").map((message) => message.tool_call_id);
    expect(new Set(ids).size).toBe(3);
    expect(ids.every((id) => typeof id === "string" && id.length > 0)).toBe(true);
    assertPairing(model.requests);
  });
});

describe("tool calls that cannot be run", () => {
  it("because their arguments are no JSON are answered with what was received, and stay in the history as written", async ({
    world,
  }) => {
    const broken = '{"file_path": "a';
    const model = await world.model([call("write_file", broken), text("sorry")]);
    expect(await world.run(["-p", "go"], { model })).toMatchObject({ code: 0, stdout: "sorry\n" });
    const [answer] = toolTexts(model.requests[1]);
    expect(answer).toMatch(/not valid|invalid|no(t a)? JSON/i);
    expect(answer).toContain(broken);
    expect(messagesWithRole(model.requests[1], "assistant")[0]!.tool_calls![0]!.function.arguments).toBe(broken);
    assertPairing(model.requests);
  });

  it("because of their name or parameters are answered with what is wrong and what would be right", async ({
    world,
  }) => {
    const model = await world.model([
      calls([
        call("nope", {}),
        call("read_file", {}),
        call("read_file", { file_path: 1 }),
        call("grep", { pattern: "x", colour: "red" }),
      ]),
      text("sorry"),
    ]);
    expect((await world.run(["-p", "go"], { model })).code).toBe(0);
    const [unknown, missing, wrong, extra] = toolTexts(model.requests[1]);
    expect(unknown).toMatch(/nope/);
    expect(unknown).toMatch(/read_file/);
    expect(missing).toMatch(/file_path.*missing|missing.*file_path/);
    expect(wrong).toMatch(/file_path.*string/);
    expect(extra).toMatch(/colour/);
    assertPairing(model.requests);
  });
});

describe("reasoning", () => {
  it("is sent back to an endpoint that wants it, together with the call it led to", async ({ world }) => {
    const model = await world.model([
      calls([call("bash", { command: "echo hi" })], { reasoning: "I had better look first." }),
      text("done", { reasoning: "All clear." }),
    ]);
    const result = await world.run(["-p", "go", "-m", "deepseek-reasoner"], {
      model,
      env: { OPENAI_API_KEY: undefined, DEEPSEEK_API_KEY: "k" },
    });
    expect(result).toMatchObject({ code: 0, stdout: "done\n" });
    expect(messagesWithRole(model.requests[1], "assistant")[0]!.reasoning_content).toBe("I had better look first.");
  });

  it("is no part of the answer on stdout", async ({ world }) => {
    const model = await world.model([text("answer", { reasoning: "secret thoughts" })]);
    expect((await world.run(["-p", "go"], { model })).stdout).toBe("answer\n");
  });
});
