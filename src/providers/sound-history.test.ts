import { describe, expect, it } from "vitest";
import type { Message, Part } from "../contracts/message.ts";
import { createForgottenThinking } from "./forgotten-thinking.ts";
import { createSoundHistory, type HistoryRules } from "./sound-history.ts";

let count = 0;
const message = (role: Message["role"], ...parts: Part[]): Message => ({ id: `m${++count}`, role, parts });
const text = (words: string): Part => ({ type: "text", text: words });
const call = (callId: string, tool = "bash"): Part => ({ type: "tool-call", callId, tool, input: {}, rawInput: "{}" });
const result = (callId: string, more: object = {}): Part => ({
  type: "tool-result",
  callId,
  tool: "bash",
  text: `out ${callId}`,
  isError: false,
  handle: "#1",
  ...more,
});
const rules: HistoryRules = { callIds: { pattern: /^[a-z0-9_]+$/, longest: 20 }, images: "sent" };
const thinking: Part = { type: "thinking", text: "hm" };

function soundOf(messages: readonly Message[], more: Partial<HistoryRules> = {}): readonly Message[] {
  return createSoundHistory({ ...rules, ...more }, createForgottenThinking()).of(messages);
}
const outline = (messages: readonly Message[]) =>
  messages.map(
    ({ role, parts }) => `${role}: ${parts.map((part) => ("callId" in part ? part.callId : part.type)).join(" ")}`,
  );

describe("a history", () => {
  it("that is sound stays as it is, message by message", () => {
    const messages = [
      message("user", text("go")),
      message("assistant", thinking, call("a"), call("b")),
      message("tool", result("a")),
      message("tool", result("b")),
      message("assistant", text("done")),
      message("user", text("next")),
    ];
    const sound = soundOf(messages);
    expect(sound).toHaveLength(messages.length);
    for (const [at, one] of sound.entries()) expect(one).toBe(messages[at]);
  });

  it("gets results for calls that have none, before anybody else speaks", () => {
    const sound = soundOf([
      message("user", text("go")),
      message("assistant", call("a"), call("b")),
      message("tool", result("b")),
      message("user", text("never mind")),
    ]);
    expect(outline(sound)).toEqual(["user: text", "assistant: a b", "tool: b", "tool: a", "user: text"]);
    expect(sound[3]?.parts[0]).toMatchObject({ isError: true, text: "[no result]" });
  });

  it("tells of results that nobody asked for in words, behind the round they came in", () => {
    const sound = soundOf([
      message("tool", result("x")),
      message("assistant", call("a")),
      message("tool", result("y"), result("a")),
      message("assistant", text("done")),
      message("user", text("next")),
    ]);
    expect(outline(sound)).toEqual([
      "user: text",
      "assistant: a",
      "tool: a",
      "user: text",
      "assistant: text",
      "user: text",
    ]);
    expect(JSON.stringify(sound[0])).toContain("out x");
    expect(JSON.stringify(sound[3])).toContain("out y");
  });

  it("begins with the user and does not end with the assistant", () => {
    expect(outline(soundOf([message("assistant", text("hello"))]))).toEqual([
      "user: text",
      "assistant: text",
      "user: text",
    ]);
    expect(outline(soundOf([]))).toEqual(["user: text"]);
  });

  it("has every call and its result under one valid name, the same each time", () => {
    const messages = [
      message("user", text("go")),
      message("assistant", call("für/1", "no such tool"), call("same")),
      message("tool", result("für/1")),
      message("tool", result("same")),
      message("assistant", call("same")),
      message("tool", result("same")),
    ];
    const sound = soundOf(messages);
    const ids = sound.flatMap(({ parts }) => parts.flatMap((part) => (part.type === "tool-call" ? [part.callId] : [])));
    const answered = sound.flatMap(({ parts }) =>
      parts.flatMap((part) => (part.type === "tool-result" ? [part.callId] : [])),
    );
    expect(answered).toEqual(ids);
    expect(new Set(ids).size).toBe(3);
    for (const id of ids) expect(id).toMatch(/^[a-z0-9_]{1,20}$/);
    expect(sound[1]?.parts[0]).toMatchObject({ tool: "no_such_tool" });
    expect(sound[2]?.parts[0]).toMatchObject({ tool: "no_such_tool" });
    expect(soundOf(messages)).toEqual(sound);
  });

  it("says in words that there is an image where the model cannot see it", () => {
    const image = { type: "image", mediaType: "image/png", base64: "AAAA" } as const;
    const messages = [
      message("user", image),
      message("assistant", call("a")),
      message("tool", result("a", { images: [image] })),
    ];
    const sound = JSON.stringify(soundOf(messages, { images: "noted" }));
    expect(sound).not.toContain("AAAA");
    expect(sound.match(/cannot see/g)).toHaveLength(2);
  });

  it("keeps its first part when its last part changes, and finds it again when it changes back", () => {
    const history = createSoundHistory(rules, createForgottenThinking());
    const start = [message("user", text("go")), message("assistant", call("bad id"))];
    const [first, second] = [
      message("tool", result("bad id")),
      message("tool", result("bad id", { text: "archived" })),
    ];
    const before = [...history.of([...start, first])];
    const after = [...history.of([...start, second])];
    expect(after.slice(0, 2)).toEqual(before.slice(0, 2));
    expect(after[1]).toBe(before[1]);
    expect(after[2]?.parts[0]).toMatchObject({ text: "archived" });
    expect(history.of([...start, first])).toEqual(before);
  });
});

describe("thinking that is forgotten", () => {
  const messages = [
    message("user", text("go")),
    message("assistant", thinking, call("a")),
    message("tool", result("a")),
    message("assistant", thinking, call("b")),
    message("tool", result("b")),
  ];
  const thoughts = (sound: readonly Message[]) =>
    sound.map(({ parts }) => parts.filter(({ type }) => type === "thinking").length).join("");

  it("is left out from the message on that the vendor has not accepted before", () => {
    const forgotten = createForgottenThinking();
    const history = createSoundHistory(rules, forgotten);
    expect(thoughts(history.of(messages))).toBe("01010");
    expect(forgotten.forget(messages, 3)).toBe(true);
    expect(thoughts(history.of(messages))).toBe("01000");
    expect(forgotten.forget(messages, 3)).toBe(false);
    const [kept] = history.of(messages).slice(3);
    const later = [...messages, message("assistant", thinking, call("c")), message("tool", result("c"))];
    history.of(later);
    forgotten.forget(later, 5);
    expect(history.of(later)[3]).toBe(kept);
    expect(forgotten.forget(messages, 0)).toBe(true);
    expect(thoughts(history.of(messages))).toBe("00000");
  });

  it("is void behind every later cut, once the vendor has complained; not before", () => {
    const cut = (at: number) =>
      messages.map((one, i) => (i === at ? message("tool", result("a", { text: "archived" })) : one));
    const patient = createSoundHistory(rules, createForgottenThinking());
    patient.of(messages);
    expect(thoughts(patient.of(cut(2)))).toBe("01010");
    const forgotten = createForgottenThinking();
    const strict = createSoundHistory(rules, forgotten);
    forgotten.forget([message("assistant", thinking)], 0);
    strict.of(messages);
    const shorter = cut(2);
    expect(thoughts(strict.of(shorter))).toBe("01000");
    const later = [...shorter, message("assistant", thinking, text("done")), message("user", text("next"))];
    expect(thoughts(strict.of(later))).toBe("0100010");
  });
});
