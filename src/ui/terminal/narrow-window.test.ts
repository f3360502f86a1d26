import { afterEach, describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import { chooseTheme } from "../rendering/theme.ts";
import { openList } from "./list-question.ts";
import { permissionList } from "./questions.ts";
import { createScreen, type Screen } from "./screen.ts";

const theme = chooseTheme({ wish: "dark", colours: "true" });
const width = 40;
const diff =
  "--- a/a.ts\n+++ b/a.ts\n@@ -1,2 +1,2 @@\n-const greeting = 'a text that is longer than the window is wide';\n+const greeting = '你好，世界，你好，世界，你好，世界，你好';\n kept\n";
const request = {
  tool: "edit_file",
  effect: "write",
  view: { label: "edit", title: "a.ts" },
  cwd: "/",
  root: "/",
  writableRoots: [],
} as const;

let opened: Screen | undefined;
afterEach(() => opened?.pause());

/** Rows of our own making: one that the terminal had to break would be joined with the next. */
async function drawn(show: (screen: Screen) => void) {
  const emulator = createEmulator(width, 30);
  opened = createScreen({ surface: emulator.surface, theme, now: () => 0 });
  show(opened);
  opened.draw();
  const isFilled = (row: string) => row !== "";
  const rows = (await emulator.screen()).filter(isFilled);
  expect((await emulator.lines()).filter(isFilled)).toEqual(rows);
  return rows.join("").replace(/\s/g, "");
}

describe("a window of 40 columns", () => {
  it("shows a change whole, with wide characters", async () => {
    const shown = await drawn((screen) => screen.print({ type: "diff", diff }));
    expect(shown).toContain("你好，世界，你好，世界");
    expect(shown).toMatch(/1-.*longerthanthewindow.*1\+.*kept/);
  });

  it("shows a question with its change and every answer", async () => {
    const question = { callId: "c", request, because: "it changes a.ts", rule: "edit_file(*)", change: diff };
    const shown = await drawn((screen) => {
      screen.change({ question: openList(permissionList(question, { theme, width })) });
    });
    expect(shown).toMatch(/Allowedit\?.*世界.*becauseitchangesa\.ts.*yyes.*aalways.*sforthissession.*wno.*nno/);
  });
});
