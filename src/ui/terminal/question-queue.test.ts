import { afterEach, describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import { chooseTheme } from "../rendering/theme.ts";
import { insert } from "./editor.ts";
import type { KeyPress } from "./keyboard.ts";
import { createQuestionQueue } from "./question-queue.ts";
import { keysList, rowsList } from "./questions.ts";
import { createScreen, type Screen } from "./screen.ts";

let screen: Screen | undefined;
afterEach(() => screen?.pause());

function open() {
  const clock = { now: 5_000 };
  const opened = createScreen({
    surface: createEmulator(80, 24).surface,
    theme: chooseTheme({ wish: "ansi", colours: "none" }),
    now: () => clock.now,
  });
  screen = opened;
  const queue = createQuestionQueue(opened, () => clock.now);
  const ask = (title: string, signal?: AbortSignal) =>
    queue.ask(() => keysList(`${title}? y yes  n no (default)`, "yn", "n"), signal);
  /** Questions open one promise later. */
  const settle = async () => {
    for (let turn = 0; turn < 5; turn++) await Promise.resolve();
  };
  const title = () => opened.state.question?.question.title;
  return { screen: opened, queue, ask, settle, title, clock };
}

const letter = (text: string): KeyPress => ({ type: "key", name: text, text });
const enter: KeyPress = { type: "key", name: "enter" };

describe("questions", () => {
  it("wait for each other, and Enter behind a key is no answer to the next one", async () => {
    const { queue, ask, settle, title } = open();
    const [first, second] = [ask("First"), ask("Second")];
    await settle();
    queue.take(letter("y"));
    expect(await first).toEqual({ value: "y" });
    await settle();
    expect(title()).toBe("Second?");
    expect(queue.take(enter)).toBe(true);
    expect(title()).toBe("Second?");
    queue.take(enter);
    expect(await second).toEqual({ value: "n" });
  });

  it("do not take letters of somebody who was just writing for answers", async () => {
    const { screen: opened, queue, ask, settle, title, clock } = open();
    opened.change({ editor: insert(opened.state.editor, "please tr") });
    const answer = ask("Delete");
    await settle();
    expect(queue.take(letter("y"))).toBe(false);
    expect(title()).toBe("Delete?");
    clock.now += 1_000;
    expect(queue.take(letter("y"))).toBe(true);
    expect(await answer).toEqual({ value: "y" });
  });

  it("are no when they are interrupted, or when the person leaves", async () => {
    const { queue, ask, settle, title } = open();
    const stop = new AbortController();
    const first = ask("First", stop.signal);
    await settle();
    stop.abort();
    expect(await first).toEqual({ value: "n" });
    const second = ask("Second");
    await settle();
    queue.close();
    expect(await second).toEqual({ value: "n" });
    expect(await ask("Third")).toEqual({ value: "n" });
    expect(title()).toBeUndefined();
  });

  it("of a command give way to the next command, but take other letters as their filter", async () => {
    const { queue, settle, title, screen } = open();
    const ask = () => queue.ask(() => ({ ...rowsList("Which", ["one", "two"]), givesWayToCommands: true }));
    const first = ask();
    await settle();
    expect(queue.take(letter("/"))).toBe(false);
    expect(await first).toEqual({ value: "" });
    expect(title()).toBeUndefined();
    void ask();
    await settle();
    expect([queue.take(letter("t")), queue.take(letter("/"))]).toEqual([true, true]);
    expect(screen.state.question?.filter).toBe("t/");
  });
});
