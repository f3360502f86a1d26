import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import type { StopReason } from "../../src/contracts/message.ts";
import {
  bodyOf,
  call,
  calls,
  eventsOf,
  type FinishReason,
  fault,
  type ScriptedAnswer,
  text,
} from "../../src/testing/index.ts";
import { raw, usePlayer } from "./provider-player.ts";
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

export function providerCases(wire: WireUnderTest): void {
  const player = usePlayer(wire);

  describe("an answer", () => {
    it.each(shapes)("with %s is the same however the network cuts it", async (_name, scripted) => {
      for (const on of player.models) expectAnswer(wire, scripted, await player.play(scripted, { on }));
    });

    it.each(shapes)("with %s may come as one body", async (_name, scripted) => {
      for (const contentType of ["application/json", "text/event-stream"]) {
        const body = bodyOf(wire.name, scripted);
        expectAnswer(wire, scripted, await player.play(raw([body], "close", { contentType })));
      }
    });

    it.each(frames)("is understood with %s", async (_name, change) => {
      for (const scripted of [hello, oneCall])
        expectAnswer(wire, scripted, await player.play(raw([change(joined(wire, scripted))])));
    });

    it("is understood when an event is spread over several lines", async () => {
      expectAnswer(wire, hello, await player.play(raw([overSeveralLines(joined(wire, hello))])));
    });

    it.each(["text/plain", "application/json", "application/octet-stream"])(
      "is understood when it is announced as %s",
      async (contentType) => {
        expectAnswer(wire, hello, await player.play(raw([joined(wire, hello)], "close", { contentType })));
      },
    );

    it.each([
      ["gzip", gzipSync],
      ["deflate", deflateSync],
      ["br", brotliCompressSync],
    ] as const)("is understood when it is compressed (%s)", async (encoding, compress) => {
      const headers = { "content-encoding": encoding };
      for (const on of player.models.slice(0, 3))
        expectAnswer(
          wire,
          hello,
          await player.play(raw([compress(joined(wire, hello))], "close", { headers }), { on }),
        );
    });

    it("is complete although the socket stays open", async () => {
      const startedAt = performance.now();
      expectAnswer(wire, hello, await player.play(raw([joined(wire, hello)], "stall")));
      expect(performance.now() - startedAt).toBeLessThan(2000);
    });

    it("is complete although the connection breaks behind it", async () => {
      for (const end of ["hangup", "reset"] as const)
        expectAnswer(wire, hello, await player.play(raw([joined(wire, hello)], end)));
    });

    it("announces a call before its end, and only whole ones", async () => {
      const { events, answer } = await player.play(
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
      const { answer, events } = await player.play(calls([call("bash", written, { id: "a", fragments: 3 })]));
      expect(callsOf(answer)).toMatchObject([{ callId: "a", tool: "bash", input: undefined, rawInput: written }]);
      expect(events.filter((event) => event.type === "tool-call")).toEqual([]);
    });

    it.skipIf(wire.streamsArguments)("that are no JSON never arrive: the answer is asked for again", async () => {
      expect((await player.play(calls([call("bash", '{"command": "l')]))).code).toBe("broken-stream");
    });

    it("that are empty mean none", async () => {
      const { answer } = await player.play(calls([call("list", wire.streamsArguments ? "" : "{}", { id: "a" })]));
      expect(callsOf(answer)).toMatchObject([{ tool: "list", input: {} }]);
    });

    it("of two megabytes take no more than a moment", async () => {
      const content = "x".repeat(2_000_000);
      const startedAt = performance.now();
      const { answer } = await player.play(calls([call("bash", { content }, { id: "a", fragments: 20_000 })]));
      expect(callsOf(answer)[0]?.input).toEqual({ content });
      expect(performance.now() - startedAt).toBeLessThan(5000);
    });

    it("of calls with the same id stay with their calls", async () => {
      const twins = calls([call("bash", { n: 1 }, { id: "dup" }), call("bash", { n: 2 }, { id: "dup" })]);
      const made = callsOf((await player.play(twins)).answer);
      expect(made.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }]);
      expect(new Set(made.map(({ callId }) => callId)).size).toBe(2);
    });
  });

  describe("a conversation", () => {
    it("goes back with calls, results, images and sealed thoughts", async () => {
      const provider = providerFor(wire, { url: player.model.url });
      player.says(
        calls([call("bash", awkward, { id: "call_a" }), call("list", {}, { id: "call_b" })], {
          text: "I look.",
          reasoning: "better look first",
        }),
      );
      const first = [message("user", said("what is this?"), image)];
      const { answer } = await ask(provider, requestWith(wire, first));
      const [a, b] = callsOf(answer);
      player.says(text("done"));
      const second = [
        ...first,
        message("assistant", ...(answer?.parts ?? [])),
        resultOf(a!, "a picture", { images: [image] } as object),
        resultOf(b!, "nothing", { isError: true } as object),
        message("user", said("go on")),
      ];
      expect((await ask(provider, requestWith(wire, second))).error).toBeUndefined();
      const conversation = player.model.requests.at(-1)!.conversation;
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
      expect(player.model.requests.at(-1)!.rawBody.split(image.base64)).toHaveLength(3);
    });

    it("is sent without what the endpoint refuses, and that is remembered", async () => {
      const memory = createMemory();
      const provider = providerFor(wire, { url: player.model.url, memory });
      const request = requestWith(wire, [message("user", said("go"))], { temperature: 0 });
      player.says(fault(400, { error: { message: "`temperature` is not supported with this model" } }));
      expect((await ask(provider, request)).code).toBe("parameter-refused");
      expect(memory.learned).toContain("temperature");
      player.says(text("ok"));
      expect((await ask(provider, request)).error).toBeUndefined();
      expect(player.model.requests.at(-1)!.rawBody).not.toContain("temperature");
    });

    it("is sent with a word instead of an image to a model that cannot see", async () => {
      const memory = createMemory();
      const provider = providerFor(wire, { url: player.model.url, memory });
      const request = requestWith(wire, [message("user", said("look"), image)]);
      player.says(fault(400, { error: { message: "This model does not support image input." } }));
      expect((await ask(provider, request)).code).toBe("parameter-refused");
      player.says(text("ok"));
      await ask(provider, request);
      expect(player.model.requests.at(-1)!.rawBody).not.toContain(image.base64);
      expect(player.model.requests.at(-1)!.rawBody).toContain("cannot see");
    });

    it.skipIf(!wire.replaysThoughts)(
      "is sent without thoughts that the vendor does not recognise any more",
      async () => {
        const provider = providerFor(wire, { url: player.model.url });
        player.says(calls([call("bash", { command: "ls" }, { id: "call_a" })], { reasoning: "hm" }));
        const first = [message("user", said("go"))];
        const { answer } = await ask(provider, requestWith(wire, first));
        const messages = [...first, message("assistant", ...answer!.parts), resultOf(callsOf(answer)[0]!, "a b")];
        const complaint = {
          "openai-responses": "The encrypted content for item rs_scripted_1 could not be verified.",
          "anthropic-messages": "messages.1.content.0: Invalid `signature` in `thinking` block",
          "gemini-generate-content": "Thought signature is not valid.",
          "openai-chat": "",
        }[wire.name];
        player.says(fault(400, { error: { message: complaint } }));
        expect((await ask(provider, requestWith(wire, messages))).code).toBe("parameter-refused");
        player.says(text("ok"));
        expect((await ask(provider, requestWith(wire, messages))).error).toBeUndefined();
        expect(player.model.requests.at(-1)!.rawBody).not.toContain("c2NyaXB0ZWQ=");
        player.says(fault(400, { error: { message: complaint } }));
        expect((await ask(provider, requestWith(wire, messages))).code).toBe("bad-request");
      },
    );
  });
}
