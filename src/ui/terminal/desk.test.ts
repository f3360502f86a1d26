import { afterEach, describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import { chooseTheme } from "../rendering/theme.ts";
import { createDesk } from "./desk.ts";
import { readKeyTable } from "./key-actions.ts";
import { createQuestionQueue } from "./question-queue.ts";
import { createScreen, type Screen } from "./screen.ts";

let screen: Screen | undefined;
afterEach(() => screen?.pause());

function open() {
  const emulator = createEmulator(80, 24);
  const now = () => 10_000;
  const opened = createScreen({
    surface: emulator.surface,
    theme: chooseTheme({ wish: "ansi", colours: "none" }),
    now,
  });
  screen = opened;
  const sent: string[] = [];
  const nothing = () => {};
  const desk = createDesk({
    screen: opened,
    questions: createQuestionQueue(opened, now),
    now,
    keys: readKeyTable([]),
    usesVim: false,
    history: { lines: ["again", "once", "again"], remember: nothing },
    completion: { commands: () => [], findFiles: async () => [] },
    editElsewhere: async () => ({ problem: "no editor" }),
    cycleMode: () => "plan",
    pictures: {
      named: (pasted) => (pasted.endsWith(".png") ? { name: "a shot.png", path: `"${pasted}"` } : undefined),
      fromClipboard: async () => ({ name: "clipboard-1.png", path: '"/tmp/clipboard-1.png"' }),
    },
    release: nothing,
    seize: nothing,
    isBusy: () => false,
    onInterrupt: nothing,
    onLeave: nothing,
    onLine(line) {
      sent.push(line);
      return true;
    },
  });
  const key = (name: string, text?: string) => desk.take({ type: "key", name, ...(text ? { text } : {}) });
  const type = (text: string) => [...text].forEach((letter) => void key(letter === " " ? "space" : letter, letter));
  return { desk, screen: opened, emulator, sent, key, type };
}

describe("the desk", () => {
  it("shows a dropped picture by its name, removes it with one key, and sends its path", () => {
    const { desk, screen, sent, key, type } = open();
    type("see ");
    desk.take({ type: "paste", text: "/home/me/a shot.png" });
    expect(screen.state.editor.text).toBe("see [image: a shot.png]");
    key("backspace");
    expect(screen.state.editor.text).toBe("see ");
    desk.take({ type: "paste", text: "/home/me/a shot.png" });
    key("enter");
    expect(sent).toEqual(['see "/home/me/a shot.png"']);
  });

  it.each([["ctrl+v"], ["an empty paste"]])("takes a picture from the clipboard with %s", async (way) => {
    const { desk, screen, key } = open();
    if (way === "ctrl+v") key(way);
    else desk.take({ type: "paste", text: "" });
    await Promise.resolve();
    expect(screen.state.editor.text).toBe("[image: clipboard-1.png]");
  });

  it("unfolds what is folded from the newest on, each once", async () => {
    const { screen, emulator, key } = open();
    const finished = (title: string) =>
      ({
        type: "tool.finished",
        callId: title,
        tool: "read_file",
        view: { label: "read", title },
        isError: false,
        text: `contents of ${title}`,
        durationMs: 1,
      }) as const;
    screen.take({ type: "thinking.delta", text: "a thought" });
    screen.take({ type: "tool.started", callId: "a.ts", tool: "read_file", view: { label: "read", title: "a.ts" } });
    screen.take(finished("a.ts"));
    for (let press = 0; press < 3; press++) key("ctrl+o");
    screen.draw();
    const lines = await emulator.lines();
    expect(lines.filter((line) => /^ {2}\S/.test(line))).toEqual(["  contents of a.ts", "  a thought"]);
    expect(lines.join("\n")).toContain("All of it is shown above");
  });

  it("goes through what was sent before, each once", () => {
    const { screen, key } = open();
    const seen = [1, 2, 3].map(() => {
      key("up");
      return screen.state.editor.text;
    });
    expect(seen).toEqual(["again", "once", "once"]);
  });
});
