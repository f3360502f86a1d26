import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { StopReason } from "../../src/contracts/message.ts";
import {
  bodyOf,
  call,
  calls,
  errorEvent,
  eventsOf,
  type FinishReason,
  fault,
  type RawEnd,
  type Reply,
  rawStream,
  type ScriptedAnswer,
  type ScriptedModel,
  stall,
  startScriptedModel,
  text,
} from "../../src/testing/index.ts";
import { sharedFolder } from "../support/repo-root.ts";
import {
  ask,
  callsOf,
  createMemory,
  image,
  message,
  type Outcome,
  providerFor,
  requestWith,
  resultOf,
  said,
  textIn,
  type WireUnderTest,
  withoutEnd,
} from "./provider-wires.ts";

/** What every wire must make of answers, faults and histories, whatever they look like on the network. */

const usage = { inputTokens: 1234, outputTokens: 56, cachedTokens: 1000 };
const awkward = { command: 'echo "für 日本 🦊"\n\t\\', timeout: 3, nested: { a: [1, null, "\u2028"] } };

const shapes: readonly (readonly [string, ScriptedAnswer])[] = [
  ["one word", text("hello", { usage })],
  ["many deltas", text("word ".repeat(40), { deltas: 60, usage })],
  ["characters of every width", text("aß日🦊\u0000\r\n\u2028e\u0301", { deltas: 9 })],
  ["a deliberate no", text("I will not do that.", { finishReason: "refusal" })],
  ["text cut by its length", text("half a sen", { finishReason: "length" })],
  ["text cut by a filter", text("half a sen", { finishReason: "content_filter" })],
  ["thinking before text", text("answer", { reasoning: "first I think about it" })],
  ["one call in one piece", calls([call("bash", awkward, { id: "a" })], { usage })],
  ["one call in many pieces", calls([call("bash", awkward, { id: "a", fragments: 30 })])],
  ["a call without arguments", calls([call("list", {}, { id: "a" })])],
  ["a call without an id", calls([call("bash", awkward)])],
  ["parallel calls", calls([1, 2, 3].map((n) => call("bash", { n }, { id: `c${n}`, fragments: 4 })))],
  [
    "calls that take turns",
    calls(
      [1, 2, 3].map((n) => call("bash", { n, ...awkward }, { id: `c${n}`, fragments: n * 5 })),
      { order: "interleaved" },
    ),
  ],
  [
    "thinking, text and calls",
    calls([call("bash", awkward, { id: "a", fragments: 3 })], {
      text: "I look.",
      reasoning: "hm, well",
      usage: { inputTokens: 900, outputTokens: 80, cachedTokens: 500, cacheWriteTokens: 300, reasoningTokens: 30 },
    }),
  ],
];

const stops: Readonly<Record<FinishReason, StopReason>> = {
  stop: "end",
  tool_calls: "tool-calls",
  length: "length",
  content_filter: "content-filter",
  refusal: "content-filter",
};

function expectAnswer(wire: WireUnderTest, scripted: ScriptedAnswer, outcome: Outcome): void {
  const { answer, shown, thought, error } = outcome;
  expect(error).toBeUndefined();
  const whole = scripted.deltas.join("");
  expect([textIn(answer), shown]).toEqual([whole, whole]);
  expect([textIn(answer, "thinking"), thought]).toEqual([scripted.reasoning.join(""), scripted.reasoning.join("")]);
  expect(answer?.stopReason).toBe(stops[scripted.finishReason]);
  const made = callsOf(answer);
  expect(made.map(({ tool, input }) => ({ tool, input }))).toEqual(
    scripted.calls.map(({ name, arguments: input }) => ({ tool: name, input: JSON.parse(input) })),
  );
  for (const [at, { id }] of scripted.calls.entries()) if (id !== undefined) expect(made[at]?.callId).toBe(id);
  expect(new Set(made.map(({ callId }) => callId)).size).toBe(made.length);
  expect(made.every(({ callId }) => callId !== "")).toBe(true);
  if (scripted.usage === undefined || scripted.usage === "none") return;
  expect(answer?.usage).toEqual({
    inputTokens: scripted.usage.inputTokens,
    outputTokens: scripted.usage.outputTokens,
    cacheReadTokens: scripted.usage.cachedTokens ?? 0,
    cacheWriteTokens: wire.reportsCacheWrites ? (scripted.usage.cacheWriteTokens ?? 0) : 0,
  });
}

const hello = text("Hello", { deltas: ["Hel", "lo"], usage });
const oneCall = calls([call("bash", { command: "ls" }, { id: "a" })]);

/** The same events in another frame. */
const frames: readonly (readonly [string, (stream: string) => string | Uint8Array])[] = [
  ["line ends of Windows", (stream) => stream.replaceAll("\r\n", "\n").replaceAll("\n", "\r\n")],
  ["line ends of old Macs", (stream) => stream.replaceAll("\r\n", "\n").replaceAll("\n", "\r")],
  ["a byte order mark", (stream) => `\ufeff${stream}`],
  ["blank lines before the first event", (stream) => `\n\n${stream}`],
  ["no space behind the colon", (stream) => stream.replaceAll("data: ", "data:")],
  ["comments, ids and retry fields", (stream) => stream.replaceAll("data: ", ": hi\nid: 1\nretry: 10\ndata: ")],
  ["no blank line at the end", (stream) => stream.trimEnd()],
  ["something behind the end", (stream) => `${stream}data: [DONE]\n\ndata: {"late":true}\n\n`],
  ["an event of a kind nobody knows", (stream) => `event: telemetry\ndata: {"type":"telemetry","x":1}\n\n${stream}`],
  ["numbers and nulls as events", (stream) => `data: null\n\ndata: 7\n\n${stream}`],
];

function joined(wire: WireUnderTest, answer: ScriptedAnswer): string {
  return eventsOf(wire.name, answer).join("");
}

/** JSON of an event over several data lines. */
function overSeveralLines(stream: string): string {
  return stream.replace(/^(data: \{[^\n]*?,)/gm, "$1\ndata: ");
}

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

export function providerCases(wire: WireUnderTest): void {
  let reply: Reply = text("");
  const models: ScriptedModel[] = [];
  const cuts: readonly (number | (() => number) | undefined)[] = [
    undefined,
    1,
    7,
    13,
    () => 1 + Math.floor(Math.random() * 90),
  ];
  let model: ScriptedModel;

  beforeAll(async () => {
    for (const cutBytes of cuts)
      models.push(await startScriptedModel(() => reply, cutBytes === undefined ? {} : { cutBytes }));
    model = models[0] as ScriptedModel;
  });
  afterAll(() => Promise.all(models.map((one) => one.close())));

  const go = () => requestWith(wire, [message("user", said("go"))]);

  async function play(next: Reply, more: { readonly on?: ScriptedModel; readonly idleMs?: number } = {}) {
    reply = next;
    const url = (more.on ?? model).url;
    return ask(providerFor(wire, { url, ...(more.idleMs === undefined ? {} : { idleMs: more.idleMs }) }), go());
  }

  const raw = (chunks: readonly (string | Uint8Array)[], end: RawEnd = "close", more: object = {}) =>
    rawStream({ chunks, end, ...more });

  describe("an answer", () => {
    it.each(shapes)("with %s is the same however the network cuts it", async (_name, scripted) => {
      for (const on of models) expectAnswer(wire, scripted, await play(scripted, { on }));
    });

    it.each(shapes)("with %s may come as one body", async (_name, scripted) => {
      for (const contentType of ["application/json", "text/event-stream"]) {
        const body = bodyOf(wire.name, scripted);
        expectAnswer(wire, scripted, await play(raw([body], "close", { contentType })));
      }
    });

    it.each(frames)("is understood with %s", async (_name, change) => {
      for (const scripted of [hello, oneCall])
        expectAnswer(wire, scripted, await play(raw([change(joined(wire, scripted))])));
    });

    it("is understood when an event is spread over several lines", async () => {
      expectAnswer(wire, hello, await play(raw([overSeveralLines(joined(wire, hello))])));
    });

    it.each(["text/plain", "application/json", "application/octet-stream"])(
      "is understood when it is announced as %s",
      async (contentType) => {
        expectAnswer(wire, hello, await play(raw([joined(wire, hello)], "close", { contentType })));
      },
    );

    it.each([
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const)("is understood when it is compressed (%s)", async (encoding, compress) => {
      const headers = { "content-encoding": encoding };
      for (const on of models.slice(0, 3))
        expectAnswer(wire, hello, await play(raw([compress(joined(wire, hello))], "close", { headers }), { on }));
    });

    it("is complete although the socket stays open", async () => {
      const startedAt = performance.now();
      expectAnswer(wire, hello, await play(raw([joined(wire, hello)], "stall")));
      expect(performance.now() - startedAt).toBeLessThan(2000);
    });

    it("is complete although the connection breaks behind it", async () => {
      for (const end of ["hangup", "reset"] as const)
        expectAnswer(wire, hello, await play(raw([joined(wire, hello)], end)));
    });

    it("announces a call before its end, and only whole ones", async () => {
      const { events, answer } = await play(
        calls([call("bash", awkward, { id: "a", fragments: 9 }), call("list", {})]),
      );
      const announced = events.flatMap((event) => (event.type === "tool-call" ? [event.call] : []));
      for (const one of announced) expect(callsOf(answer)).toContainEqual(one);
      if (wire.name !== "openai-chat") expect(announced).toHaveLength(2);
    });
  });

  describe("arguments", () => {
    it.skipIf(!wire.streamsArguments).each([
      ["cut off", '{"command": "l'],
      ["with a comma too many", '{"command":"ls",}'],
      ["a list", '["ls"]'],
      ["null", "null"],
      ["a text", '"ls"'],
      ["followed by more", '{"command":"ls"} and'],
    ])("that are %s are kept as they were written, and not taken for a call", async (_name, written) => {
      const { answer, events } = await play(calls([call("bash", written, { id: "a", fragments: 3 })]));
      expect(callsOf(answer)).toMatchObject([{ callId: "a", tool: "bash", input: undefined, rawInput: written }]);
      expect(events.filter((event) => event.type === "tool-call")).toEqual([]);
    });

    it.skipIf(wire.streamsArguments)("that are no JSON never arrive: the answer is asked for again", async () => {
      expect((await play(calls([call("bash", '{"command": "l')]))).code).toBe("broken-stream");
    });

    it("that are empty mean none", async () => {
      const { answer } = await play(calls([call("list", wire.streamsArguments ? "" : "{}", { id: "a" })]));
      expect(callsOf(answer)).toMatchObject([{ tool: "list", input: {} }]);
    });

    it("of two megabytes take no more than a moment", async () => {
      const content = "x".repeat(2_000_000);
      const startedAt = performance.now();
      const { answer } = await play(calls([call("bash", { content }, { id: "a", fragments: 20_000 })]));
      expect(callsOf(answer)[0]?.input).toEqual({ content });
      expect(performance.now() - startedAt).toBeLessThan(5000);
    });

    it("of calls with the same id stay with their calls", async () => {
      const twins = calls([call("bash", { n: 1 }, { id: "dup" }), call("bash", { n: 2 }, { id: "dup" })]);
      const made = callsOf((await play(twins)).answer);
      expect(made.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
      expect(new Set(made.map(({ callId }) => callId)).size).toBe(2);
    });
  });

  describe("a stream that breaks", () => {
    const half = () => withoutEnd(eventsOf(wire.name, hello));

    it.each(["close", "hangup", "reset"] as const)("before any byte (%s) is no answer", async (end) => {
      const { code, shown } = await play(raw([], end));
      expect(["broken-stream", "network"]).toContain(code);
      expect(shown).toBe("");
    });

    it.each(["close", "hangup", "reset"] as const)(
      "after some text (%s) has shown it and is no answer",
      async (end) => {
        expect(await play(raw(half(), end))).toMatchObject({
          code: "broken-stream",
          shown: "Hello",
          answer: undefined,
        });
      },
    );

    it("after a whole call is no answer", async () => {
      const before = withoutEnd(eventsOf(wire.name, oneCall));
      expect((await play(raw(before, "hangup"))).code).toBe("broken-stream");
    });

    it("in the middle of an event is no answer", async () => {
      const cut = `${half().join("")}data: {"cand`;
      expect(await play(raw([cut]))).toMatchObject({ code: "broken-stream", shown: "Hello" });
    });

    it("in the middle of a compressed body has shown what came before", async () => {
      const packed = gzipSync(half().join(""));
      const headers = { "content-encoding": "gzip" };
      expect((await play(raw([packed.subarray(0, packed.length - 4)], "hangup", { headers }))).code).toBe(
        "broken-stream",
      );
    });

    it("by an event that is no JSON is no answer: what it held is lost", async () => {
      const [first = "", ...rest] = eventsOf(wire.name, hello);
      expect((await play(raw([first, "data: {oops\n\n", ...rest]))).code).toBe("broken-stream");
    });

    it("by going silent is given up", async () => {
      expect(await play(raw(half(), "stall"), { idleMs: 300 })).toMatchObject({ code: "stalled", shown: "Hello" });
      expect((await play(stall(), { idleMs: 300 })).code).toBe("stalled");
    });

    it.each([": keep-alive\n\n", 'event: ping\ndata: {"type":"ping"}\n\n', 'data: {"type":"keepalive"}\n\n'])(
      "but goes on with signs of life (%j) is given up all the same",
      async (keepalive) => {
        const alive = raw(half(), "keepalive-stall", { keepalive, keepaliveMs: 40 });
        expect((await play(alive, { idleMs: 400 })).code).toBe("stalled");
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
      expect((await play(raw([flood], "stall"))).code).toBe("stalled");
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
      const outcome = await play(raw([event]));
      expect(outcome).toMatchObject({ code, answer: undefined });
      expect(outcome.error?.message).toContain(words);
      if (code === "rate-limit") expect(outcome.error?.retryAfterMs).toBe(1500);
      const [first = "", second = ""] = eventsOf(wire.name, text("Hello", { deltas: 1 }));
      expect((await play(raw([first, second, event]))).code).toBe(code);
    });

    it("instead of data, as some local servers write it, is an error", async () => {
      const event = 'error: {"code":500,"message":"the slot is gone","type":"server_error"}\n\n';
      expect(await play(raw([event]))).toMatchObject({ code: "overloaded" });
    });

    it("as a whole body with status 200 is an error", async () => {
      const body = JSON.stringify({ error: { code: 503, message: "The model is overloaded", status: "UNAVAILABLE" } });
      for (const sent of [body, `[${body}]`])
        expect((await play(raw([sent], "close", { contentType: "application/json" }))).code).toBe("overloaded");
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
      const { error } = await play(fault(status, { error: { message: "no luck" } }));
      expect(error).toMatchObject({ code, status });
    });

    it("response names the time to wait, in its head or in its words", async () => {
      expect((await play(fault(429, undefined, { "retry-after": "2" }))).error?.retryAfterMs).toBe(2000);
      const google = { error: { code: 429, message: "quota", details: [{ retryDelay: "7s" }] } };
      expect((await play(fault(429, google))).error).toMatchObject({ code: "rate-limit", retryAfterMs: 7000 });
    });

    it("page of a proxy is named by its title", async () => {
      const signIn = await play(raw([errorPage], "close", { contentType: "text/html" }));
      expect(signIn.code).toBe("not-a-stream");
      expect(signIn.error?.message).toContain("Sign in");
      const unannounced = await play(raw([errorPage]));
      expect(unannounced.code).toBe("not-a-stream");
      const busy = await play(fault(503, errorPage));
      expect(busy.code).toBe("overloaded");
      expect(busy.error?.message).not.toContain("<body>");
    });

    it("response may be compressed", async () => {
      const headers = { "content-encoding": "gzip", "content-type": "application/json" };
      const body = gzipSync('{"error":{"message":"no such model"}}');
      const { error } = await play(rawStream({ status: 404, headers, chunks: [body], end: "close" }));
      expect(error).toMatchObject({ code: "not-found", message: expect.stringContaining("no such model") });
    });

    it.each(["", "{}", "[]", '{"usage":', "null"])("is what a body of %j is", async (body) => {
      const { code } = await play(raw([body], "close", { contentType: "application/json" }));
      expect(["broken-stream", "empty"]).toContain(code);
    });

    it("hides the key", async () => {
      reply = fault(400, { error: { message: "the key sk-secret-1 is odd" } });
      const { chooseVendor } = await import("../../src/providers/choose-vendor.ts");
      const { connect } = await import("../../src/providers/connect.ts");
      const choice = chooseVendor({
        provider: wire.provider,
        model: wire.model,
        baseUrl: model.url,
        keyVariable: undefined,
      });
      const provider = connect({ choice, apiKey: "sk-secret-1", idleTimeoutMs: 1000, memory: createMemory() });
      expect((await ask(provider, go())).error?.message).not.toContain("sk-secret-1");
    });

    it("is what an answer is of which a filter left nothing", async () => {
      expect((await play(text("", { finishReason: "content_filter" }))).code).toBe("content-filter");
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
        expect((await play(next)).code === "context-overflow" ? "overflow" : "not-overflow").toBe(one.expect);
    });
  });

  describe("an interruption", () => {
    it("ends the request at once, before the answer and in the middle of it", async () => {
      for (const next of [stall(), raw(eventsOf(wire.name, hello).slice(0, 3), "stall")]) {
        reply = next;
        const abort = new AbortController();
        const seen = model.requests.length;
        const outcome = ask(providerFor(wire, { url: model.url }), go(), abort.signal);
        await model.waitForRequest(seen + 1);
        abort.abort();
        expect((await outcome).code).toBe("aborted");
      }
    });
  });

  describe("a conversation", () => {
    it("goes back with calls, results, images and sealed thoughts", async () => {
      const provider = providerFor(wire, { url: model.url });
      reply = calls([call("bash", awkward, { id: "call_a" }), call("list", {}, { id: "call_b" })], {
        text: "I look.",
        reasoning: "better look first",
      });
      const first = [message("user", said("what is this?"), image)];
      const { answer } = await ask(provider, requestWith(wire, first));
      const [a, b] = callsOf(answer);
      reply = text("done");
      const second = [
        ...first,
        message("assistant", ...(answer?.parts ?? [])),
        resultOf(a!, "a picture", { images: [image] } as object),
        resultOf(b!, "nothing", { isError: true } as object),
        message("user", said("go on")),
      ];
      expect((await ask(provider, requestWith(wire, second))).error).toBeUndefined();
      const conversation = model.requests.at(-1)!.conversation;
      const assistant = conversation.find(({ role }) => role === "assistant");
      expect(assistant).toMatchObject({
        content: "I look.",
        tool_calls: [
          { id: "call_a", function: { name: "bash" } },
          { id: "call_b", function: { name: "list" } },
        ],
      });
      expect(JSON.parse(assistant!.tool_calls![0]!.function.arguments)).toEqual(awkward);
      if (wire.replaysThoughts) expect(assistant!.replayToken).toBe("c2NyaXB0ZWQ=");
      const results = conversation.filter(({ role }) => role === "tool");
      expect(results.map(({ tool_call_id, content }) => [tool_call_id, content])).toEqual([
        ["call_a", "a picture"],
        ["call_b", "nothing"],
      ]);
      expect(conversation.filter(({ role }) => role === "system")).toMatchObject([{ content: "be brief" }]);
      expect(conversation.at(-1)).toMatchObject({ role: "user", content: expect.stringContaining("go on") });
      expect(model.requests.at(-1)!.rawBody.split(image.base64)).toHaveLength(3);
    });

    it("is sent without what the endpoint refuses, and that is remembered", async () => {
      const memory = createMemory();
      const provider = providerFor(wire, { url: model.url, memory });
      const request = requestWith(wire, [message("user", said("go"))], { temperature: 0 });
      reply = fault(400, { error: { message: "`temperature` is not supported with this model" } });
      expect((await ask(provider, request)).code).toBe("parameter-refused");
      expect(memory.learned).toContain("temperature");
      reply = text("ok");
      expect((await ask(provider, request)).error).toBeUndefined();
      expect(model.requests.at(-1)!.rawBody).not.toContain("temperature");
    });

    it("is sent with a word instead of an image to a model that cannot see", async () => {
      const memory = createMemory();
      const provider = providerFor(wire, { url: model.url, memory });
      const request = requestWith(wire, [message("user", said("look"), image)]);
      reply = fault(400, { error: { message: "This model does not support image input." } });
      expect((await ask(provider, request)).code).toBe("parameter-refused");
      reply = text("ok");
      await ask(provider, request);
      expect(model.requests.at(-1)!.rawBody).not.toContain(image.base64);
      expect(model.requests.at(-1)!.rawBody).toContain("cannot see");
    });

    it.skipIf(!wire.replaysThoughts)(
      "is sent without thoughts that the vendor does not recognise any more",
      async () => {
        const provider = providerFor(wire, { url: model.url });
        reply = calls([call("bash", { command: "ls" }, { id: "call_a" })], { reasoning: "hm" });
        const first = [message("user", said("go"))];
        const { answer } = await ask(provider, requestWith(wire, first));
        const messages = [...first, message("assistant", ...answer!.parts), resultOf(callsOf(answer)[0]!, "a b")];
        const complaint = {
          "openai-responses": "The encrypted content for item rs_scripted_1 could not be verified.",
          "anthropic-messages": "messages.1.content.0: Invalid `signature` in `thinking` block",
          "gemini-generate-content": "Thought signature is not valid.",
          "openai-chat": "",
        }[wire.name];
        reply = fault(400, { error: { message: complaint } });
        expect((await ask(provider, requestWith(wire, messages))).code).toBe("parameter-refused");
        reply = text("ok");
        expect((await ask(provider, requestWith(wire, messages))).error).toBeUndefined();
        expect(model.requests.at(-1)!.rawBody).not.toContain("c2NyaXB0ZWQ=");
        reply = fault(400, { error: { message: complaint } });
        expect((await ask(provider, requestWith(wire, messages))).code).toBe("bad-request");
      },
    );
  });
}
