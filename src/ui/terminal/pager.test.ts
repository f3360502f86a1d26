import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import { chooseTheme } from "../rendering/theme.ts";
import type { KeyPress } from "./keyboard.ts";
import { createPager } from "./pager.ts";
import { createScreen } from "./screen.ts";

const theme = chooseTheme({ wish: "ansi", colours: "none" });
const key = (name: string): KeyPress => ({ type: "key", name });

function open(count = 100) {
  const emulator = createEmulator(60, 10);
  const screen = createScreen({ surface: emulator.surface, theme, now: () => 0 });
  const { pause, resume } = screen;
  const pager = createPager({ surface: emulator.surface, theme: () => theme, pause, resume });
  screen.print({ type: "note", tone: "text", text: "said before" });
  screen.draw();
  const lines = Array.from({ length: count }, (_, at) => `line ${at + 1}`);
  const left = pager.show({ title: "2 files", lines: () => lines });
  return { emulator, screen, pager, left };
}

describe("the pager", () => {
  it.each([
    [["down", "down"], 3],
    [["pageDown"], 9],
    [["space", "up"], 8],
    [["end"], 92],
    [["G", "pageUp"], 84],
    [["end", "down", "home", "up"], 1],
  ])("after %j shows from line %i", async (keys, first) => {
    const { emulator, pager, screen } = open();
    for (const name of keys) expect(pager.take(key(name))).toBe(true);
    const rows = await emulator.screen();
    expect(rows[0]).toBe(`line ${first}`);
    expect(rows[8]).toBe(`line ${first + 8}`);
    expect(rows[9]).toMatch(new RegExp(`^2 files · ${first}–${first + 8} of 100 lines · `));
    pager.close();
    screen.pause();
  });

  it.each(["q", "escape", "ctrl+c"])(
    "is left with %s, and the ordinary screen is as it was, with what came since",
    async (name) => {
      const { emulator, pager, screen, left } = open();
      screen.print({ type: "note", tone: "text", text: "came meanwhile" });
      screen.draw();
      expect((await emulator.screen()).join()).not.toContain("meanwhile");
      await emulator.resize(40, 6);
      screen.resize();
      pager.resize();
      expect((await emulator.screen())[5]).toMatch(/^2 files · 1–5 of 100/);
      pager.take(key(name));
      await left;
      expect(pager.take(key("q"))).toBe(false);
      expect(await emulator.lines()).toEqual(["said before", "came meanwhile", "> "]);
      screen.pause();
    },
  );
});
