import "../../../test/support/property-seed.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createEmulator } from "../../../test/support/emulator.ts";
import type { AgentEvent, TurnTotals } from "../../contracts/event.ts";
import { emptyUsage } from "../../contracts/message.ts";
import { chooseTheme } from "../rendering/theme.ts";
import { emptyEditor, insert } from "./editor.ts";
import { openList } from "./list-question.ts";
import { keysList } from "./questions.ts";
import { createScreen, type Screen } from "./screen.ts";
import type { Reflow } from "./signals.ts";

const theme = chooseTheme({ wish: "dark", colours: "true" });
const totals: TurnTotals = { rounds: 1, usage: emptyUsage, costUsd: 0, durationMs: 5, apiMs: 5, denials: [] };

/** Everything said has a number of its own: `k17;` stands on the screen once, or it was lost or written twice. */
type Play = {
  readonly screen: Screen;
  readonly clock: { now: number };
  readonly said: string[];
  readonly open: string[];
  /** So many of them are surely settled: a paragraph or the answer has ended since. */
  readonly settled: { count: number };
  mark(): string;
};

type Act = (play: Play) => void;

const view = (title: string) => ({ label: "$", title, command: title });
const pieces = [
  "%",
  " %",
  "% ",
  "**%** ",
  "\n\n# %\n\n",
  "\n- %",
  "\n",
  "\n\n",
  "`%` ",
  "漢字%漢字 ",
  "🙂 % ",
  "\n| % | x |\n|---|---|\n| %",
  "\n```js\n%;\n",
  "```\n",
];

const say =
  (piece: string): Act =>
  ({ screen, said, settled, mark }) => {
    if (piece.startsWith("\n\n")) settled.count = said.length;
    screen.take({ type: "text.delta", text: piece.replaceAll("%", mark) });
  };

const acts: readonly fc.Arbitrary<Act>[] = [
  fc.constantFrom(...pieces).map(say),
  fc.integer({ min: 1, max: 60 }).map((count) => (play: Play) => {
    for (let at = 0; at < count; at++) say("% ")(play);
  }),
  fc.constant(({ screen, mark, open }: Play) => {
    const callId = mark();
    open.push(callId);
    screen.take({ type: "tool.started", callId, tool: "bash", view: view(callId) });
  }),
  fc.constant(({ screen, open }: Play) => {
    const callId = open[0];
    if (callId) screen.take({ type: "tool.progress", callId, text: "something long that it printed\n".repeat(3) });
  }),
  fc.constant(({ screen, open }: Play) => finishTool(screen, open)),
  fc.constant(({ screen, mark }: Play) => screen.print({ type: "note", tone: "dim", text: `note ${mark()}` })),
  fc.constant(({ screen, said, settled }: Play) => {
    settled.count = said.length;
    screen.take(answered(said));
  }),
  fc.constant(({ screen }: Play) => screen.take({ type: "thinking.delta", text: "hm\nperhaps so" })),
  fc.string({ maxLength: 90 }).map((typed) => ({ screen }: Play) => {
    screen.change({ editor: insert(emptyEditor, typed) });
  }),
  fc.boolean().map((isOpen) => ({ screen }: Play) => {
    screen.change({ question: isOpen ? openList(keysList("Go on? y yes  n no (default)", "yn", "n")) : undefined });
  }),
  fc.constant(({ screen, clock }: Play) => {
    clock.now += 1_500;
    screen.draw();
  }),
];

function finishTool(screen: Screen, open: string[]): void {
  const callId = open.shift();
  if (callId === undefined) return;
  const ended = { isError: false, text: "out\n".repeat(5), durationMs: 10 };
  screen.take({ type: "tool.finished", callId, tool: "bash", view: view(callId), ...ended });
}

function answered(said: readonly string[]): AgentEvent {
  const parts = [{ type: "text", text: said.join(" ") }] as const;
  return { type: "message.added", message: { id: "m", role: "assistant", parts, usage: emptyUsage } };
}

const size = fc.record({ columns: fc.integer({ min: 24, max: 120 }), rows: fc.integer({ min: 6, max: 40 }) });
const steps = fc.array(fc.oneof({ weight: 8, arbitrary: fc.oneof(...acts) }, { weight: 1, arbitrary: size }), {
  minLength: 5,
  maxLength: 50,
});

async function play(given: readonly (Act | { columns: number; rows: number })[], reflows: Reflow) {
  const emulator = createEmulator(80, 24, reflows);
  const clock = { now: 0 };
  const screen = createScreen({ surface: emulator.surface, theme, now: () => clock.now });
  const said: string[] = [];
  const open: string[] = [];
  const settled = { count: 0 };
  /** Rows below that of the cursor, which is the last one. */
  let left = 0;
  /** What stood in the live rows when the window changed: where it became too small for them, the terminal keeps an old one. */
  const stood = new Set<string>();
  const mark = () => {
    said.push(`k${said.length};`);
    return said.at(-1) as string;
  };
  screen.startTurn();
  for (const step of given) {
    if (typeof step === "function") step({ screen, clock, said, open, settled, mark });
    else {
      for (const each of [...open, ...said.slice(settled.count)]) stood.add(each);
      await emulator.resize(step.columns, step.rows);
      screen.resize();
    }
    screen.draw();
    left = Math.max(left, (await emulator.lines()).length - 1 - (await emulator.cursor()).row);
  }
  screen.change({ question: undefined });
  while (open.length > 0) finishTool(screen, open);
  screen.take(answered(said));
  screen.take({ type: "turn.finished", outcome: { type: "done" }, totals });
  screen.pause();
  // code is broken where a row ends, also inside a word
  const lines = (await emulator.lines()).map((line) => line.trim());
  const shown: readonly string[] = lines.join("").match(/k\d+;/g) ?? [];
  const twice = shown.filter((each, at) => shown.indexOf(each) !== at && !stood.has(each));
  const lost = said.filter((each) => !shown.includes(each));
  return { lost, twice, left, written: emulator.written };
}

describe("the scrollback", () => {
  it("holds everything said once, and nothing that was live, in a window that stays as it is", async () => {
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const acts = given.filter((step) => typeof step === "function");
        const { lost, twice, left } = await play(acts, "all-but-cursor");
        expect({ lost, twice, left }).toEqual({ lost: [], twice: [], left: 0 });
      }),
      { numRuns: 8 },
    );
  });

  it.each(["all-but-cursor", "all"] as const)(
    "holds everything said once, whatever happens in whatever window, on terminals that wrap %s lines anew",
    async (reflows) => {
      await fc.assert(
        fc.asyncProperty(steps, async (given) => {
          const { lost, twice, written } = await play(given, reflows);
          expect({ lost, twice }).toEqual({ lost: [], twice: [] });
          expect(written).not.toMatch(/\u001b\[[23]J|\u001b\[\?1049/);
        }),
        { numRuns: 8 },
      );
    },
  );
});
