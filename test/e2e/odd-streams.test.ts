import { describe } from "vitest";
import type { RawEnd } from "../../src/testing/index.ts";
import { type ExpectedCall, judgeStream, playStream, type StreamCase } from "../support/stream-case.ts";
import { it } from "../support/world.ts";

type Delta = Readonly<Record<string, unknown>>;

const event = (payload: unknown) => `data: ${JSON.stringify(payload)}\n\n`;
const chunk = (delta: Delta | null, finishReason: string | null = null) =>
  event({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finishReason }] });
const say = (content: unknown) => chunk({ content });
const stop = chunk({}, "stop");
const done = "data: [DONE]\n\n";
const use = (name: string, args: string, more: Delta = {}) => ({
  tool_calls: [{ index: 0, id: "call_a", type: "function", function: { name, arguments: args }, ...more }],
});
const toolStop = chunk({}, "tool_calls");

type Short = {
  readonly about: string;
  readonly chunks: readonly (string | { readonly base64: string })[];
  readonly end?: RawEnd;
  readonly status?: number;
  readonly contentType?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly expect: StreamCase["expect"];
};

const hello = { outcome: "complete", text: "Hello" } as const;
const lsCall = { id: "call_a", name: "bash", args: { command: "ls" } };
const complete = (call: ExpectedCall) => ({ outcome: "complete", text: "", toolCalls: [call] }) as const;
const partial = (text: string) => ({ outcome: "partial", text }) as const;
const retry = { outcome: "retry" } as const;

const cases: readonly Short[] = [
  { about: "a byte order mark before the first event", chunks: [`\ufeff${say("Hello")}`, stop, done], expect: hello },
  {
    about: "comments, ids, retry fields and event names between the data",
    chunks: [": PROCESSING\n\n", "id: 1\nretry: 3000\nevent: message\n", say("Hello"), ": x\n\n", stop, done],
    expect: hello,
  },
  {
    about: "line ends of all three kinds mixed",
    chunks: [say("Hel").replace("\n\n", "\r\n\n"), say("lo").replace("\n\n", "\r\r"), stop, done],
    expect: hello,
  },
  {
    about: "usage in a chunk of its own after the finish reason, with null details",
    chunks: [
      say("Hello"),
      stop,
      event({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, prompt_tokens_details: null } }),
      done,
    ],
    expect: { ...hello, usage: { input: 9, output: 3 } },
  },
  {
    about: "usage growing in every chunk: the last one counts",
    chunks: [
      event({
        choices: [{ index: 0, delta: { content: "Hello" } }],
        usage: { prompt_tokens: 9, completion_tokens: 1 },
      }),
      event({
        choices: [{ index: 0, delta: {}, finish_reason: "stop" }],
        usage: { prompt_tokens: 9, completion_tokens: 4 },
      }),
      done,
    ],
    expect: { ...hello, usage: { input: 9, output: 4 } },
  },
  {
    about: "chunks with null, missing and empty choices or deltas",
    chunks: [
      event({ choices: null }),
      event({}),
      event({ choices: [] }),
      chunk(null),
      say(null),
      say("Hello"),
      event({ choices: [{ index: 0 }] }),
      stop,
      done,
    ],
    expect: hello,
  },
  {
    about: "escaped surrogates split over two deltas' escapes",
    chunks: ['data: {"choices":[{"index":0,"delta":{"content":"\\ud83e\\udd8a"}}]}\n\n', stop, done],
    expect: { outcome: "complete", text: "🦊" },
  },
  {
    about: "finish reason stop although tools are called",
    chunks: [chunk(use("bash", '{"command":"ls"}')), stop, done],
    expect: complete(lsCall),
  },
  { about: "[DONE] without any finish reason", chunks: [say("Hello"), done], expect: hello },
  {
    about: "a tool call closed by [DONE] alone",
    chunks: [chunk(use("bash", '{"command":"ls"}')), done],
    expect: complete(lsCall),
  },
  {
    about: "the name again in every fragment",
    chunks: [chunk(use("bash", '{"command":')), chunk(use("bash", '"ls"}')), toolStop, done],
    expect: complete(lsCall),
  },
  {
    about: "empty arguments for a call that needs some",
    chunks: [chunk(use("bash", "")), toolStop, done],
    expect: { outcome: "complete", text: "", toolCalls: [{ name: "bash" }] },
  },
  {
    about: "a tool that does not exist",
    chunks: [chunk(use("delete_everything", "{}")), toolStop, done],
    expect: complete({ name: "delete_everything", unknownTool: true }),
  },
  {
    about: "arguments with text after the object",
    chunks: [chunk(use("bash", '{"command":"ls"} trailing')), toolStop, done],
    expect: complete({ name: "bash", argsError: true, raw: '{"command":"ls"} trailing' }),
  },
  {
    about: "arguments that are a string of JSON",
    chunks: [chunk(use("bash", '"{\\"command\\":\\"ls\\"}"')), toolStop, done],
    expect: complete({ name: "bash", argsError: true }),
  },
  { about: "text as a list of parts", chunks: [say([{ type: "text", text: "Hello" }]), stop, done], expect: hello },
  {
    about: "an event stream announced as text/plain",
    contentType: "text/plain",
    chunks: [say("Hello"), stop, done],
    expect: hello,
  },
  {
    about: "an event stream announced as application/json",
    contentType: "application/json",
    chunks: [say("Hello"), stop, done],
    expect: hello,
  },
  {
    about: "one JSON body announced as an event stream",
    chunks: [
      JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      }),
    ],
    expect: hello,
  },
  {
    about: "one JSON body after blank lines",
    contentType: "application/json",
    chunks: [
      "\n \n",
      JSON.stringify({
        choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
      }),
    ],
    expect: hello,
  },
  {
    about: "one JSON body with tool calls",
    contentType: "application/json",
    chunks: [
      JSON.stringify({
        choices: [
          {
            index: 0,
            message: {
              role: "assistant",
              content: null,
              tool_calls: [
                { id: "call_a", type: "function", function: { name: "bash", arguments: '{"command":"ls"}' } },
              ],
            },
            finish_reason: "tool_calls",
          },
        ],
      }),
    ],
    expect: complete(lsCall),
  },
  { about: "only the role, then the end", chunks: [chunk({ role: "assistant", content: "" })], expect: retry },
  { about: "a reset after the role", chunks: [chunk({ role: "assistant", content: "" })], end: "reset", expect: retry },
  { about: "silence from the first byte", chunks: [], end: "stall", expect: retry },
  { about: "comments for ever", chunks: [": hi\n\n"], end: "keepalive-stall", expect: retry },
  { about: "comments for ever after text", chunks: [say("Hello")], end: "keepalive-stall", expect: partial("Hello") },
  { about: "a whole tool call, but no end", chunks: [chunk(use("bash", '{"command":"ls"}'))], expect: partial("") },
  {
    about: "text and a whole tool call, but no end",
    chunks: [say("Hello"), chunk(use("bash", '{"command":"ls"}'))],
    end: "reset",
    expect: partial("Hello"),
  },
  {
    about: "half an event at the end",
    chunks: [say("Hello"), 'data: {"choices":[{"index":0,"del'],
    expect: partial("Hello"),
  },
  {
    about: "an error event before any text: overloaded",
    chunks: [event({ error: { message: "Overloaded", type: "overloaded_error", code: 529 } })],
    expect: retry,
  },
  {
    about: "an error event before any text: server error",
    chunks: [event({ error: { message: "Internal server error", type: "server_error", code: 500 } }), done],
    expect: retry,
  },
  {
    about: "an error event after text",
    chunks: [say("Hello"), event({ error: { message: "Provider returned error", code: 502 } }), done],
    expect: partial("Hello"),
  },
  {
    about: "an error event that says the request is wrong",
    chunks: [event({ error: { message: "messages: text is required", type: "invalid_request_error", code: 400 } })],
    expect: { outcome: "error" },
  },
  {
    about: "a finish reason that is an error",
    chunks: [say("Hello"), chunk({}, "error"), done],
    expect: partial("Hello"),
  },
  {
    about: "no content at all, finished",
    chunks: [chunk({ role: "assistant", content: "" }), stop, done],
    expect: { outcome: "empty" },
  },
  { about: "[DONE] alone", chunks: [done], expect: { outcome: "empty" } },
  { about: "an empty JSON body", contentType: "application/json", chunks: ["{}"], expect: retry },
  {
    about: "502 with an HTML body",
    status: 502,
    contentType: "text/html",
    chunks: ["<html>502</html>"],
    expect: retry,
  },
  {
    about: "429 with a date",
    status: 429,
    contentType: "application/json",
    headers: { "retry-after": new Date(Date.now() - 5000).toUTCString() },
    chunks: ['{"error":{"message":"slow down"}}'],
    expect: retry,
  },
  {
    about: "401 as a web page",
    status: 401,
    contentType: "text/html",
    chunks: ["<html>no</html>"],
    expect: { outcome: "error" },
  },
];

describe("odd streams", () => {
  for (const {
    about,
    chunks,
    end = "close",
    status = 200,
    contentType = "text/event-stream",
    headers = {},
    expect,
  } of cases) {
    const one: StreamCase = { id: about, api: "openai-chat", about, status, contentType, headers, chunks, end, expect };
    it.concurrent(`${about} → ${expect.outcome}`, async ({ world }) => {
      judgeStream(one, await playStream(world, one, { name: "cut", bytes: 5 }));
    });
  }
});
