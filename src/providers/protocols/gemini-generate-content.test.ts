import { describe, expect, it } from "vitest";
import type { Message, Part } from "../../contracts/message.ts";
import type { ModelRequest } from "../../contracts/provider.ts";
import { createGeminiGenerateContent } from "./gemini-generate-content.ts";

let count = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
const text = (words: string): Part => ({ type: "text", text: words });
const image = { type: "image", mediaType: "image/png", base64: "AAAA" } as const;
const call = (callId: string): Part => ({ type: "tool-call", callId, tool: "bash", input: { a: 1 }, rawInput: "{}" });
const result = (callId: string, more: object = {}): Part => ({
  type: "tool-result",
  callId,
  tool: "bash",
  text: "out",
  isError: false,
  handle: "#1",
  ...more,
});

function bodyOf(messages: readonly Message[], more: Partial<ModelRequest> = {}) {
  const request = { model: "gemini-3-pro", system: "be brief", tools: [], messages, ...more };
  const pieces = createGeminiGenerateContent().encode(request, { refusals: {}, replayThinking: false });
  return JSON.parse(Buffer.concat(pieces).toString());
}

describe("a request", () => {
  it("gathers the results of a round in one turn, apart from what the person says", () => {
    const tools = [
      { name: "bash", description: "runs", input: { type: "object", properties: { a: { type: "number" } } } },
    ];
    const messages = [
      message("user", text("go"), image),
      message("assistant", text("I look."), call("x"), call("y")),
      message("tool", result("x")),
      message("tool", result("y", { isError: true, images: [image] })),
      message("user", text("on")),
    ];
    const inlineData = { mimeType: "image/png", data: "AAAA" };
    expect(bodyOf(messages, { tools, maxTokens: 9 })).toEqual({
      generationConfig: { maxOutputTokens: 9 },
      systemInstruction: { parts: [{ text: "be brief" }] },
      tools: [
        {
          functionDeclarations: [
            {
              name: "bash",
              description: "runs",
              parameters: { type: "OBJECT", properties: { a: { type: "NUMBER" } } },
            },
          ],
        },
      ],
      contents: [
        { role: "user", parts: [{ text: "go" }, { inlineData }] },
        {
          role: "model",
          parts: [
            { text: "I look." },
            {
              functionCall: { id: "x", name: "bash", args: { a: 1 } },
              thoughtSignature: "skip_thought_signature_validator",
            },
            { functionCall: { id: "y", name: "bash", args: { a: 1 } } },
          ],
        },
        {
          role: "user",
          parts: [
            { functionResponse: { id: "x", name: "bash", response: { output: "out" } } },
            {
              functionResponse: {
                id: "y",
                name: "bash",
                response: { error: "out" },
                parts: [{ inlineData }],
              },
            },
          ],
        },
        { role: "user", parts: [{ text: "on" }] },
      ],
    });
  });

  it("to an older model has images beside results, and no signature that was not given", () => {
    const messages = [
      message("user", text("go")),
      message("assistant", call("x")),
      message("tool", result("x", { images: [image] })),
    ];
    const { contents } = bodyOf(messages, { model: "gemini-2.5-pro" });
    expect(contents[1].parts[0]).not.toHaveProperty("thoughtSignature");
    expect(contents[2].parts).toMatchObject([{ functionResponse: { id: "x" } }, { inlineData: {} }]);
  });

  it("to a model of an unknown name gets signatures once the vendor has asked for them", () => {
    const wire = createGeminiGenerateContent();
    const messages = [message("user", text("go")), message("assistant", call("x")), message("tool", result("x"))];
    const request = { model: "flash-latest", system: "", tools: [], messages };
    const send = () => Buffer.concat(wire.encode(request, { refusals: {}, replayThinking: false })).toString();
    expect(send()).not.toContain("thoughtSignature");
    const complaint = "Function call is missing a thought_signature in functionCall parts.";
    expect(wire.repair?.(request, complaint)).toBe(true);
    expect(send()).toContain("skip_thought_signature_validator");
    expect(wire.repair?.(request, complaint)).toBe(false);
  });
});

function decode(pieces: readonly unknown[]) {
  const decoder = createGeminiGenerateContent().createDecoder(() => {});
  for (const piece of pieces) decoder.push(JSON.stringify(piece), undefined);
  return decoder;
}
const piece = (parts: readonly object[], finishReason?: string) => ({
  candidates: [{ content: { role: "model", parts }, ...(finishReason ? { finishReason } : {}) }],
});

describe("an answer", () => {
  it("goes back with every signature on the part it came with", () => {
    const parts = [
      { text: "thinking", thought: true, thoughtSignature: "s0" },
      { text: "Hel" },
      { text: "lo", thoughtSignature: "s1" },
      { functionCall: { name: "bash", args: { a: 1 }, id: "x" }, thoughtSignature: "s2" },
      { functionCall: { name: "bash", args: { b: 2 }, id: "y" } },
      { text: "", thoughtSignature: "s3" },
    ];
    const { parts: assembled } = decode([...parts.map((part) => piece([part])), piece([], "STOP")]).answer();
    const messages = [
      message("user", text("go")),
      message("assistant", ...assembled),
      message("tool", result("x")),
      message("tool", result("y")),
    ];
    expect(bodyOf(messages).contents[1].parts).toEqual(parts);
  });

  it.each([
    ["STOP", "end"],
    ["OTHER", "end"],
    ["MAX_TOKENS", "length"],
    ["SAFETY", "content-filter"],
    ["RECITATION", "content-filter"],
    ["SPII", "content-filter"],
    ["SOMETHING_NEW", "content-filter"],
  ])("that ends with %s stopped because of %s", (reason, expected) => {
    expect(decode([piece([{ text: "x" }], reason)]).answer().stopReason).toBe(expected);
  });

  it.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL"])("that ends with %s is asked for again", (reason) => {
    expect(() => decode([piece([], reason)])).toThrow(expect.objectContaining({ code: "broken-stream" }));
  });

  it("to a question that was blocked is an error that names the reason", () => {
    const blocked = { promptFeedback: { blockReason: "SAFETY", blockReasonMessage: "too dangerous" } };
    expect(() => decode([blocked])).toThrow(
      expect.objectContaining({ code: "content-filter", message: expect.stringMatching(/SAFETY.*too dangerous/) }),
    );
  });

  it("counts thoughts as output, and what came from the cache", () => {
    const usageMetadata = {
      promptTokenCount: 100,
      candidatesTokenCount: 5,
      thoughtsTokenCount: 7,
      cachedContentTokenCount: 60,
      toolUsePromptTokenCount: 10,
    };
    expect(decode([{ ...piece([{ text: "x" }], "STOP"), usageMetadata }]).answer().usage).toEqual({
      inputTokens: 110,
      outputTokens: 12,
      cacheReadTokens: 60,
      cacheWriteTokens: 0,
    });
  });

  it("may come as one list of pieces", () => {
    const decoder = createGeminiGenerateContent().createDecoder(() => {});
    decoder.pushWhole([piece([{ text: "Hel" }]), piece([{ text: "lo" }], "STOP")]);
    expect(decoder.answer().parts).toEqual([{ type: "text", text: "Hello" }]);
  });

  it("gives a call without an id one of its own", () => {
    const made = { functionCall: { name: "bash", args: {} } };
    const { parts } = decode([piece([made, made], "STOP")]).answer();
    const ids = parts.map((part) => (part.type === "tool-call" ? part.callId : ""));
    expect(new Set(ids).size).toBe(2);
    expect(ids.every((id) => id.length > 5)).toBe(true);
  });
});
