import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import { createPainter, type Frame } from "./painter.ts";

const words = fc.constantFrom(
  "plain words",
  "你好，世界",
  "👩‍👩‍👧‍👦 family",
  "é̂ marks",
  "",
  "a",
  "\u001b[31mred\u001b[39m and not",
  "x".repeat(90),
  "長い".repeat(20),
);
const lines = (most: number) => fc.array(words, { maxLength: most });
const frames = fc.array(
  fc.record({ printed: lines(7), live: fc.array(words, { minLength: 1, maxLength: 7 }), at: fc.nat(100) }),
  { minLength: 1, maxLength: 12 },
);
const bare = (text: string) => text.replace(/\u001b\[[\d;?]*[A-Za-z]/g, "");

/** Where a drawn row is longer than the window it is cut; what is printed never is. */
function expected(all: readonly Frame[], columns: number) {
  const printed = all.flatMap((frame) => frame.printed).map(bare);
  return {
    printed,
    live:
      all
        .at(-1)
        ?.live.map(bare)
        .filter((row) => row.length * 2 <= columns) ?? [],
  };
}

describe("the painter", () => {
  it("keeps every printed line once and in order, above the live rows as they are now, and clears no screen", async () => {
    await fc.assert(
      fc.asyncProperty(
        frames,
        fc.integer({ min: 40, max: 80 }),
        fc.integer({ min: 9, max: 30 }),
        async (given, columns, rows) => {
          const emulator = createEmulator(columns, rows);
          const painter = createPainter(emulator.surface);
          const drawn = given.map(({ printed, live, at }) => ({
            printed,
            live,
            cursor: { row: at % live.length, column: at % 5 },
          }));
          for (const frame of drawn) painter.draw(frame);
          const shown = await emulator.lines();
          const { printed, live } = expected(drawn, columns);
          const text = shown.join("").replace(/\s/g, "");
          expect(text.startsWith(printed.join("").replace(/\s/g, ""))).toBe(true);
          for (const row of live) expect(text.slice(-2000)).toContain(row.replace(/\s/g, ""));
          const last = drawn.at(-1) as Frame;
          const cursor = await emulator.cursor();
          const height = last.live.length;
          const bottom = Math.max(...shown.map((line, at) => (line === "" ? 0 : at)), cursor.row);
          expect(cursor.column).toBe(last.cursor?.column);
          expect(cursor.row).toBeLessThanOrEqual(bottom);
          expect(cursor.row).toBeGreaterThanOrEqual(bottom - height);
          expect(emulator.written).not.toMatch(/\u001b\[[23]J/);
        },
      ),
      { numRuns: 60 },
    );
  });

  it("writes a changed row alone, and nothing when nothing changed", () => {
    const emulator = createEmulator(80, 24);
    const painter = createPainter(emulator.surface);
    const live = ["working 1 s", "> written so far", "model · status of eighty columns that need not be sent again"];
    painter.draw({ printed: [], live, cursor: { row: 1, column: 5 } });
    const before = emulator.written.length;
    painter.draw({ printed: [], live, cursor: { row: 1, column: 5 } });
    expect(emulator.written.length).toBe(before);
    painter.draw({ printed: [], live: ["working 2 s", ...live.slice(1)], cursor: { row: 1, column: 5 } });
    expect(emulator.written.length - before).toBeLessThan(80);
    expect(emulator.written.slice(before)).not.toContain("status");
    expect(emulator.written.replace(/\u001b\[[\d;?]*[A-Za-z]/g, "")).toMatch(/> written so far\r*$/);
  });

  it("does not send the live rows again when a line is printed above them", () => {
    const emulator = createEmulator(80, 24);
    const painter = createPainter(emulator.surface);
    const live = ["> ", "the status line"];
    painter.draw({ printed: [], live, cursor: { row: 0, column: 2 } });
    const before = emulator.written.length;
    painter.draw({ printed: ["done"], live, cursor: { row: 0, column: 2 } });
    expect(emulator.written.slice(before)).not.toContain("status");
    expect(emulator.written.slice(before)).toContain("done");
  });

  it.each([
    [80, 40],
    [40, 80],
    [80, 33],
  ])("loses nothing when the window changes from %i to %i columns", async (from, to) => {
    const emulator = createEmulator(from, 12);
    const painter = createPainter(emulator.surface);
    const printed = Array.from({ length: 30 }, (_, at) => `line ${at} of what was said`);
    const live = [
      "an answer that is nearly as wide as the window was".slice(0, from),
      "> input",
      "status ".repeat(8).slice(0, from),
    ];
    painter.draw({ printed, live, cursor: { row: 1, column: 7 } });
    await emulator.resize(to, 12);
    painter.draw({
      printed: ["after the change"],
      live: ["short", "> input", "status"],
      cursor: { row: 1, column: 7 },
    });
    const shown = await emulator.lines();
    expect(shown.filter((line) => line.startsWith("line "))).toEqual(printed);
    expect(shown.slice(-4)).toEqual(["after the change", "short", "> input", "status"]);
  });

  it.each(["all", "all-but-cursor"] as const)(
    "leaves no old row of a long unsent line behind when the window gets narrower (reflow: %s)",
    async (reflows) => {
      const emulator = createEmulator(80, 12, reflows);
      const painter = createPainter(emulator.surface);
      const written = "> a prompt that is not sent yet and that is longer than the new window will be";
      const printed = ["first", "second", "a line that was printed and is wider than the new window too"];
      painter.draw({ printed, live: ["status", written], cursor: { row: 1, column: 70 } });
      await emulator.resize(30, 12);
      painter.draw({ printed: [], live: ["status", "> short"], cursor: { row: 1, column: 7 } });
      expect(await emulator.lines()).toEqual([...printed, "status", "> short"]);
    },
  );

  it("leaves the cursor below what was printed when it leaves", async () => {
    const emulator = createEmulator(40, 10);
    const painter = createPainter(emulator.surface);
    painter.draw({ printed: ["said"], live: ["> ", "status"], cursor: { row: 0, column: 2 } });
    painter.leave();
    expect(await emulator.lines()).toEqual(["said"]);
    expect(await emulator.cursor()).toEqual({ row: 1, column: 0 });
  });
});
