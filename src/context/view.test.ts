import { describe, expect, test } from "vitest";
import { createHistory } from "../../test/support/history.ts";
import type { Message } from "../contracts/message.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { createTranscript } from "./transcript.ts";
import { createView } from "./view.ts";

function setUp() {
  const history = createHistory();
  const transcript = createTranscript(estimateTokens);
  const view = createView(transcript, estimateTokens);
  const messages: Message[] = [];
  const add = (...more: readonly Message[]) => {
    for (const message of more) {
      transcript.add(message);
      view.extend();
      messages.push(message);
    }
  };
  add(history.user("first"));
  const { asked, answered } = history.round([{ text: "one", images: 1 }, { text: "two" }]);
  add(asked, ...answered, history.user("second"), history.say("done"));
  return { view, messages, add, history };
}

describe("the view", () => {
  test("is the history itself while there are no edits", () => {
    const { view, messages } = setUp();
    expect(view.messages).toHaveLength(messages.length);
    expect(view.messages.every((message, at) => message === messages[at])).toBe(true);
  });

  test("shows a replaced result with its new text, and leaves all else the same objects", () => {
    const { view, messages } = setUp();
    const before = view.tokens;
    view.apply([{ type: "replace", messageId: "m3", callId: "call-1", text: "gone" }]);
    expect(view.messages[2]?.parts[0]).toMatchObject({
      type: "tool-result",
      callId: "call-1",
      handle: "#1",
      text: "gone",
    });
    expect(view.messages[2]?.parts[0]).not.toHaveProperty("images");
    expect(messages[2]?.parts[0]).toMatchObject({ text: "one" });
    expect(view.messages.filter((message, at) => message !== messages[at])).toHaveLength(1);
    expect(view.tokens).toBeLessThan(before);
  });

  test("puts notes between what stays before and after them", () => {
    const { view, messages, add, history } = setUp();
    view.apply([
      {
        type: "fold",
        through: "m6",
        keepBefore: ["m1"],
        notes: [{ role: "user", text: "what happened" }],
        keepAfter: ["m5"],
      },
    ]);
    const later = history.user("third");
    add(later);
    expect(view.messages.map((message) => message.id)).toEqual(["m1", expect.any(String), "m5", later.id]);
    expect(view.messages[0]).toBe(messages[0]);
    expect(view.messages[2]).toBe(messages[4]);
    expect(view.messages[1]).toMatchObject({ role: "user", synthetic: true, parts: [{ text: "what happened" }] });
    expect([0, 1, 2, 3, 4, 5, 6].map(view.isFolded)).toEqual([false, true, true, true, false, true, false]);
  });

  test("replaces an earlier note by a later one", () => {
    const { view, add, history } = setUp();
    const fold = (through: string, text: string) =>
      view.apply([{ type: "fold", through, keepBefore: ["m1"], notes: [{ role: "user", text }], keepAfter: [] }]);
    fold("m4", "early");
    add(history.user("third"));
    fold("m6", "late");
    expect(JSON.stringify(view.messages)).not.toContain("early");
    expect(view.messages).toHaveLength(3);
  });

  test("counts the tokens of what it shows", () => {
    const { view, history, add } = setUp();
    const sum = () => view.items.reduce((total, item) => total + item.tokens, 0);
    expect(view.tokens).toBe(sum());
    view.apply([
      { type: "replace", messageId: "m3", callId: "call-1", text: "gone" },
      { type: "fold", through: "m1", keepBefore: [], notes: [{ role: "user", text: "note" }], keepAfter: [] },
    ]);
    add(history.say("more"));
    expect(view.tokens).toBe(sum());
    expect(view.tokensFrom(5)).toBe((view.items.at(-1)?.tokens ?? 0) + (view.items.at(-2)?.tokens ?? 0));
    expect(view.tokensFrom(0)).toBe(0);
  });

  test("survives edits that name nothing it knows", () => {
    const { view, messages } = setUp();
    view.apply([{ type: "replace", messageId: "m99", callId: "call-99", text: "x" }]);
    expect(view.messages.every((message, at) => message === messages[at])).toBe(true);
  });
});
