import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { chooseVendor } from "../../src/providers/choose-vendor.ts";
import { connect } from "../../src/providers/connect.ts";
import {
  call,
  calls,
  errorEvent,
  eventsOf,
  fault,
  type Reply,
  rawStream,
  stall,
  text,
} from "../../src/testing/index.ts";
import { sharedFolder } from "../support/repo-root.ts";
import { goWith, raw, usePlayer } from "./provider-player.ts";
import { ask, createMemory, providerFor, type WireUnderTest, withoutEnd } from "./provider-wires.ts";

/** Everything that goes wrong between a model and us, and the code it must come out as. */

const hello = text("Hello", { deltas: ["Hel", "lo"] });
const oneCall = calls([call("bash", { command: "ls" }, { id: "a" })]);
const errorPage = "<!doctype html><html><head><title>Sign in</title></head><body>no</body></html>";

type Refusal = {
  id: string;
  expect: "overflow" | "not-overflow";
  status: number;
  body: unknown;
  channel?: string;
  hard?: boolean;
};

const overflowFile = join(sharedFolder, "corpora/overflow-errors.json");
const refusals = (
  existsSync(overflowFile) ? (JSON.parse(readFileSync(overflowFile, "utf8")) as { cases: Refusal[] }).cases : []
).filter(({ hard, channel }) => !hard && channel !== "silent");

export function providerFaultCases(wire: WireUnderTest): void {
  const player = usePlayer(wire);

  describe("a stream that breaks", () => {
    const half = () => withoutEnd(eventsOf(wire.name, hello));

    it.each(["close", "hangup", "reset"] as const)("before any byte (%s) is no answer", async (end) => {
      const { code, shown } = await player.play(raw([], end));
      expect(["broken-stream", "network"]).toContain(code);
      expect(shown).toBe("");
    });

    it.each(["close", "hangup", "reset"] as const)(
      "after some text (%s) has shown it and is no answer",
      async (end) => {
        expect(await player.play(raw(half(), end))).toMatchObject({
          code: "broken-stream",
          shown: "Hello",
          answer: undefined,
        });
      },
    );

    it("after a whole call is no answer", async () => {
      const before = withoutEnd(eventsOf(wire.name, oneCall));
      expect((await player.play(raw(before, "hangup"))).code).toBe("broken-stream");
    });

    it("in the middle of an event is no answer", async () => {
      const cut = `${half().join("")}data: {"cand`;
      expect(await player.play(raw([cut]))).toMatchObject({ code: "broken-stream", shown: "Hello" });
    });

    it("in the middle of a compressed body has shown what came before", async () => {
      const packed = gzipSync(half().join(""));
      const headers = { "content-encoding": "gzip" };
      expect((await player.play(raw([packed.subarray(0, packed.length - 4)], "hangup", { headers }))).code).toBe(
        "broken-stream",
      );
    });

    it("by an event that is no JSON is no answer: what it held is lost", async () => {
      const [first = "", ...rest] = eventsOf(wire.name, hello);
      expect((await player.play(raw([first, "data: {oops\n\n", ...rest]))).code).toBe("broken-stream");
    });

    it("by going silent is given up", async () => {
      expect(await player.play(raw(half(), "stall"), { idleMs: 300 })).toMatchObject({
        code: "stalled",
        shown: "Hello",
      });
      expect((await player.play(stall(), { idleMs: 300 })).code).toBe("stalled");
    });

    it.each([": keep-alive\n\n", 'event: ping\ndata: {"type":"ping"}\n\n', 'data: {"type":"keepalive"}\n\n'])(
      "but goes on with signs of life (%j) is given up all the same",
      async (keepalive) => {
        const alive = raw(half(), "keepalive-stall", { keepalive, keepaliveMs: 40 });
        expect((await player.play(alive, { idleMs: 400 })).code).toBe("stalled");
      },
    );

    it("into events that carry nothing is given up", async () => {
      const empty = {
        "openai-chat": { choices: [{ index: 0, delta: {}, finish_reason: null }] },
        "openai-responses": { type: "response.in_progress", response: {} },
        "anthropic-messages": { type: "content_block_delta", index: 9, delta: { type: "text_delta", text: "" } },
        "gemini-generate-content": { candidates: [{ content: { role: "model", parts: [{ text: "" }] }, index: 0 }] },
      }[wire.name];
      const flood = `data: ${JSON.stringify(empty)}\n\n`.repeat(6_000);
      const { code, error } = await player.play(raw([flood], "stall"));
      expect(code).toBe("stalled");
      expect(error?.message).toMatch(/carried nothing/);
    });
  });

  describe("an error", () => {
    it.each([
      [529, "overloaded_error", "Overloaded", "overloaded"],
      [500, "server_error", "Internal server error", "overloaded"],
      [429, "rate_limit_exceeded", "Rate limit reached, please try again in 1.5s.", "rate-limit"],
      [400, "invalid_request_error", "messages: text is required", "bad-request"],
      [400, "context_length_exceeded", "Your input exceeds the context window of this model.", "context-overflow"],
    ] as const)("inside a stream that began well (%i %s) keeps its meaning", async (status, type, words, code) => {
      const event = errorEvent(wire.name, { status, type, message: words });
      const outcome = await player.play(raw([event]));
      expect(outcome).toMatchObject({ code, answer: undefined });
      expect(outcome.error?.message).toContain(words);
      if (code === "rate-limit") expect(outcome.error?.retryAfterMs).toBe(1500);
      const [first = "", second = ""] = eventsOf(wire.name, text("Hello", { deltas: 1 }));
      expect((await player.play(raw([first, second, event]))).code).toBe(code);
    });

    it("instead of data, as some local servers write it, is an error", async () => {
      const event = 'error: {"code":500,"message":"the slot is gone","type":"server_error"}\n\n';
      expect(await player.play(raw([event]))).toMatchObject({ code: "overloaded" });
    });

    it("as a whole body with status 200 is an error", async () => {
      const body = JSON.stringify({ error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } });
      for (const sent of [body, `[${body}]`])
        expect((await player.play(raw([sent], "close", { contentType: "application/json" }))).code).toBe("overloaded");
    });

    it.each([
      [401, "auth"],
      [403, "auth"],
      [402, "quota"],
      [404, "not-found"],
      [408, "overloaded"],
      [409, "overloaded"],
      [413, "context-overflow"],
      [429, "rate-limit"],
      [500, "overloaded"],
      [503, "overloaded"],
      [529, "overloaded"],
    ] as const)("response with status %i is %s", async (status, code) => {
      const { error } = await player.play(fault(status, { error: { message: "no luck" } }));
      expect(error).toMatchObject({ code, status });
    });

    it("response names the time to wait, in its head or in its words", async () => {
      expect((await player.play(fault(429, undefined, { "retry-after": "2" }))).error?.retryAfterMs).toBe(2000);
      const google = { error: { code: 429, message: "quota", details: [{ retryDelay: "7s" }] } };
      expect((await player.play(fault(429, google))).error).toMatchObject({ code: "rate-limit", retryAfterMs: 7000 });
    });

    it("page of a proxy is named by its title", async () => {
      const signIn = await player.play(raw([errorPage], "close", { contentType: "text/html" }));
      expect(signIn.code).toBe("not-a-stream");
      expect(signIn.error?.message).toContain("Sign in");
      const unannounced = await player.play(raw([errorPage]));
      expect(unannounced.code).toBe("not-a-stream");
      const busy = await player.play(fault(503, errorPage));
      expect(busy.code).toBe("overloaded");
      expect(busy.error?.message).not.toContain("<body>");
    });

    it("response may be compressed", async () => {
      const headers = { "content-encoding": "gzip", "content-type": "application/json" };
      const body = gzipSync('{"error":{"message":"no such model"}}');
      const { error } = await player.play(rawStream({ status: 404, headers, chunks: [body], end: "close" }));
      expect(error).toMatchObject({ code: "not-found", message: expect.stringContaining("no such model") });
    });

    it.each(["", "{}", "[]", '{"usage":', "null"])("is what a body of %j is", async (body) => {
      const { code } = await player.play(raw([body], "close", { contentType: "application/json" }));
      expect(["broken-stream", "empty"]).toContain(code);
    });

    it("hides the key", async () => {
      player.says(fault(400, { error: { message: "the key sk-secret-1 is odd" } }));
      const choice = chooseVendor({
        provider: wire.provider,
        model: wire.model,
        baseUrl: player.model.url,
        keyVariable: undefined,
      });
      const provider = connect({ choice, apiKey: "sk-secret-1", idleTimeoutMs: 1000, memory: createMemory() });
      expect((await ask(provider, goWith(wire))).error?.message).not.toContain("sk-secret-1");
    });

    it("is what an answer is of which a filter left nothing", async () => {
      expect((await player.play(text("", { finishReason: "content_filter" }))).code).toBe("content-filter");
    });
  });

  describe.skipIf(refusals.length === 0)("a refusal (skipped without ../shared/corpora)", () => {
    it.each(refusals.map((one) => [one.id, one] as const))("such as %s is told apart by its code", async (_id, one) => {
      const body = typeof one.body === "string" ? one.body : JSON.stringify(one.body);
      const replies: Reply[] =
        one.status === 200
          ? [raw([body], "close", { contentType: "application/json" }), raw([`data: ${body}\n\n`])]
          : [fault(one.status, body)];
      for (const next of replies)
        expect((await player.play(next)).code === "context-overflow" ? "overflow" : "not-overflow").toBe(one.expect);
    });
  });

  describe("an interruption", () => {
    it("ends the request at once, before the answer and in the middle of it", async () => {
      for (const next of [stall(), raw(eventsOf(wire.name, hello).slice(0, 3), "stall")]) {
        player.says(next);
        const abort = new AbortController();
        const seen = player.model.requests.length;
        const outcome = ask(providerFor(wire, { url: player.model.url }), goWith(wire), abort.signal);
        await player.model.waitForRequest(seen + 1);
        abort.abort();
        expect((await outcome).code).toBe("aborted");
      }
    });
  });
}
