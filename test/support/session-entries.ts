import fc from "fast-check";
import type { Message } from "../../src/contracts/message.ts";
import type { SessionEntry } from "../../src/contracts/session.ts";

export const head = (id: string): SessionEntry => ({
  type: "session",
  version: 2,
  id,
  cwd: "/work",
  model: "some-model",
  program: "corecoder 0",
});

export const notice = (text: string): SessionEntry => ({ type: "event", event: { type: "notice", text } });

export const prompt = (id: string, text: string): SessionEntry => ({
  type: "message",
  message: { id, role: "user", parts: [{ type: "text", text }] },
});

/** Also texts that look like parts of a log. */
const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("\n", '","sum":"0000000000000000"}', '{"seq":0,"time":0,"type":"reset"}\n', "\ud800", "\u2028\0"),
);
const count = fc.nat();
const usage = fc.record({ inputTokens: count, outputTokens: count, cacheReadTokens: count, cacheWriteTokens: count });
/** Keys that a log uses itself, too. */
const input = fc.dictionary(
  fc.oneof(fc.constantFrom("sum", "seq", "time", "type", "__proto__"), fc.string()),
  fc.oneof(text, fc.jsonValue()),
  { noNullPrototype: true },
);

const part = fc.oneof(
  fc.record({ type: fc.constant("text" as const), text }),
  fc.record({ type: fc.constant("thinking" as const), text, opaque: fc.jsonValue() }),
  fc.record({ type: fc.constant("image" as const), mediaType: text, base64: text }),
  fc.record({ type: fc.constant("tool-call" as const), callId: text, tool: text, input, rawInput: text }),
  fc.record({
    type: fc.constant("tool-result" as const),
    callId: text,
    tool: text,
    text,
    isError: fc.boolean(),
    handle: text,
  }),
);

const message: fc.Arbitrary<Message> = fc.record(
  { id: text, role: fc.constantFrom("user", "assistant", "tool"), parts: fc.array(part, { maxLength: 3 }), usage },
  { requiredKeys: ["id", "role", "parts"] },
);

const state = fc.oneof(
  fc.record({ type: fc.constant("file" as const), hash: text, size: count, mode: count }),
  fc.record({ type: fc.constant("link" as const), target: text }),
  fc.record({ type: fc.constant("folder" as const), mode: count }),
);
const changes = fc.array(fc.record({ path: text, before: state, after: state }, { requiredKeys: ["path"] }), {
  maxLength: 2,
});
const scope = fc.constantFrom("both", "files", "conversation");
const pairs = fc.array(fc.tuple(text, fc.option(text)), { maxLength: 2 });
const settings = fc.dictionary(fc.string(), fc.oneof(text, count, fc.boolean(), fc.array(text, { maxLength: 2 })), {
  noNullPrototype: true,
});

/** Anything a session may write. */
export const anyEntry: fc.Arbitrary<SessionEntry> = fc.oneof(
  fc.record({ type: fc.constant("message"), message, parentCallId: text }, { requiredKeys: ["type", "message"] }),
  fc.record({ type: fc.constant("session"), version: fc.constant(2), id: text, cwd: text, model: text, program: text }),
  fc.record({ type: fc.constant("request.prefix"), system: text, tools: fc.array(fc.jsonValue(), { maxLength: 2 }) }),
  fc.record({ type: fc.constant("request"), rent: fc.array(count, { maxLength: 3 }) }),
  fc.record({ type: fc.constant("usage"), model: text, usage }),
  fc.record({ type: fc.constant("summary"), text }),
  fc.record({ type: fc.constant("model"), model: text, settings }),
  fc.record(
    { type: fc.constant("workspace"), cwd: text, exported: pairs, seen: pairs, changed: fc.array(text) },
    { requiredKeys: ["type"] },
  ),
  fc.record({ type: fc.constant("changes"), callId: text, changes }),
  fc.record({ type: fc.constant("kept"), handle: text, hash: text, bytes: count }),
  fc.record({ type: fc.constant("name"), name: text }),
  fc.record(
    { type: fc.constant("undo"), after: text, what: scope, files: changes },
    { requiredKeys: ["type", "what", "files"] },
  ),
  fc.record({ type: fc.constant("redo"), what: scope, files: changes }),
  fc.record({ type: fc.constant("reset") }),
  text.map(notice),
) as fc.Arbitrary<SessionEntry>;
