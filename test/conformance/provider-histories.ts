import fc from "fast-check";
import type { ImagePart, Message, Part } from "../../src/contracts/message.ts";

/** Histories as no program of ours writes them: of other vendors, cut, torn and sewn together. */

const image: ImagePart = { type: "image", mediaType: "image/png", base64: "aGVsbG8=" };
const words = fc.oneof(fc.constantFrom("", " ", "\n", "hello"), fc.string({ unit: "grapheme", maxLength: 12 }));

const callId = fc.oneof(
  fc.constantFrom("a", "b", "call_1", "toolu_01", "functions.bash:0", "", "x".repeat(80), "für/日本"),
  fc.string({ maxLength: 8 }),
);
const toolName = fc.constantFrom("bash", "read_file", "no such tool", "9lives", "", "y".repeat(90));

const opaque = fc.constantFrom<unknown>(
  undefined,
  "reasoning_content",
  "reasoning",
  { type: "thinking", thinking: "hm", signature: "c2ln" },
  { type: "redacted_thinking", data: "c2ln" },
  { type: "reasoning", id: "rs_1", summary: [], encrypted_content: "c2ln" },
  { type: "reasoning", id: "rs_2", summary: [{ type: "summary_text", text: "hm" }] },
  { type: "phase", phase: "commentary" },
  { type: "thought-signature", thoughtSignature: "c2ln" },
  { type: "thought", thoughtSignature: "c2ln" },
);

const textPart = words.map((text): Part => ({ type: "text", text }));
const imagePart = fc.constant<Part>(image);
const thinkingPart = fc
  .tuple(words, opaque)
  .map(([text, token]): Part => ({ type: "thinking", text, ...(token === undefined ? {} : { opaque: token }) }));
const callPart = fc.tuple(callId, toolName, fc.boolean()).map(
  ([id, tool, isReadable]): Part => ({
    type: "tool-call",
    callId: id,
    tool,
    input: isReadable ? { command: "ls" } : undefined,
    rawInput: isReadable ? '{"command":"ls"}' : '{"comm',
  }),
);
const resultPart = fc.tuple(callId, toolName, words, fc.boolean(), fc.boolean()).map(
  ([id, tool, text, isError, hasImage]): Part => ({
    type: "tool-result",
    callId: id,
    tool,
    text,
    isError,
    handle: "#1",
    ...(hasImage ? { images: [image] } : {}),
  }),
);

let count = 0;
const message = (role: Message["role"], parts: readonly Part[]): Message => ({ id: `h${++count}`, role, parts });
const many = (part: fc.Arbitrary<Part>) => fc.array(part, { maxLength: 4 });

const userMessage = many(fc.oneof(textPart, imagePart)).map((parts) => () => [message("user", parts)]);
const answer = many(fc.oneof(textPart, thinkingPart, callPart, imagePart)).map((parts) => () => [
  message("assistant", parts),
]);
const results = many(resultPart).map((parts) => () => [message("tool", parts)]);

/** A whole round: an answer with calls, and the results of most of them. */
const round = fc
  .tuple(many(fc.oneof(textPart, thinkingPart)), fc.array(callPart, { minLength: 1, maxLength: 4 }), fc.nat(5))
  .map(([before, made, missing]) => () => {
    const calls = made.flatMap((part) => (part.type === "tool-call" ? [part] : []));
    const answered = calls.filter((_, at) => at !== missing - 2);
    return [
      message("assistant", [...before, ...calls]),
      ...answered.map(({ callId: id, tool }) =>
        message("tool", [{ type: "tool-result", callId: id, tool, text: "ok", isError: false, handle: "#1" }]),
      ),
    ];
  });

/** Steps, each of which adds messages of its own to a conversation. */
export const steps = fc.array(fc.oneof(userMessage, answer, results, { arbitrary: round, weight: 3 }), {
  minLength: 1,
  maxLength: 10,
});

type Json = Record<string, unknown>;
const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const validName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/;

function unless(holds: boolean, complaint: string): string[] {
  return holds ? [] : [complaint];
}

/** What Chat Completions demand. */
function chatFaults(body: Json): string[] {
  const faults: string[] = [];
  let open: string[] = [];
  for (const [at, { role, content, tool_calls, tool_call_id }] of list(body.messages).entries()) {
    const where = `messages[${at}]`;
    if (role === "tool") {
      faults.push(...unless(open.includes(String(tool_call_id)), `${where} answers no open call`));
      faults.push(...unless(typeof content === "string", `${where} is no text`));
      open = open.filter((id) => id !== tool_call_id);
      continue;
    }
    faults.push(...unless(open.length === 0, `${where} comes before the answer to ${open.join(", ")}`));
    const calls = list(tool_calls);
    open = calls.map(({ id }) => String(id));
    faults.push(...unless(new Set(open).size === open.length, `${where} repeats an id`));
    faults.push(...open.flatMap((id) => unless(id !== "" && id.length <= 40, `${where} has the id ${id}`)));
    for (const { function: made } of calls)
      faults.push(...unless(validName.test(String((made as Json).name)), `${where} names a tool badly`));
    if (Array.isArray(content)) faults.push(...unless(content.length > 0, `${where} is an empty list`));
  }
  const last = list(body.messages).at(-1);
  return [...faults, ...unless(open.length === 0 && last?.role !== "assistant", "it ends with the assistant")];
}

/** What Responses demand without the vendor's memory. */
function responsesFaults(body: Json): string[] {
  const faults: string[] = [];
  const input = list(body.input);
  const seen = new Set<string>();
  const open = new Set<string>();
  for (const [at, item] of input.entries()) {
    const where = `input[${at}]`;
    const id = String(item.call_id);
    if (item.type === "function_call") {
      faults.push(...unless(!seen.has(id) && /^[a-zA-Z0-9_-]{1,64}$/.test(id), `${where} has the id ${id}`));
      faults.push(...unless(validName.test(String(item.name)), `${where} names a tool badly`));
      faults.push(...unless(typeof item.arguments === "string" && item.arguments !== "", `${where} has no arguments`));
      seen.add(id);
      open.add(id);
    } else if (item.type === "function_call_output") {
      faults.push(...unless(open.delete(id), `${where} answers no open call`));
    } else if (item.type === "reasoning") {
      const next = input[at + 1];
      const isFollowed = next?.type === "function_call" || next?.type === "reasoning" || next?.role === "assistant";
      faults.push(...unless(isFollowed, `${where} stands alone`));
      faults.push(...unless(Boolean(item.encrypted_content || item.content), `${where} is not sealed`));
    } else {
      const { content } = item;
      faults.push(...unless(content !== "" && list(content).length + String(content).length > 0, `${where} is empty`));
      if (item.role === "user") faults.push(...unless(open.size === 0, `${where} comes before an answer`));
    }
  }
  const last = input.at(-1);
  return [...faults, ...unless(open.size === 0 && last?.role !== "assistant", "it ends with the assistant")];
}

/** What Anthropic Messages demand. */
function messagesFaults(body: Json): string[] {
  const faults: string[] = [];
  const turns = list(body.messages);
  const seen = new Set<string>();
  let open: string[] = [];
  for (const [at, turn] of turns.entries()) {
    const where = `messages[${at}]`;
    const blocks = list(turn.content);
    faults.push(...unless(turn.role === (at % 2 === 0 ? "user" : "assistant"), `${where} is out of turn`));
    faults.push(...unless(blocks.length > 0, `${where} is empty`));
    const answered = blocks.filter(({ type }) => type === "tool_result").map((block) => String(block.tool_use_id));
    const head = blocks.slice(0, answered.length).every(({ type }) => type === "tool_result");
    faults.push(...unless(head, `${where} has a result behind something else`));
    faults.push(
      ...unless(answered.toSorted().join() === open.toSorted().join(), `${where} answers ${answered.join()}`),
    );
    open = [];
    for (const block of blocks) {
      if (block.type === "text") faults.push(...unless(String(block.text).trim() !== "", `${where} has empty text`));
      if (block.type === "thinking" || block.type === "redacted_thinking")
        faults.push(...unless(turn.role === "assistant" && !("cache_control" in block), `${where} has odd thinking`));
      if (block.type !== "tool_use") continue;
      const id = String(block.id);
      faults.push(...unless(!seen.has(id) && /^[a-zA-Z0-9_-]{1,64}$/.test(id), `${where} has the id ${id}`));
      faults.push(...unless(validName.test(String(block.name)), `${where} names a tool badly`));
      faults.push(...unless(block.input !== null && typeof block.input === "object", `${where} has no input`));
      seen.add(id);
      open.push(id);
    }
  }
  const marks = JSON.stringify(body).match(/"cache_control"/g)?.length ?? 0;
  return [
    ...faults,
    ...unless(marks <= 4, `${marks} marks`),
    ...unless(turns.at(-1)?.role === "user", "it ends with the assistant"),
  ];
}

/** What Gemini demands. */
function geminiFaults(body: Json): string[] {
  const faults: string[] = [];
  const contents = list(body.contents);
  let open: string[] = [];
  for (const [at, { role, parts }] of contents.entries()) {
    const where = `contents[${at}]`;
    faults.push(...unless(list(parts).length > 0, `${where} is empty`));
    for (const part of list(parts)) {
      const kinds = ["text", "inlineData", "functionCall", "functionResponse"].filter((kind) => kind in part);
      faults.push(...unless(kinds.length === 1, `${where} has a part with ${kinds.join(" and ")}`));
      const isEmpty = part.text === "" && !("thoughtSignature" in part);
      faults.push(...unless(!isEmpty, `${where} has empty text`));
    }
    const answered = list(parts).flatMap(({ functionResponse }) =>
      functionResponse ? [functionResponse as Json] : [],
    );
    const ids = answered.map(({ id, name }) => `${String(id)} ${String(name)}`);
    faults.push(...unless(ids.toSorted().join() === open.toSorted().join(), `${where} answers ${ids.join()}`));
    const calls = list(parts).filter(({ functionCall }) => functionCall);
    const made = calls.map(({ functionCall }) => functionCall as Json);
    open = made.map(({ id, name }) => `${String(id)} ${String(name)}`);
    faults.push(...unless(calls.length === 0 || role === "model", `${where} calls as a user`));
    faults.push(...made.flatMap(({ name }) => unless(validName.test(String(name)), `${where} names a tool badly`)));
    if (calls.length > 0) {
      const isSigned = list(parts).some((part) => "thoughtSignature" in part);
      faults.push(...unless(isSigned, `${where} has a call without a signature`));
    }
  }
  return [
    ...faults,
    ...unless(contents[0]?.role === "user", "it begins with the model"),
    ...unless(contents.at(-1)?.role === "user" && open.length === 0, "it ends with the model"),
  ];
}

/** What a vendor would answer with 400, by wire. */
export const faultsIn = {
  "openai-chat": chatFaults,
  "openai-responses": responsesFaults,
  "anthropic-messages": messagesFaults,
  "gemini-generate-content": geminiFaults,
} as const;
