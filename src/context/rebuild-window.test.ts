import { describe, expect, it } from "vitest";
import type { ContextStep } from "../contracts/context.ts";
import type { Message } from "../contracts/message.ts";
import { policies } from "./policies.ts";
import { rebuildWindow } from "./rebuild-window.ts";

const user: Message = { id: "m1", role: "user", parts: [{ type: "text", text: "please read the file" }] };
const call: Message = {
  id: "m2",
  role: "assistant",
  parts: [{ type: "tool-call", callId: "c1", tool: "read_file", input: {}, rawInput: "{}" }],
};
const result: Message = {
  id: "m3",
  role: "tool",
  parts: [
    { type: "tool-result", callId: "c1", tool: "read_file", text: "word ".repeat(4_000), isError: false, handle: "#1" },
  ],
};
const steps = (...messages: Message[]): ContextStep[] =>
  messages.flatMap((message) => [
    ...(message.role === "assistant" ? [{ type: "request" as const, rent: [], time: 0 }] : []),
    { type: "message", message },
  ]);
const rebuild = (given: readonly ContextStep[]) =>
  rebuildWindow({ steps: given, prefix: "system ".repeat(100), policy: policies.ledger, windowTokens: 100_000 });
const tokensOf = (given: readonly ContextStep[], name: string) =>
  rebuild(given).parts.find((part) => part.name === name)?.tokens ?? 0;

describe("the window of a saved session", () => {
  it("holds what was said, by kind, beside the prefix", () => {
    const { parts, windowTokens, foldAtTokens } = rebuild(steps(user, call, result));
    expect(parts.map(({ name }) => name)).toEqual([
      "results of read_file",
      "system prompt and tools",
      "the agent's messages",
      "your messages",
    ]);
    expect(windowTokens).toBe(100_000);
    expect(foldAtTokens).toBe(75_000);
  });

  it("shows results as the edits in the log left them", () => {
    const replaced: ContextStep = {
      type: "edits",
      edits: [{ type: "replace", messageId: "m3", callId: "c1", text: "[#1 archived]" }],
    };
    const all = steps(user, call, result);
    expect(tokensOf(all, "results of read_file")).toBeGreaterThan(1_000);
    expect(tokensOf([...all, replaced], "results of read_file")).toBeLessThan(50);
  });

  it("is corrected by what the vendor last counted", () => {
    const answered = (inputTokens: number): Message => ({
      ...{ id: "m4", role: "assistant", parts: [{ type: "text", text: "ok" }] },
      usage: { inputTokens, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 },
    });
    const sum = (message: Message) =>
      rebuild(steps(user, call, result, message)).parts.reduce((total, part) => total + part.tokens, 0);
    expect(sum(answered(8_000)) / sum(answered(4_000))).toBeCloseTo(2, 1);
  });

  it("survives edits of messages that are not in the log", () => {
    const lost: ContextStep = {
      type: "edits",
      edits: [
        { type: "fold", through: "m99", keepBefore: ["m98"], notes: [{ role: "user", text: "notes" }], keepAfter: [] },
      ],
    };
    expect(() => rebuild([...steps(user), lost])).not.toThrow();
  });
});
