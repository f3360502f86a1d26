import type { CommandOutcome } from "../../contracts/command.ts";
import type { AgentEvent, TurnOutcome } from "../../contracts/event.ts";
import type { AskPermission } from "../../contracts/permission.ts";
import type { Todo } from "../../contracts/tool-view.ts";
import type { Asker } from "../ask-person.ts";
import { describeOutcome } from "../describe-outcome.ts";
import { backgroundQuestion, parseBackground } from "../rendering/terminal-colours.ts";
import type { Background, Theme } from "../rendering/theme.ts";
import { createDesk, type DeskOptions } from "./desk.ts";
import { isOwnCommand } from "./input.ts";
import { createKeyboard, type KeyPress } from "./keyboard.ts";
import type { Surface } from "./painter.ts";
import { createQuestionQueue } from "./question-queue.ts";
import { answeredBlock, keysList, permissionAnswer, permissionList, textList } from "./questions.ts";
import { createScreen } from "./screen.ts";
import { giveTitleBack, keepTitle, notification, progress, promptMarks, type TerminalKind, title } from "./signals.ts";
import type { StatusSource } from "./status-line.ts";

export type TerminalInterfaceOptions = Pick<
  DeskOptions,
  "keys" | "usesVim" | "history" | "completion" | "editElsewhere" | "cycleMode" | "modelNames"
> & {
  readonly surface: Surface;
  readonly kind: TerminalKind;
  readonly theme: Theme;
  /** The theme for a ground that the terminal told us about; left out, it is not asked. */
  readonly themeOn?: (background: Background) => Theme;
  readonly escapeMs: number;
  readonly notifies: boolean;
  readonly isVerbose: boolean;
  readonly banner: () => readonly string[];
  readonly folderName: string;
  readonly todos: () => readonly Todo[];
  readonly send: (prompt: string, signal: AbortSignal) => AsyncIterable<AgentEvent>;
  /** Is it for the model, and no slash command? */
  readonly isPrompt: (line: string) => boolean;
  /** Runs a slash command; undefined when the line is a prompt. */
  readonly runCommand: (line: string, signal: AbortSignal) => Promise<CommandOutcome | undefined>;
  /** Runs a command of the person's own and keeps its output for the next prompt. */
  readonly runOwnCommand: (command: string, signal: AbortSignal) => Promise<string>;
  readonly status: StatusSource;
  readonly target: () => { readonly endpoint: string; readonly model: string };
};

export type TerminalInterface = Asker & {
  /** Runs until the person leaves. */
  run(): Promise<void>;
  readonly ask: AskPermission;
  printDiff(diff: string): void;
  /** For everything that is no event: commands, notices, warnings. */
  print(text: string, tone: "text" | "dim" | "error"): void;
  /** The line at the bottom may have changed. */
  refresh(): void;
  /** What was written while the agent works; it is theirs from now on. */
  takeQueued(): readonly string[];
};

/** A turn this long is worth calling the person back from elsewhere. */
const longTurnMs = 10_000;
const refreshMs = 100;
/** Most commands are over before anybody could read that they run. */
const errandShownMs = 300;

const movesStatus: ReadonlySet<AgentEvent["type"]> = new Set([
  "message.added",
  "context.edited",
  "model.used",
  "turn.finished",
]);

export function createTerminalInterface(options: TerminalInterfaceOptions): TerminalInterface {
  const { surface, kind } = options;
  const now = () => performance.now();
  const screen = createScreen({ surface, theme: options.theme, now });
  const questions = createQuestionQueue(screen, now);
  let stop: AbortController | undefined;
  let onLine: ((line: string | undefined) => void) | undefined;
  let isLeaving = false;
  let refreshing: NodeJS.Timeout | undefined;

  const keyboard = createKeyboard({
    write: surface.write,
    escapeMs: options.escapeMs,
    onPresses: (presses) => {
      for (const press of presses) take(press);
      screen.draw();
    },
    onEnd: leave,
  });

  function release(): void {
    screen.pause();
    keyboard.close();
  }

  function seize(): void {
    keyboard.open();
    screen.resume();
  }

  const desk = createDesk({
    ...options,
    cycleMode() {
      refresh();
      return options.cycleMode();
    },
    screen,
    questions,
    now,
    release,
    seize,
    isBusy: () => stop !== undefined,
    onInterrupt: () => stop?.abort(),
    onLeave: leave,
    onLine(line) {
      if (onLine === undefined) return false;
      onLine(line);
      return true;
    },
  });

  function take(press: KeyPress): void {
    if (press.type === "reply") {
      const background = parseBackground(press.sequence);
      if (background && options.themeOn) screen.setTheme(options.themeOn(background));
      return;
    }
    const belongsToQuestion = questions.take(press);
    if (!belongsToQuestion) desk.take(press);
    else if (press.type === "key" && press.name === "ctrl+c") stop?.abort();
  }

  function leave(): void {
    isLeaving = true;
    stop?.abort();
    questions.close();
    onLine?.(undefined);
  }

  /** What it costs is paid at most a few times a second, however many events there are. */
  function refresh(): void {
    refreshing ??= setTimeout(async () => {
      refreshing = undefined;
      screen.change({ status: await options.status() });
    }, refreshMs);
  }

  /** Work that Esc can stop. */
  async function busy<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    stop = new AbortController();
    surface.write(title(`… ${options.folderName}`, kind) + progress("busy", kind));
    try {
      return await work(stop.signal);
    } finally {
      stop = undefined;
      surface.write(title(options.folderName, kind) + progress("none", kind));
    }
  }

  async function errand<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const timer = setTimeout(() => screen.change({ errand: { title: name, startedAt: now() } }), errandShownMs);
    try {
      return await busy(work);
    } finally {
      clearTimeout(timer);
      // a command may have changed to another conversation
      screen.change({ errand: undefined, activity: { ...screen.state.activity, todos: options.todos() } });
      refresh();
    }
  }

  async function turn(prompt: string): Promise<TurnOutcome> {
    const startedAt = now();
    let outcome: TurnOutcome = { type: "interrupted" };
    await busy(async (signal) => {
      screen.startTurn();
      for await (const event of options.send(prompt, signal)) {
        if (event.type !== "cache.missed" || options.isVerbose) screen.take(event);
        if (movesStatus.has(event.type)) refresh();
        if (event.type === "turn.finished" && event.parentCallId === undefined) outcome = event.outcome;
      }
    });
    const problem = describeOutcome(outcome, options.target());
    const tone = outcome.type === "interrupted" ? "dim" : "error";
    if (problem !== undefined) screen.print({ type: "note", tone, text: problem });
    if (outcome.type === "interrupted") desk.giveBack(emptyQueue());
    callBack(startedAt, "done");
    return outcome;
  }

  function emptyQueue(): readonly string[] {
    const { queued } = screen.state;
    screen.change({ queued: [] });
    return queued;
  }

  function callBack(since: number, why: string): void {
    if (options.notifies && now() - since >= longTurnMs)
      surface.write(notification(`${options.folderName}: ${why}`, kind));
  }

  /** Answers with what to say next without being asked. */
  async function follow(line: string): Promise<string | undefined> {
    screen.print({ type: "prompt", text: line });
    if (isOwnCommand(line)) {
      const text = await errand(line, (signal) => options.runOwnCommand(line.slice(1).trim(), signal));
      screen.print({ type: "note", tone: "text", text });
      return undefined;
    }
    const done = await errand(line.split(/\s/)[0] ?? line, (signal) => options.runCommand(line, signal));
    if (done === "quit") leave();
    if (done === "quit" || done === "continue") return undefined;
    const outcome = await turn(done?.prompt ?? line);
    if (outcome.type !== "round-limit") return undefined;
    const goOn = await questions.ask(() => keysList("Go on? y yes  n no (default)", "yn", "n"));
    return goOn.value === "y" ? "Go on." : undefined;
  }

  function nextLine(): Promise<string | undefined> {
    const [first, ...rest] = screen.state.queued;
    if (first !== undefined) {
      screen.change({ queued: rest });
      return Promise.resolve(first);
    }
    return new Promise((resolve) => {
      onLine = (line) => {
        onLine = undefined;
        resolve(line);
      };
      screen.draw();
      surface.write(promptMarks.done);
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

  return {
    async run() {
      const restore = () => {
        surface.write(`${giveTitleBack(kind)}${progress("none", kind)}\u001b[?25h`);
        keyboard.close();
      };
      const resize = () => screen.resize();
      process.once("exit", restore);
      process.stdout.on("resize", resize);
      surface.write(keepTitle(kind) + title(options.folderName, kind));
      keyboard.open();
      if (options.themeOn) surface.write(backgroundQuestion);
      for (const text of options.banner()) screen.print({ type: "note", tone: "text", text });
      const activity = { ...screen.state.activity, todos: options.todos() };
      screen.change({ activity, status: await options.status() });
      await converse();
      clearTimeout(refreshing);
      screen.pause();
      process.stdout.off("resize", resize);
      process.off("exit", restore);
      restore();
    },
    async ask(question, signal) {
      const running = screen.state.activity.turn;
      const drawing = () => ({ theme: screen.theme, width: screen.width });
      const given = questions.ask(() => permissionList(question, drawing()), signal);
      if (running) callBack(running.startedAt, "a question waits");
      const answer = permissionAnswer(await given);
      const told = answeredBlock(question, answer);
      if (told) screen.print(told);
      return answer;
    },
    print: (text, tone) => screen.print({ type: "note", tone, text }),
    printDiff: (diff) => screen.print({ type: "diff", diff }),
    refresh,
    takeQueued() {
      const { queued } = screen.state;
      // a command waits for the end of the turn, and what was sent behind it with it
      const command = queued.findIndex((line) => isOwnCommand(line) || !options.isPrompt(line));
      const taken = command < 0 ? queued : queued.slice(0, command);
      if (taken.length === 0) return [];
      screen.change({ queued: queued.slice(taken.length) });
      for (const text of taken) screen.print({ type: "prompt", text });
      return taken;
    },
    chooseKey: async (question, keys, fallback) =>
      (await questions.ask(() => keysList(question, keys, fallback))).value,
    askText: async (question, kind) => (await questions.ask(() => textList(question, kind))).words ?? "",
    pickRow: desk.pickRow,
  };
}
