import { describe, expect } from "vitest";
import {
  assertPairing,
  call,
  calls,
  eventsOf,
  fault,
  forever,
  type RecordedRequest,
  rawStream,
  type ScriptedModel,
  text,
} from "../../src/testing/index.ts";
import type { CliResult } from "../support/run-cli.ts";
import { type ResultEvent, resultOf, systemEvents } from "../support/stream-events.ts";
import { it, type World } from "../support/world.ts";
import { type WireUnderTest, wires, withoutEnd } from "./provider-wires.ts";

/** The program on every wire: what its ancestors did on one, and what they got wrong. */

function run(
  world: World,
  wire: WireUnderTest,
  model: ScriptedModel,
  more: readonly string[] = [],
): Promise<CliResult> {
  const args = ["-p", "go", "--provider", wire.provider, "-m", wire.model, "--base-url", model.url, ...more];
  return world.run(args, { env: { [wire.keyVariable]: world.key, CORECODER_STREAM_IDLE_TIMEOUT_MS: "2000" } });
}

function pairedRequests(model: ScriptedModel) {
  return model.requests.map(({ conversation }) => ({ body: { messages: conversation } }));
}

function toolTexts(request: RecordedRequest | undefined): string[] {
  return (request?.conversation ?? []).filter(({ role }) => role === "tool").map(({ content }) => String(content));
}

/** The conversation behind the system prompt. */
function spoken(request: RecordedRequest | undefined) {
  return (request?.conversation ?? []).filter(({ role }) => role !== "system");
}

const awkward = 'für "日本" 🦊\n\ttab \\n not a newline, \\u00e9 and a backslash \\';

describe.each(wires)("the program on $name", (wire) => {
  it.for([undefined, 1, 5] as const)(
    "runs calls that arrive in pieces once each with exactly their arguments (network pieces of %s bytes)",
    async (cutBytes, { world }) => {
      const first = call("write_file", { file_path: "a.txt", content: awkward }, { id: "call_a", fragments: 7 });
      const second = call(
        "write_file",
        { file_path: "b.txt", content: `${awkward}2` },
        { id: "call_b", fragments: 40 },
      );
      const model = await world.model(
        [calls([first, second], { order: "interleaved", text: "I write.", reasoning: "hm" }), text("done")],
        cutBytes === undefined ? {} : { cutBytes },
      );
      const result = await run(world, wire, model);
      expect(result).toMatchObject({ code: 0, stdout: "I write.\ndone\n" });
      expect([world.read("a.txt"), world.read("b.txt")]).toEqual([awkward, `${awkward}2`]);
      const [, assistant, ...results] = spoken(model.requests[1]);
      expect(assistant?.tool_calls?.map(({ id }) => id)).toEqual(["call_a", "call_b"]);
      expect(results.map(({ tool_call_id }) => tool_call_id)).toEqual(["call_a", "call_b"]);
      assertPairing(pairedRequests(model));
    },
  );

  it("answers a call whose arguments are cut off with what was received, or asks again", async ({ world }) => {
    const broken = '{"file_path": "a';
    const model = await world.model([call("write_file", broken), text("sorry")]);
    expect(await run(world, wire, model)).toMatchObject({ code: 0, stdout: "sorry\n" });
    assertPairing(pairedRequests(model));
    if (wire.streamsArguments) expect(toolTexts(model.requests[1])[0]).toContain(broken);
    else expect(model.requests[1]!.rawBody).toBe(model.requests[0]!.rawBody);
  });

  it("leaves out a field that the endpoint refuses, and nothing else", async ({ world }) => {
    const model = await world.model([
      fault(400, {
        error: { message: "`temperature` is not supported with this model", type: "invalid_request_error" },
      }),
      text("ok"),
    ]);
    expect(await run(world, wire, model, ["--temperature", "0"])).toMatchObject({ code: 0, stdout: "ok\n" });
    const [first, second] = model.requests.map(({ rawBody }) => rawBody);
    expect(first).toContain('"temperature":0');
    expect(second).toBe(
      first!.replace(/"temperature":0,|,"temperature":0|"generationConfig":\{"temperature":0\},/, ""),
    );
    expect(model.requests).toHaveLength(2);
  });

  it("asks a busy endpoint again after the time it names", async ({ world }) => {
    const model = await world.model([fault(429, undefined, { "retry-after": "1" }), fault(503), text("ok")]);
    const result = await run(world, wire, model, ["--output-format", "stream-json"]);
    expect(result.code).toBe(0);
    expect(model.requests).toHaveLength(3);
    expect(model.requests[1]!.receivedAt - model.requests[0]!.receivedAt).toBeGreaterThanOrEqual(990);
    expect(systemEvents(result.events, "api_retry")).toHaveLength(2);
    expect(new Set(model.requests.map(({ rawBody }) => rawBody)).size).toBe(1);
  });

  it("gives up on an endpoint that stays busy", async ({ world }) => {
    const model = await world.model([forever(fault(429, { error: { message: "come back later" } }))]);
    const result = await run(world, wire, model);
    expect(result.code).toBe(1);
    expect(model.requests.length).toBeLessThanOrEqual(6);
    expect(result.stderr).toContain("come back later");
  });

  it.for([
    [400, 1],
    [401, 41],
    [404, 1],
  ] as const)("asks exactly once after %i", async ([status, code], { world }) => {
    const model = await world.model([fault(status, { error: { message: "this will never work" } })]);
    const result = await run(world, wire, model);
    expect(result.code).toBe(code);
    expect(model.requests).toHaveLength(1);
    expect(result.stderr).toContain("this will never work");
  });

  it.for(["close", "hangup", "reset"] as const)(
    "continues an answer that breaks after some text (%s); no word comes twice",
    async (end, { world }) => {
      const half = withoutEnd(eventsOf(wire.name, text("Hello wor", { deltas: ["Hello ", "wor"] })));
      const model = await world.model([rawStream({ chunks: half, end }), text("ld!", { deltas: 1 })]);
      expect(await run(world, wire, model)).toMatchObject({ code: 0, stdout: "Hello world!\n" });
      const [, partial, notice] = spoken(model.requests[1]);
      expect([partial?.role, partial?.content]).toEqual(["assistant", "Hello wor"]);
      expect(notice?.role).toBe("user");
    },
  );

  it("never runs a call of an answer that broke", async ({ world }) => {
    const half = withoutEnd(eventsOf(wire.name, calls([call("bash", { command: "touch made" })])));
    const model = await world.model([rawStream({ chunks: half, end: "hangup" }), text("ok")]);
    expect((await run(world, wire, model, ["--dangerously-skip-permissions"])).code).toBe(0);
    expect(() => world.read("made")).toThrow();
    expect(toolTexts(model.requests[1])).toEqual([]);
  });

  it("continues an answer that was cut by its length, and does not run the call that was cut", async ({ world }) => {
    const model = await world.model([text("The first half, ", { finishReason: "length" }), text("and the second.")]);
    const result = await run(world, wire, model);
    expect(result).toMatchObject({ code: 0, stdout: "The first half, and the second.\n" });
    if (!wire.streamsArguments) return;
    const cut = await world.model([
      calls([call("bash", '{"command":"touch ma')], { finishReason: "length" }),
      text("ok"),
    ]);
    expect((await run(world, wire, cut, ["--dangerously-skip-permissions"])).code).toBe(0);
    expect(() => world.read("ma")).toThrow();
    assertPairing(pairedRequests(cut));
  });

  it("adds up the vendor's bill to the cent, cache reads and writes included", async ({ world }) => {
    const first = { inputTokens: 10_000, outputTokens: 500, cacheWriteTokens: 8_000 };
    const second = {
      inputTokens: 12_000,
      outputTokens: 1_000,
      cachedTokens: 8_000,
      cacheWriteTokens: 3_000,
      reasoningTokens: 400,
    };
    const model = await world.model([
      calls([call("bash", { command: "echo hi" })], { usage: first }),
      text("ok", { usage: second }),
    ]);
    const result = await run(world, wire, model, ["--output-format", "json"]);
    const { usage, total_cost_usd } = JSON.parse(result.stdout) as ResultEvent;
    const writes = wire.reportsCacheWrites ? 11_000 : 0;
    expect(usage).toMatchObject({
      output_tokens: 1_500,
      cache_read_input_tokens: 8_000,
      cache_creation_input_tokens: writes,
    });
    // dollars for a million tokens, from the vendors' own price pages
    const rates = {
      "gpt-4o": { input: 2.5, read: 1.25, write: 2.5, output: 10 },
      "claude-sonnet-4-5": { input: 3, read: 0.3, write: 3.75, output: 15 },
      "gemini-2.5-pro": { input: 1.25, read: 0.125, write: 1.25, output: 10 },
    }[wire.model as "gpt-4o" | "claude-sonnet-4-5" | "gemini-2.5-pro"];
    const plain = 22_000 - 8_000 - writes;
    const bill = plain * rates.input + 8_000 * rates.read + writes * rates.write + 1_500 * rates.output;
    expect(total_cost_usd).toBeCloseTo(bill / 1_000_000, 8);
  });

  it("finds the key in the vendor's own variable and keeps it out of what it prints", async ({ world }) => {
    const model = await world.model([fault(400, { error: { message: `odd key ${world.key}` } })]);
    const result = await run(world, wire, model);
    expect(JSON.stringify(model.requests[0]!.headers)).toContain(world.key);
    expect(result.stdout + result.stderr).not.toContain(world.key);
  });

  it("says that an answer was withheld", async ({ world }) => {
    const model = await world.model([text("", { finishReason: "content_filter" })]);
    const result = await run(world, wire, model, ["--output-format", "stream-json"]);
    expect(result.code).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(resultOf(result.events).is_error).toBe(true);
    expect(result.stderr).toMatch(/filter/);
  });
});
