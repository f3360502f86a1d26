import { afterEach, describe, expect, it } from "vitest";
import { createEmulator, type Emulator } from "../../../test/support/emulator.ts";
import type { AgentEvent, TurnTotals } from "../../contracts/event.ts";
import { emptyUsage } from "../../contracts/message.ts";
import { chooseTheme } from "../rendering/theme.ts";
import { insert, paste } from "./editor.ts";
import { openList, pressInList } from "./list-question.ts";
import { permissionList } from "./questions.ts";
import { createScreen, type Screen } from "./screen.ts";
import type { StatusFacts } from "./status-line.ts";

const theme = chooseTheme({ wish: "ansi", colours: "none" });
const status: StatusFacts = {
  model: "gpt-4o",
  mode: "default",
  folder: "~/project",
  branch: "main",
  window: { tokens: 12_000, windowTokens: 128_000, foldAtTokens: 96_000 },
  costUsd: 0.02,
  jobs: 1,
};
const totals: TurnTotals = { rounds: 1, usage: emptyUsage, costUsd: 0, durationMs: 5, apiMs: 5, denials: [] };

let opened: Screen[] = [];
afterEach(() => {
  for (const screen of opened) screen.pause();
  opened = [];
});

function open(columns = 80, rows = 24) {
  const emulator = createEmulator(columns, rows);
  const clock = { now: 0 };
  const screen = createScreen({ surface: emulator.surface, theme, now: () => clock.now, root: "/work" });
  opened.push(screen);
  screen.change({ status });
  const take = (...events: AgentEvent[]) => {
    for (const event of events) screen.take(event);
    screen.draw();
  };
  return { emulator, screen, take, clock };
}

const text = (words: string): AgentEvent => ({ type: "text.delta", text: words });
const answered = (words: string, cacheReadTokens = 0): AgentEvent => ({
  type: "message.added",
  message: {
    id: "m1",
    role: "assistant",
    parts: [{ type: "text", text: words }],
    usage: { inputTokens: 1000, outputTokens: 5, cacheReadTokens, cacheWriteTokens: 0 },
  },
});
const started = (callId: string, label: string, title: string, more: object = {}): AgentEvent => ({
  type: "tool.started",
  callId,
  tool: label,
  view: { label, title, ...(label === "$" ? { command: title } : {}) },
  ...more,
});
const finished = (callId: string, label: string, title: string, more: object = {}): AgentEvent => ({
  type: "tool.finished",
  callId,
  tool: label,
  view: { label, title, ...(label === "$" ? { command: title } : {}) },
  isError: false,
  text: "",
  durationMs: 10,
  ...more,
});
const done: AgentEvent = { type: "turn.finished", outcome: { type: "done" }, totals };

const shown = async (emulator: Emulator) => (await emulator.lines()).filter((line) => line !== "");

describe("the screen", () => {
  it("shows the prompt and the status line, and nothing else, while nothing happens", async () => {
    const { emulator, screen } = open();
    screen.draw();
    expect(await shown(emulator)).toEqual([
      "gpt-4o · default · ~/project (main) · 12k/128k 9 % ▰▱▱▱▱▱┊▱ · $0.02 · 1 job",
      "> ",
    ]);
  });

  it("prints an answer once, as Markdown, however it is cut into pieces", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    const answer = "# Title\n\nSome **bold** words.\n\n- one\n- two\n";
    for (const piece of answer.match(/.{1,5}/gs) ?? []) take(text(piece));
    take(answered(answer, 900), done);
    const lines = await shown(emulator);
    expect(lines.filter((line) => /Title|bold|one|two/.test(line))).toHaveLength(4);
    expect(lines.find((line) => line.includes("bold"))).toBe("Some bold words.");
    expect(lines.at(-2)).toContain("cache 90 %");
  });

  it("shows a running tool with its time and the last line it printed, then one line", async () => {
    const { emulator, screen, take, clock } = open();
    screen.startTurn();
    take(started("c1", "$", "npm test"), { type: "tool.progress", callId: "c1", text: "first\nsecond line\n" });
    clock.now = 3_100;
    screen.draw();
    expect((await shown(emulator)).slice(0, 3)).toEqual([
      "• $ npm test  3 s",
      "  second line",
      "working 3 s · esc stops",
    ]);
    take(finished("c1", "$", "npm test", { text: "a\nb\nc\nd\ne", durationMs: 3_100 }), done);
    expect((await shown(emulator)).slice(0, -2)).toEqual([
      "$ npm test  3.1 s",
      "  … 2 more lines (ctrl+o shows all)",
      "  c",
      "  d",
      "  e",
    ]);
  });

  it("shows the calls of a sub-agent below it while it works, and their number when it is done", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    const inside = { parentCallId: "a" };
    take(
      started("a", "agent", "find the bug"),
      started("b", "read", "x.ts", inside),
      finished("b", "read", "x.ts", inside),
    );
    take(started("c", "grep", "needle", inside));
    expect((await shown(emulator)).slice(0, 3)).toEqual([
      "• agent find the bug  1 call",
      "├ → read x.ts",
      "└ • grep needle",
    ]);
    take(finished("c", "grep", "needle", { ...inside, isError: true }));
    take(finished("a", "agent", "find the bug", { text: "found", durationMs: 2_000 }), done);
    expect((await shown(emulator)).slice(0, 3)).toEqual([
      "→ agent find the bug  2 calls, 1 failed, 2.0 s",
      "├ → read x.ts",
      "└ ✗ grep needle",
    ]);
  });

  it("prints what ended while the answer arrives below the answer, never inside it", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    take(
      text("The first half"),
      started("c1", "read", "a.txt"),
      finished("c1", "read", "a.txt"),
      text(" and the second."),
    );
    take(answered("…"), done);
    expect((await shown(emulator)).slice(0, 2)).toEqual(["The first half and the second.", "→ read a.txt"]);
  });

  it("folds thinking into one line that keeps it for Ctrl+O", async () => {
    const { emulator, screen, take, clock } = open();
    screen.startTurn();
    take({ type: "thinking.delta", text: "Let me see.\nPerhaps the import" });
    expect((await shown(emulator))[0]).toBe("∴ Perhaps the import");
    clock.now = 2_000;
    take(text("It is the import."), answered("…"), done);
    expect((await shown(emulator)).slice(0, 2)).toEqual(["∴ thought for 2.0 s (ctrl+o shows it)", "It is the import."]);
    expect(screen.state.activity.folded[0]?.text).toContain("Let me see.");
  });

  it("pins open tasks above the prompt and lets them go when all are done", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    const todos = (status: "pending" | "completed") => ({
      display: { type: "todos", todos: [{ content: "fix it", status }] },
    });
    take(finished("t", "todo", "0 of 1 done", todos("pending")));
    expect(await shown(emulator)).toContain("  ○ fix it");
    take(finished("t", "todo", "1 of 1 done", todos("completed")), done);
    expect(await shown(emulator)).not.toContain("  ○ fix it");
  });

  it("shows a change with its extent and its lines, an error with what went wrong, a command with how it ended", async () => {
    const { emulator, take } = open();
    const diff = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old line\n+new line\n";
    const view = { label: "edit", title: "/work/a.txt", writes: ["/work/a.txt"] };
    take(
      finished("c1", "edit", "", { view, display: { type: "diff", path: "a.txt", diff, added: 1, removed: 1 } }),
      finished("c2", "$", "false", {
        isError: true,
        text: "Error: it broke\n  at a\n  at b\n  at c\n  at d\n[exit code 1]",
        durationMs: 2_300,
        display: { type: "exit", code: 1 },
      }),
      finished("c3", "read", "gone.txt", { isError: true, text: "gone.txt does not exist" }),
    );
    const lines = (await shown(emulator)).slice(0, -2);
    expect(lines[0]).toBe("← edit a.txt +1 −1");
    expect(lines.slice(1, 3).join("\n")).toMatch(/-.*old line[\s\S]*\+.*new line/);
    expect(lines.slice(3)).toEqual([
      "$ false  exit 1, 2.3 s",
      "  Error: it broke",
      "  … 1 more line (ctrl+o shows all)",
      "    at b",
      "    at c",
      "    at d",
      "✗ read gone.txt",
      "  gone.txt does not exist",
    ]);
  });

  it("cuts a long title by the columns it takes and keeps both ends; its file is a link where that is known", async () => {
    const { emulator, take } = open(40, 12);
    take(finished("c1", "$", `${"漢字".repeat(30)} && rm -rf build`));
    expect((await shown(emulator))[0]).toMatch(/^\$ 漢字.*….*rm -rf build$/);
    const linked = createEmulator(60, 12);
    const screen = createScreen({ surface: linked.surface, theme, now: () => 0, root: "/work", links: "hyperlinks" });
    opened.push(screen);
    const view = { label: "read", title: "src/a b.ts from line 4", reads: ["src/a b.ts"] };
    screen.take(finished("c1", "read", "", { view }));
    screen.draw();
    expect(linked.written).toMatch(
      /\u001b\]8;;file:\/\/[^/]*\/work\/src\/a%20b\.ts\u001b\\src\/a b\.ts.*\u001b\]8;;\u001b\\/,
    );
    expect((await linked.lines())[0]).toBe("→ read src/a b.ts from line 4");
  });

  it("never prints a restarted answer's live part, and says when a call is tried again", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    take(
      text("wrong sta"),
      { type: "answer.restarted" },
      { type: "retrying", attempt: 1, delayMs: 2_000, reason: "overloaded" },
    );
    expect((await shown(emulator)).slice(0, 2)).toEqual(["overloaded; trying again", "trying again in 2 s"]);
    take(text("right"), answered("right"), done);
    const lines = await shown(emulator);
    expect(lines[1]).toBe("right");
    expect(lines.join()).not.toMatch(/wrong|in 2 s/);
  });

  it("writes control characters of models and tools out instead of obeying them", async () => {
    const { emulator, screen, take } = open();
    screen.startTurn();
    take(
      text("safe \u001b[2Jwords"),
      answered("…"),
      finished("c", "$", "evil\u001b[31m\u0007", { text: "\u001b]0;title\u0007out" }),
      done,
    );
    screen.print({ type: "prompt", text: "pasted \u001b[31m\u202eline\tand\u009b2J" });
    screen.draw();
    expect(emulator.written).not.toMatch(/\u001b\[2J|\u001b\]0|\u001b\[31m|\u009b|\u202e/);
    expect(await shown(emulator)).toContain("> pasted <U+001B>[31m<U+202E>line  and<U+009B>2J");
    expect((await shown(emulator)).join()).toContain("evil<U+001B>[31m<U+0007>");
  });

  it("fits a window of 40 columns, with wide characters", async () => {
    const { emulator, screen, take } = open(40, 12);
    screen.startTurn();
    screen.change({ editor: insert(screen.state.editor, "漢字".repeat(12)) });
    take(
      text("你好，世界。".repeat(12)),
      started("c1", "$", "some long command that does not fit into forty columns at all"),
    );
    for (const row of await emulator.screen())
      expect([...row].reduce((sum, each) => sum + (/[^\x00-\u2fff]/.test(each) ? 2 : 1), 0)).toBeLessThanOrEqual(40);
    expect((await shown(emulator)).find((line) => line.startsWith("gpt-4o"))).toMatch(/^gpt-4o · 12k\/128k/);
    take(answered("…"), done);
    expect((await emulator.lines()).join("").match(/你好，世界。/g)).toHaveLength(12);
  });

  it("loses nothing when the window changes while the answer arrives", async () => {
    const { emulator, screen, take } = open(80, 16);
    screen.startTurn();
    const numbers = Array.from({ length: 300 }, (_, at) => `n${at}`);
    for (const [at, number] of numbers.entries()) {
      take(text(`${number} `));
      if (at % 60 === 30) {
        await emulator.resize(at % 120 === 30 ? 41 : 73, 16 + (at % 7));
        screen.resize();
      }
    }
    take(answered("…"), done);
    expect((await emulator.lines()).join(" ").match(/n\d+/g)).toEqual(numbers);
    expect((await shown(emulator)).filter((line) => line.startsWith("gpt-4o"))).toHaveLength(1);
  });

  it("folds a large paste in the input", async () => {
    const { emulator, screen } = open();
    screen.change({ editor: paste(screen.state.editor, "line\n".repeat(119)) });
    screen.draw();
    expect((await shown(emulator)).at(-1)).toBe("> [pasted 120 lines]");
  });

  it("asks in a list that holds the change and the keys; y answers, Enter alone is no, w takes a word", async () => {
    const { emulator, screen } = open();
    const request = {
      tool: "edit_file",
      effect: "write",
      view: { label: "edit", title: "a.txt" },
      cwd: "/",
      root: "/",
      writableRoots: [],
    } as const;
    const change = "--- a/a.txt\n+++ b/a.txt\n@@ -1 +1 @@\n-old\n+new\n";
    const question = openList(
      permissionList(
        { callId: "c1", request, because: "it changes a.txt", rule: "edit_file(*)", change },
        { theme, width: 80 },
      ),
    );
    screen.change({ question });
    screen.draw();
    const lines = await shown(emulator);
    expect(lines[1]).toBe("Allow edit?");
    expect(lines.join("\n")).toMatch(
      /-.*old[\s\S]*\+.*new[\s\S]*because it changes a\.txt[\s\S]*y yes, once[\s\S]*a always[\s\S]*s for this session[\s\S]*▸ n no \(default\)/,
    );
    const key = (name: string, typed = name) => ({ type: "key", name, ...(typed ? { text: typed } : {}) }) as const;
    expect(pressInList(question, key("y")).answer).toEqual({ value: "once" });
    expect(pressInList(question, key("enter", "")).answer).toEqual({ value: "no" });
    expect(pressInList(question, key("escape", "")).answer).toEqual({ value: "no" });
    let state = pressInList(question, key("w")).state;
    for (const letter of "later") state = pressInList(state, key(letter)).state;
    expect(pressInList(state, key("enter", "")).answer).toEqual({ value: "word", words: "later" });
  });

  it.each([6, 8, 10, 12, 24])(
    "keeps the title, the end of the command and the keys of a question in sight in a window of %i rows",
    async (rows) => {
      const { emulator, screen, take } = open(50, rows);
      screen.startTurn();
      take(text("An answer that stands above.\n\n".repeat(3)));
      const command = `${Array.from({ length: 12 }, (_, at) => `echo step ${at}`).join("\n")}\nrm -rf important`;
      const request = {
        tool: "bash",
        effect: "execute",
        view: { label: "$", title: command, command },
        cwd: "/",
        root: "/",
        writableRoots: [],
      } as const;
      const question = { callId: "c1", request, because: "rm deletes files", rule: "bash(rm *)" };
      screen.change({ question: openList(permissionList(question, { theme, width: 50 })) });
      screen.draw();
      const seen = (await emulator.screen()).join("\n");
      expect(seen).toContain("Allow this command?");
      expect(seen).toContain("rm -rf important");
      expect(seen).toMatch(/y yes, once[\s\S]*a always[\s\S]*s for this session[\s\S]*w no, and a word[\s\S]*▸ ?n no/);
    },
  );

  it("streams 10 KB of text in less than 64 KB of writes, and never clears the screen", async () => {
    const { emulator, screen, take, clock } = open();
    screen.startTurn();
    const sentence = "A sentence of the answer that says something. ";
    const answer = sentence.repeat(220);
    const before = emulator.written.length;
    // a packet holds some words, a frame some packets
    for (let at = 0; at < answer.length; at += 40) {
      clock.now += 20;
      take(text(answer.slice(at, at + 40)));
    }
    take(answered(answer), done);
    expect(emulator.written.length - before).toBeLessThan(6.4 * answer.length);
    expect(emulator.written).not.toMatch(/\u001b\[[23]J/);
    expect((await emulator.lines()).join(" ").replace(/\s+/g, " ").split(sentence.trim())).toHaveLength(221);
  });
});
