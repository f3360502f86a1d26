import { expect } from "vitest";
import { assertPairing, type RawEnd, rawStream, type ScriptedModel, text } from "../../src/testing/index.ts";
import type { CliResult } from "./run-cli.ts";
import { blocksOf, type MessageEvent, messagesOf, resultOf, resultText, spokenText } from "./stream-events.ts";
import { contentText } from "./wire-messages.ts";
import type { World } from "./world.ts";

export type ExpectedCall = {
  readonly id?: string;
  readonly name: string;
  readonly args?: unknown;
  readonly argsError?: boolean;
  readonly unknownTool?: boolean;
  readonly raw?: string;
};

/** One stream and what a client must make of it; the fields are those of the shared corpus. */
export type StreamCase = {
  readonly id: string;
  readonly api: "openai-chat" | "anthropic";
  readonly about: string;
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly note?: string;
  readonly chunks: readonly (string | { readonly base64: string })[];
  readonly gen?: {
    readonly template: string;
    readonly fill: string;
    readonly fillBytes: number;
    readonly times: number;
  };
  readonly end: RawEnd;
  readonly expect: {
    readonly outcome: "complete" | "empty" | "retry" | "partial" | "error";
    readonly text?: string;
    readonly toolCalls?: readonly ExpectedCall[];
    readonly usage?: { readonly input?: number; readonly output?: number };
    readonly runTools?: boolean;
    readonly retryable?: boolean;
    readonly retryAfterMs?: number;
    readonly maxExtraWaitMs?: number;
  };
};

const laterAnswer = "the later answer";
const idleMs = 2000;

function bytesOf(one: StreamCase): Buffer[] {
  return one.chunks.map((chunk) => {
    if (typeof chunk !== "string") return Buffer.from(chunk.base64, "base64");
    if (chunk !== "@gen" || one.gen === undefined) return Buffer.from(chunk, "utf8");
    const { template, fill, fillBytes, times } = one.gen;
    const filling = fill === "" ? "" : fill.repeat(Math.ceil(fillBytes / Buffer.byteLength(fill)));
    return Buffer.from(template.replaceAll("@x@", filling).repeat(times), "utf8");
  });
}

/** Headers a case carries, in a field or in the words of its note. */
function headersOf(one: StreamCase): Record<string, string> {
  const noted = /^header ([\w-]+): (.+)$/.exec(one.note ?? "");
  return { ...one.headers, ...(noted === null ? {} : { [noted[1]!]: noted[2]! }) };
}

/** How a stream is cut into network writes. */
export type Cut = { readonly name: string; readonly bytes: number | undefined; readonly hangup?: true };

/** As given, in awkward pieces, and, where the connection closes, once in the middle of the HTTP body. */
export function cutsOf(one: StreamCase): Cut[] {
  const size = bytesOf(one).reduce((sum, chunk) => sum + chunk.length, 0);
  const asGiven: Cut = { name: "as given", bytes: undefined };
  if (size === 0) return [asGiven];
  if (size > 100_000) return [asGiven, { name: "in pieces of 4099 bytes", bytes: 4099 }];
  const endsWithEvent = /(\n\n|\r\r|\r\n\r\n)$/.test(bytesOf(one).at(-1)?.toString("latin1") ?? "");
  const isStream =
    one.status === 200 && one.contentType === "text/event-stream" && one.end === "close" && endsWithEvent;
  const last: Cut = isStream
    ? { name: "in pieces of 1 byte, then broken off", bytes: 1, hangup: true }
    : { name: "in pieces of 1 byte", bytes: 1 };
  return [asGiven, last];
}

type Played = { readonly result: CliResult; readonly model: ScriptedModel };

/** Plays a case as the first answer of a model; later requests get a normal text. */
export async function playStream(world: World, one: StreamCase, cut: Cut): Promise<Played> {
  world.write("a", "the file a, with an x\n");
  const first = rawStream({
    status: one.status,
    contentType: one.contentType,
    headers: headersOf(one),
    chunks: bytesOf(one),
    end: cut.hangup ? "hangup" : one.end,
    ...(one.api === "anthropic" ? { keepalive: 'event: ping\ndata: {"type":"ping"}\n\n' } : {}),
  });
  const model = await world.model(
    (_, index) => (index === 0 ? first : text(laterAnswer)),
    cut.bytes === undefined ? {} : { cutBytes: cut.bytes },
  );
  const vendor = one.api === "anthropic" ? ["--provider", "anthropic"] : [];
  const result = await world.run(
    ["-p", "play", "-m", "m", "--base-url", model.url, ...vendor, "--output-format", "stream-json"],
    {
      model,
      env: { ANTHROPIC_API_KEY: world.key, CORECODER_STREAM_IDLE_TIMEOUT_MS: String(idleMs) },
      timeoutMs: 18_000,
    },
  );
  return { result, model };
}

function expectCall(expected: ExpectedCall, at: number, { result, model }: Played, first: MessageEvent): void {
  const use = first.message.content.filter((block) => block.type === "tool_use")[at]!;
  const answer = blocksOf(result.events, "tool_result").find((block) => block.tool_use_id === use.id);
  expect(use.name).toBe(expected.name);
  if (expected.id !== undefined) expect(use.id).toBe(expected.id);
  expect(answer, "every call is answered").toBeDefined();
  if (expected.args !== undefined) expect(use.input).toEqual(expected.args);
  if (expected.argsError || expected.unknownTool) expect(answer!.is_error).toBe(true);
  if (expected.raw === undefined) return;
  expect(resultText(answer!)).toContain(expected.raw);
  const kept = model.requests[1]!.body.messages.flatMap((message) => message.tool_calls ?? [])[at];
  if (kept !== undefined) expect(kept.function.arguments).toBe(expected.raw);
}

function expectComplete(one: StreamCase, played: Played): void {
  const { result, model } = played;
  const { text: said, toolCalls = [], usage, maxExtraWaitMs } = one.expect;
  expect(result.code).toBe(0);
  const first = messagesOf(result.events, "assistant")[0]!;
  expect(spokenText([first])).toBe(said ?? "");
  const uses = first.message.content.filter((block) => block.type === "tool_use");
  expect(uses).toHaveLength(toolCalls.length);
  expect(new Set(uses.map((use) => use.id)).size).toBe(uses.length);
  for (const [at, expected] of toolCalls.entries()) expectCall(expected, at, played, first);
  expect(model.requests).toHaveLength(toolCalls.length > 0 ? 2 : 1);
  if (usage !== undefined)
    expect(first.message.usage).toMatchObject({ input_tokens: usage.input, output_tokens: usage.output });
  if (maxExtraWaitMs !== undefined) expect(resultOf(result.events).duration_api_ms).toBeLessThan(maxExtraWaitMs + 500);
}

function expectRetry(one: StreamCase, { result, model }: Played): void {
  expect(result.code).toBe(0);
  expect(model.requests).toHaveLength(2);
  expect(model.requests[1]!.rawBody).toBe(model.requests[0]!.rawBody);
  const gap = model.requests[1]!.receivedAt - model.requests[0]!.receivedAt;
  expect(gap).toBeGreaterThanOrEqual((one.expect.retryAfterMs ?? 0) - 10);
  expect(spokenText(result.events)).toBe(laterAnswer);
}

function expectPartial(one: StreamCase, played: Played): void {
  const { result, model } = played;
  const said = one.expect.text ?? "";
  expect(blocksOf(result.events, "tool_result")).toEqual([]);
  expect(blocksOf(result.events, "tool_use")).toEqual([]);
  if (said === "") {
    expectRetry(one, played);
    return;
  }
  expect(result.code).toBe(0);
  expect(model.requests).toHaveLength(2);
  const kept = model.requests[1]!.body.messages.filter((message) => message.role === "assistant");
  expect(kept.map(contentText)).toEqual([said]);
  expect(model.requests[1]!.body.messages.at(-1)!.role).toBe("user");
  expect(spokenText(result.events)).toBe(said + laterAnswer);
  expect(resultOf(result.events).result).toBe(said + laterAnswer);
}

function expectError(_: StreamCase, { result, model }: Played): void {
  expect([1, 41]).toContain(result.code);
  expect(model.requests).toHaveLength(1);
  expect(resultOf(result.events).is_error).toBe(true);
  expect(result.stderr.trim()).not.toBe("");
}

const judges = {
  complete: expectComplete,
  retry: expectRetry,
  empty: expectRetry,
  partial: expectPartial,
  error: expectError,
} as const;

/** Throws when what was seen is not what the case expects. */
export function judgeStream(one: StreamCase, played: Played): void {
  assertPairing(played.model.requests);
  resultOf(played.result.events);
  judges[one.expect.outcome](one, played);
}
