import type { TurnOutcome } from "../../contracts/event.ts";
import { counted } from "../figures.ts";
import { backgroundQuestion, parseBackground } from "../rendering/terminal-colours.ts";
import { createAttention } from "./attention.ts";
import { blockLines } from "./blocks.ts";
import { createDesk } from "./desk.ts";
import { isOwnCommand } from "./input.ts";
import type { PastItem, TerminalInterface, TerminalInterfaceOptions } from "./interface-options.ts";
import { createKeyboard, type KeyPress } from "./keyboard.ts";
import { createPager } from "./pager.ts";
import { createQuestionQueue } from "./question-queue.ts";
import { answeredBlock, keysList, permissionAnswer, permissionList, textList } from "./questions.ts";
import { createScreen } from "./screen.ts";
import { promptMarks } from "./signals.ts";
import { createWork } from "./work.ts";

const refreshMs = 100;

export function createTerminalInterface(options: TerminalInterfaceOptions): TerminalInterface {
  const { surface, kind } = options;
  const now = () => performance.now();
  const links = kind.hasLinks ? "hyperlinks" : "addresses";
  const screen = createScreen({ surface, theme: options.theme, now, root: options.root, links });
  const questions = createQuestionQueue(screen, now);
  const { write } = surface;
  const attention = createAttention({ write, kind, notifies: options.notifies, name: options.folderName, now });
  const pager = createPager({ surface, theme: () => screen.theme, pause: screen.pause, resume: screen.resume });
  const work = createWork({ ...options, screen, attention, now, refresh });
  let onLine: ((line: string | undefined) => void) | undefined;
  let isLeaving = false;
  let refreshing: NodeJS.Timeout | undefined;

  const keyboard = createKeyboard({
    write,
    escapeMs: options.escapeMs,
    onPresses: (presses) => {
      for (const press of presses) take(press);
      screen.draw();
    },
    onEnd: leave,
  });

  const desk = createDesk({
    ...options,
    cycleMode() {
      refresh();
      return options.cycleMode();
    },
    screen,
    questions,
    now,
    release() {
      screen.pause();
      keyboard.close();
    },
    seize() {
      keyboard.open();
      screen.resume();
    },
    isBusy: () => work.isRunning,
    onInterrupt: work.stop,
    onLeave: leave,
    onLine(line) {
      if (onLine === undefined) return false;
      onLine(line);
      return true;
    },
  });

  function take(press: KeyPress): void {
    if (press.type === "reply") {
      if (attention.hear(press.sequence)) return;
      const background = parseBackground(press.sequence);
      if (background && options.themeOn) screen.setTheme(options.themeOn(background));
      return;
    }
    if (pager.take(press)) return;
    const belongsToQuestion = questions.take(press);
    if (!belongsToQuestion) desk.take(press);
    else if (press.type === "key" && press.name === "ctrl+c") work.stop();
  }

  function leave(): void {
    isLeaving = true;
    pager.close();
    work.stop();
    questions.close();
    onLine?.(undefined);
  }

  /** What it costs is paid at most a few times a second, however many events there are. */
  function refresh(): void {
    refreshing ??= setTimeout(showStatus, refreshMs, "whole");
  }

  async function showStatus(extent: "quick" | "whole"): Promise<void> {
    clearTimeout(refreshing);
    refreshing = undefined;
    screen.change({ status: await options.status(extent) });
  }

  function showTodos(): void {
    screen.change({ activity: { ...screen.state.activity, todos: options.todos() } });
  }

  function takeQueued(count: number): readonly string[] {
    const { queued } = screen.state;
    if (count > 0) screen.change({ queued: queued.slice(count) });
    return queued.slice(0, count);
  }

  const echo = (text: string) => screen.print({ type: "prompt", text: options.echo(text) });

  /** Answers with what to say next without being asked. */
  async function follow(line: string): Promise<string | undefined> {
    echo(line);
    if (isOwnCommand(line)) {
      const text = await work.errand(line, (signal) => options.runOwnCommand(line.slice(1).trim(), signal));
      screen.print({ type: "note", tone: "text", text });
      return undefined;
    }
    const done = await work.errand(line.split(/\s/)[0] ?? line, (signal) => options.runCommand(line, signal));
    // it may have changed to another conversation
    showTodos();
    if (done === "quit") leave();
    if (done === "quit" || done === "continue") return undefined;
    return afterTurn(await work.turn(done?.prompt ?? line));
  }

  async function afterTurn(outcome: TurnOutcome): Promise<string | undefined> {
    if (outcome.type === "interrupted") desk.giveBack(takeQueued(screen.state.queued.length));
    if (outcome.type !== "round-limit") return undefined;
    const goOn = await questions.ask(() => keysList("Go on? y yes  n no (default)", "yn", "n"));
    return goOn.value === "y" ? "Go on." : undefined;
  }

  function nextLine(): Promise<string | undefined> {
    const [first] = takeQueued(1);
    if (first !== undefined) return Promise.resolve(first);
    return new Promise((resolve) => {
      onLine = (line) => {
        onLine = undefined;
        resolve(line);
      };
      screen.draw();
      if (refreshing !== undefined) void showStatus("whole");
      write(promptMarks.done);
    });
  }

  async function converse(): Promise<void> {
    let next: string | undefined;
    while (!isLeaving) {
      const line = next ?? (await nextLine());
      if (line === undefined) return;
      next = line.trim() === "" ? undefined : await follow(line);
    }
  }

  function showPast(items: readonly PastItem[]): void {
    for (const item of items)
      if (item.type === "prompt") echo(item.text);
      else screen.take(item);
  }

  async function showDiff(diff: string): Promise<void> {
    const block = { type: "diff", diff } as const;
    const lines = (width: number) => blockLines(block, { theme: screen.theme, width, root: options.root, links });
    const { columns, rows } = surface.size();
    if (lines(columns).length < rows) return screen.print(block);
    const files = diff.match(/^\+\+\+ /gm)?.length ?? 0;
    const title = counted(files, "file");
    await pager.show({ title, lines });
    const count = (sign: string) => diff.split("\n").filter((line) => line.startsWith(sign)).length - files;
    const text = `${title} changed, +${count("+")} −${count("-")}; /diff FILE shows one`;
    screen.print({ type: "note", tone: "dim", text });
  }

  async function run(): Promise<void> {
    const restore = () => {
      pager.close();
      attention.end();
      write("\u001b[?25h");
      keyboard.close();
    };
    const resize = () => {
      screen.resize();
      pager.resize();
    };
    process.once("exit", restore);
    process.stdout.on("resize", resize);
    attention.begin();
    keyboard.open();
    if (options.themeOn) write(backgroundQuestion);
    for (const text of options.banner()) screen.print({ type: "note", tone: "text", text });
    showPast(options.past());
    showTodos();
    await showStatus("quick");
    screen.draw();
    refresh();
    await converse();
    clearTimeout(refreshing);
    screen.pause();
    process.stdout.off("resize", resize);
    process.off("exit", restore);
    restore();
  }

  return {
    run,
    async ask(question, signal) {
      const drawing = () => ({ theme: screen.theme, width: screen.width });
      const given = questions.ask(() => permissionList(question, drawing()), signal);
      attention.questionWaits(screen.state.activity.turn?.startedAt);
      const answer = permissionAnswer(await given);
      attention.questionAnswered();
      const told = answeredBlock(question, answer);
      if (told) screen.print(told);
      return answer;
    },
    print: (text, tone) => screen.print({ type: "note", tone, text }),
    printDiff: showDiff,
    showPast,
    refresh,
    takeQueued() {
      const { queued } = screen.state;
      // a command waits for the end of the turn, and what was sent behind it with it
      const command = queued.findIndex((line) => isOwnCommand(line) || !options.isPrompt(line));
      const taken = takeQueued(command < 0 ? queued.length : command);
      taken.forEach(echo);
      return taken;
    },
    chooseKey: async (question, keys, fallback) =>
      (await questions.ask(() => keysList(question, keys, fallback))).value,
    askText: async (question, kind) => (await questions.ask(() => textList(question, kind))).words ?? "",
    pickRow: desk.pickRow,
  };
}
