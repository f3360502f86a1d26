import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/contracts/message.ts";
import type { ModelRequest } from "../../src/contracts/provider.ts";
import type { EncodeOptions, Protocol } from "../../src/providers/protocol.ts";
import { createAnthropicMessages } from "../../src/providers/protocols/anthropic-messages.ts";
import { createGeminiGenerateContent } from "../../src/providers/protocols/gemini-generate-content.ts";
import { createOpenAiChat } from "../../src/providers/protocols/openai-chat.ts";
import { createOpenAiResponses } from "../../src/providers/protocols/openai-responses.ts";
import { vendorNamed } from "../../src/providers/vendors.ts";
import { faultsIn, steps } from "./provider-histories.ts";

const wires: readonly {
  readonly name: keyof typeof faultsIn;
  readonly create: () => Protocol;
  readonly model: string;
}[] = [
  { name: "openai-chat", create: createOpenAiChat, model: "m" },
  { name: "openai-responses", create: createOpenAiResponses, model: "m" },
  { name: "anthropic-messages", create: createAnthropicMessages, model: "claude-x" },
  { name: "gemini-generate-content", create: createGeminiGenerateContent, model: "gemini-3-pro" },
];

const callIds = vendorNamed("openai")!.callIds!;
const options = fc.record({
  refusals: fc.constantFrom({}, { reasoning: true as const }, { images: true as const }),
  replayThinking: fc.constantFrom<EncodeOptions["replayThinking"]>(true, false, "always"),
  images: fc.constantFrom<"sent" | "noted">("sent", "noted"),
  callIds: fc.constant(callIds),
});

const requestOf = (model: string, messages: readonly Message[]): ModelRequest => ({
  model,
  system: "be brief",
  tools: [
    { name: "bash", description: "runs", input: { type: "object", properties: { command: { type: "string" } } } },
  ],
  messages,
});

const withoutMarks = (body: string) => body.replaceAll(',"cache_control":{"type":"ephemeral"}', "");

describe.each(wires)("any history on $name", ({ name, create, model }) => {
  const encode = (wire: Protocol, messages: readonly Message[], how: EncodeOptions) =>
    Buffer.concat(wire.encode(requestOf(model, messages), how)).toString();

  it("becomes a request that the vendor accepts, also while it grows", () => {
    fc.assert(
      fc.property(steps, options, (adds, how) => {
        const wire = create();
        const messages: Message[] = [];
        for (const add of adds) {
          messages.push(...add());
          const body = encode(wire, messages, how);
          expect(faultsIn[name](JSON.parse(body))).toEqual([]);
          expect(encode(wire, messages, how)).toBe(body);
          expect(withoutMarks(body)).toBe(withoutMarks(encode(create(), messages, how)));
        }
      }),
      { numRuns: 100 },
    );
  });

  it("becomes the same request after it was changed in the middle as if it had always been so", () => {
    fc.assert(
      fc.property(steps, steps, fc.nat(), options, (adds, others, at, how) => {
        const wire = create();
        const messages = adds.flatMap((add) => add());
        if (messages.length === 0) return;
        encode(wire, messages, how);
        const cut = 1 + (at % messages.length);
        const changed = [...messages.slice(0, cut), ...others.flatMap((add) => add())];
        const body = encode(wire, changed, how);
        expect(withoutMarks(body)).toBe(withoutMarks(encode(create(), changed, how)));
        expect(withoutMarks(encode(wire, messages, how))).toBe(withoutMarks(encode(create(), messages, how)));
      }),
    );
  });
});

it("a complaint is found where there is something to complain about", () => {
  const user = { role: "user", content: [{ type: "text", text: "x" }] };
  const use = { role: "assistant", content: [{ type: "tool_use", id: "a b", name: "bash", input: {} }] };
  expect(faultsIn["anthropic-messages"]({ messages: [user, use, user] })).not.toEqual([]);
  expect(faultsIn["openai-chat"]({ messages: [{ role: "tool", tool_call_id: "x", content: "" }] })).not.toEqual([]);
  expect(faultsIn["openai-responses"]({ input: [{ type: "reasoning" }] })).not.toEqual([]);
  expect(faultsIn["gemini-generate-content"]({ contents: [{ role: "model", parts: [{ text: "" }] }] })).not.toEqual([]);
});
