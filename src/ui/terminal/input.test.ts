import { describe, expect, it } from "vitest";
import { createInput, type InputState, type InputWish, pressInInput } from "./input.ts";
import { readKeyTable } from "./key-actions.ts";
import { pressesOf } from "./keyboard.ts";
import { vimStart } from "./vim.ts";

const keys = readKeyTable([]);

/** What a terminal sends for these keys. */
const sent: Readonly<Record<string, string>> = {
  enter: "\r",
  "alt+enter": "\u001b\r",
  "shift+enter": "\u001b[13;2u",
  escape: "\u001b",
  up: "\u001b[A",
  down: "\u001b[B",
  left: "\u001b[D",
  home: "\u001b[H",
  backspace: "\u007f",
  "ctrl+a": "\u0001",
  "ctrl+c": "\u0003",
  "ctrl+d": "\u0004",
  "ctrl+k": "\u000b",
  "ctrl+t": "\u0014",
  "ctrl+u": "\u0015",
  "ctrl+w": "\u0017",
  "ctrl+y": "\u0019",
  "ctrl+_": "\u001f",
  "alt+b": "\u001bb",
  "alt+d": "\u001bd",
};

type Run = { readonly input: InputState; readonly wishes: readonly InputWish[] };

/** Presses keys by name or types the text in between, one second apart when told so. */
function press(
  steps: readonly string[],
  given: Partial<InputState> & { isBusy?: boolean; hasQueued?: boolean; apartMs?: number } = {},
): Run {
  const { isBusy = false, hasQueued = false, apartMs = 10, ...state } = given;
  let input: InputState = { ...createInput(["newest", "older\nof two lines"], undefined), ...state };
  const wishes: InputWish[] = [];
  let now = 10_000;
  for (const step of steps)
    for (const sequence of sent[step] === undefined ? [...step] : [sent[step]])
      for (const each of pressesOf(sequence)) {
        now += apartMs;
        const { input: next, wish } = pressInInput(input, each, { keys, width: 20, now, isBusy, hasQueued });
        input = next;
        if (wish) wishes.push(wish);
      }
  return { input, wishes };
}

const textOf = (...steps: string[]) => press(steps).input.editor.text;

describe("the prompt", () => {
  it("sends with Enter, whether a terminal sends a carriage return or a line feed", () => {
    expect(press(["hello", "enter"]).wishes).toEqual([{ type: "send", text: "hello" }]);
    expect(pressesOf("\n")).toEqual([{ type: "key", name: "enter" }]);
    expect(press(["   ", "enter"]).wishes).toEqual([]);
  });

  it.each([["shift+enter"], ["alt+enter"]])("breaks the line with %s", (key) => {
    expect(textOf("one", key, "two")).toBe("one\ntwo");
  });

  it("breaks the line with Esc Enter and with a backslash at the end", () => {
    expect(textOf("one", "escape", "enter", "two")).toBe("one\ntwo");
    expect(textOf("one\\", "enter", "two")).toBe("one\ntwo");
  });

  it.each([
    [["one two", "ctrl+w"], "one "],
    [["one two", "ctrl+u"], ""],
    [["one two", "ctrl+a", "ctrl+k", "x", "ctrl+y"], "xone two"],
    [["one two", "alt+b", "alt+d"], "one "],
    [["one two three", "ctrl+w", "ctrl+w", "ctrl+y"], "one two three"],
    [["ab", "ctrl+t"], "ba"],
    [["one two", "ctrl+_"], "one "],
    [["a👩‍👩‍👧‍👦", "backspace"], "a"],
    [["é", "left", "x"], "xé"],
  ])("edits as shells do: %j", (steps, text) => {
    expect(textOf(...(steps as string[]))).toBe(text);
  });

  it("goes through what was sent before, and back to what was being written", () => {
    expect(textOf("up")).toBe("newest");
    expect(textOf("up", "up")).toBe("older\nof two lines");
    expect(textOf("draft", "up", "down")).toBe("draft");
  });

  it("moves inside a text of several rows before it leaves it", () => {
    const { input } = press(["one", "alt+enter", "two", "up", "x"]);
    expect(input.editor.text).toBe("onex\ntwo");
  });

  it("takes a folded paste as one character and sends it whole", () => {
    const pasted = "line\n".repeat(119);
    const input = pressInInput(
      createInput([], undefined),
      { type: "paste", text: pasted },
      { keys, width: 20, now: 0, isBusy: false, hasQueued: false },
    ).input;
    expect(input.editor.text).toBe("[pasted 120 lines]");
    expect(press(["enter"], { editor: input.editor }).wishes).toEqual([{ type: "send", text: pasted }]);
    expect(press(["backspace"], { editor: input.editor }).input.editor.text).toBe("");
  });

  it("clears with Ctrl-C, then leaves; Ctrl-D leaves when there is no text", () => {
    const cleared = press(["text", "ctrl+c"]);
    expect([cleared.input.editor.text, cleared.wishes]).toEqual(["", []]);
    expect(press(["ctrl+c", "ctrl+c"]).wishes.at(-1)).toEqual({ type: "leave" });
    expect(press(["ctrl+c", "ctrl+c"], { apartMs: 3_000 }).wishes.at(-1)).toMatchObject({ type: "hint" });
    expect(press(["ctrl+d"]).wishes).toEqual([{ type: "leave" }]);
    expect(press(["text", "home", "ctrl+d"]).input.editor.text).toBe("ext");
  });

  it("stops the agent with Esc or Ctrl-C while it works; at the prompt Esc Esc goes back", () => {
    for (const key of ["escape", "ctrl+c"])
      expect(press(["half", key], { isBusy: true }).wishes).toEqual([{ type: "interrupt" }]);
    expect(press(["escape", "escape"]).wishes.at(-1)).toEqual({ type: "rewind" });
    expect(press(["text", "escape", "escape"]).input.editor.text).toBe("");
  });

  it("takes a queued message back with the up key", () => {
    expect(press(["up"], { isBusy: true, hasQueued: true }).wishes).toEqual([{ type: "take-queued" }]);
  });

  it("completes with Tab, and with Enter only what was picked", () => {
    const completion = {
      from: 0,
      items: [
        { value: "/help", help: "" },
        { value: "/reset", help: "" },
      ],
      selected: 0,
    };
    const editor = press(["/he"]).input.editor;
    expect(
      pressInInput(
        press([], { editor, completion }).input,
        { type: "key", name: "tab" },
        { keys, width: 20, now: 0, isBusy: false, hasQueued: false },
      ).input.editor.text,
    ).toBe("/help ");
    expect(press(["enter"], { editor, completion }).wishes).toEqual([{ type: "send", text: "/he" }]);
    expect(press(["down", "enter"], { editor, completion }).input.editor.text).toBe("/reset ");
  });
});

describe("vi keys", () => {
  const vim = (...steps: string[]) => press(steps, { vim: vimStart }).input;
  it.each([
    [["one two", "escape", "b", "x"], "one wo"],
    [["one two", "escape", "0", "dw"], "two"],
    [["one two", "escape", "dd"], ""],
    [["one two", "escape", "b", "cw", "six"], "one six"],
    [["one", "escape", "A", "!"], "one!"],
    [["one", "escape", "yy", "p"], "oneone"],
    [["one", "escape", "x", "u"], "one"],
    [["one", "escape", "o", "two"], "one\ntwo"],
  ])("%j", (steps, text) => {
    expect(vim(...(steps as string[])).editor.text).toBe(text);
  });
});

describe("keys of one's own", () => {
  it("stand beside the usual ones", () => {
    const table = readKeyTable(["externalEditor=Ctrl+X", "undo=f5", "redraw=shift+pageup"]);
    expect(["ctrl+x", "f5", "shift+pageUp", "enter"].map((key) => table.get(key))).toEqual([
      "externalEditor",
      "undo",
      "redraw",
      "send",
    ]);
  });

  it.each(["nonsense=ctrl+q", "undo=hyper+x", "undo=ctrl+", "undo=word", "undo", ""])(
    "are refused by name when they mean nothing: %j",
    (item) => {
      expect(() => readKeyTable([item])).toThrow(
        expect.objectContaining({ exit: 52, message: expect.stringContaining(`"keys": ${JSON.stringify(item)}`) }),
      );
    },
  );
});
