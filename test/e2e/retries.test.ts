import { describe, expect } from "vitest";
import {
  assertPairing,
  call,
  fault,
  forever,
  type RawEnd,
  rawStream,
  type ScriptedModel,
  text,
} from "../../src/testing/index.ts";
import { resultOf, systemEvents } from "../support/stream-events.ts";
import { contentText, messagesWithRole } from "../support/wire-messages.ts";
import { it } from "../support/world.ts";

function gapMs(model: ScriptedModel, n: number): number {
  return model.requests[n]!.receivedAt - model.requests[n - 1]!.receivedAt;
}

function delta(content: string): string {
  return `data: ${JSON.stringify({ id: "c", choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`;
}

describe("an endpoint that is busy", () => {
  it("is asked again after the time it names, and the run succeeds", async ({ world }) => {
    const model = await world.model([fault(429, undefined, { "retry-after": "1" }), fault(503), text("ok")]);
    const result = await world.run(["-p", "hi", "--output-format", "stream-json"], { model });
    expect(result.code).toBe(0);
    expect(model.requests).toHaveLength(3);
    expect(gapMs(model, 1)).toBeGreaterThanOrEqual(990);
    const retries = systemEvents(result.events, "api_retry");
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2]);
    expect(retries[0]!.delay_ms).toBeGreaterThanOrEqual(1000);
    expect(retries.every(({ reason }) => typeof reason === "string" && reason.length > 0)).toBe(true);
    expect(new Set(model.requests.map(({ rawBody }) => rawBody)).size).toBe(1);
  });

  it("gives way to the model that --fallback-model names when it stays overloaded", async ({ world }) => {
    const model = await world.model(({ body }) => (body.model === "first" ? fault(503) : text(`from ${body.model}`)));
    const result = await world.run(["-p", "hi", "-m", "first", "--fallback-model", "second"], { model });
    expect([result.code, result.stdout]).toEqual([0, "from second\n"]);
    expect(result.stderr).toMatch(/first stays overloaded; going on with second/);
    expect(model.requests.map(({ body }) => body.model).slice(-2)).toEqual(["first", "second"]);
    const alone = await world.run(["-p", "hi", "-m", "first", "--fallback-model", "first"], { model });
    expect(alone.code).toBe(1);
  });

  it("may name the time in milliseconds", async ({ world }) => {
    const model = await world.model([fault(429, undefined, { "retry-after-ms": "350" }), text("ok")]);
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(gapMs(model, 1)).toBeGreaterThanOrEqual(345);
    expect(gapMs(model, 1)).toBeLessThan(1500);
  });

  it("may name the time as a date", async ({ world }) => {
    const model = await world.model((_, index) =>
      index === 0 ? fault(503, undefined, { "retry-after": new Date(Date.now() + 2000).toUTCString() }) : text("ok"),
    );
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(gapMs(model, 1)).toBeGreaterThanOrEqual(900);
    expect(gapMs(model, 1)).toBeLessThan(3500);
  });

  it.for([408, 409, 429, 500, 502, 503, 504, 529])("is asked again after %i", async (status, { world }) => {
    const model = await world.model([fault(status), text("ok")]);
    expect(await world.run(["-p", "hi"], { model })).toMatchObject({ code: 0, stdout: "ok\n" });
    expect(model.requests).toHaveLength(2);
  });

  it.for([429, 503])("for ever (%i) ends the run after at most 6 requests with a reason", async (status, { world }) => {
    const model = await world.model([forever(fault(status, { error: { message: "come back later" } }))]);
    const result = await world.run(["-p", "hi", "--output-format", "stream-json"], { model });
    expect(result.code).toBe(1);
    expect(model.requests.length).toBeLessThanOrEqual(6);
    expect(model.requests.length).toBeGreaterThan(1);
    expect(resultOf(result.events)).toMatchObject({ subtype: "error_during_execution", is_error: true });
    expect(result.stderr).toMatch(new RegExp(String(status)));
    expect(result.stderr).toContain("come back later");
  });

  it.for([400, 403, 404, 422])("is asked exactly once after %i", async (status, { world }) => {
    const model = await world.model([fault(status, { error: { message: "this will never work" } })]);
    const result = await world.run(["-p", "hi"], { model });
    expect(result.code === 1 || result.code === 41).toBe(true);
    expect(model.requests).toHaveLength(1);
    expect(result.stderr).toContain("this will never work");
  });

  it("is not asked again when the account is out of money", async ({ world }) => {
    const model = await world.model([
      fault(429, {
        error: { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
      }),
    ]);
    const result = await world.run(["-p", "hi"], { model });
    expect(result.code).toBe(1);
    expect(model.requests).toHaveLength(1);
    expect(result.stderr).toMatch(/quota/);
  });

  it("tells the person on stderr that it waits", async ({ world }) => {
    const model = await world.model([fault(503), text("ok")]);
    const result = await world.run(["-p", "hi"], { model });
    expect(result.stderr).toMatch(/retr|again/i);
  });
});

describe("a stream that breaks", () => {
  it.for<RawEnd>(["close", "hangup", "reset"])(
    "before any text (%s) is asked for again, unchanged",
    async (end, { world }) => {
      const model = await world.model([rawStream({ chunks: [delta("")], end }), text("ok")]);
      expect(await world.run(["-p", "hi"], { model })).toMatchObject({ code: 0, stdout: "ok\n" });
      expect(model.requests).toHaveLength(2);
      expect(model.requests[1]!.rawBody).toBe(model.requests[0]!.rawBody);
    },
  );

  it.for<RawEnd>(["close", "hangup", "reset", "stall", "keepalive-stall"])(
    "after some text (%s) is continued, and no word is shown or stored twice",
    async (end, { world }) => {
      const model = await world.model([
        rawStream({ chunks: [delta("Hello "), delta("wor")], end, keepaliveMs: 100 }),
        text("ld!", { deltas: 1 }),
      ]);
      const result = await world.run(["-p", "hi"], { model, env: { CORECODER_STREAM_IDLE_TIMEOUT_MS: "600" } });
      expect(result).toMatchObject({ code: 0, stdout: "Hello world!\n" });
      expect(model.requests).toHaveLength(2);
      const { messages } = model.requests[1]!.body;
      expect(messages.slice(2).map((message) => message.role)).toEqual(["assistant", "user"]);
      expect(contentText(messages[2])).toBe("Hello wor");
    },
  );

  it("again and again is reported in the end, not taken for a complete answer", async ({ world }) => {
    const model = await world.model([forever(rawStream({ chunks: [delta("word ")], end: "hangup" }))]);
    const result = await world.run(["-p", "hi", "--output-format", "stream-json"], { model });
    expect(result.code).toBe(1);
    expect(model.requests.length).toBeLessThanOrEqual(6);
    expect(resultOf(result.events)).toMatchObject({ subtype: "error_during_execution", is_error: true });
  });

  it("in the middle of a tool call never runs it, and leaves no trace of the call in the history", async ({
    world,
  }) => {
    const half = {
      choices: [
        {
          index: 0,
          delta: {
            tool_calls: [{ index: 0, id: "x", function: { name: "bash", arguments: '{"command":"touch made"}' } }],
          },
          finish_reason: null,
        },
      ],
    };
    const model = await world.model([
      rawStream({ chunks: [`data: ${JSON.stringify(half)}\n\n`], end: "hangup" }),
      text("ok"),
    ]);
    const result = await world.run(["-p", "hi", "--dangerously-skip-permissions"], { model });
    expect(result.code).toBe(0);
    expect(() => world.read("made")).toThrow();
    assertPairing(model.requests);
    expect(messagesWithRole(model.requests[1], "tool")).toEqual([]);
  });

  it("is retried in a later round as well, without running its tools again", async ({ world }) => {
    const model = await world.model([
      call("write_file", { file_path: "log.txt", content: "once" }),
      rawStream({ chunks: [], end: "reset" }),
      text("ok"),
    ]);
    expect((await world.run(["-p", "hi"], { model })).code).toBe(0);
    expect(model.requests[2]!.rawBody).toBe(model.requests[1]!.rawBody);
    expect(messagesWithRole(model.requests[2], "tool")).toHaveLength(1);
  });
});
