import type { AgentEvent } from "../../contracts/event.ts";
import type { LinkStyle } from "../rendering/inline-spans.ts";
import { createMarkdownStream, type MarkdownStream } from "../rendering/markdown-stream.ts";
import type { Theme } from "../rendering/theme.ts";
import { quiet, reduceEvent, type Step, startTurn } from "./activity.ts";
import { type Block, blockLines } from "./blocks.ts";
import { emptyEditor } from "./editor.ts";
import { liveRows, type ScreenState } from "./live-rows.ts";
import { createPainter, type Surface } from "./painter.ts";

export type ScreenOptions = {
  readonly surface: Surface;
  readonly theme: Theme;
  readonly now: () => number;
  /** Paths below it are shown from it. */
  readonly root?: string;
  readonly links?: LinkStyle;
};

/** The state of the screen and the one way to change it; drawing follows by itself. */
export type Screen = {
  readonly state: ScreenState;
  change(change: Partial<ScreenState>): void;
  take(event: AgentEvent): void;
  startTurn(): void;
  print(...blocks: readonly Block[]): void;
  /** Now, instead of with the next frame. */
  draw(): void;
  setTheme(theme: Theme): void;
  readonly theme: Theme;
  readonly width: number;
  /** The window has another size. */
  resize(): void;
  /** Takes the live rows away; nothing is drawn until `resume`. */
  pause(): void;
  resume(): void;
};

/** Text arrives faster than anybody can read: so often it is drawn at most. */
const frameMs = 33;
/** Shown times count in seconds. */
const tickMs = 1_000;

const initial: ScreenState = {
  activity: quiet,
  editor: emptyEditor,
  completion: undefined,
  question: undefined,
  queued: [],
  status: undefined,
  hint: undefined,
  errand: undefined,
  vimMode: undefined,
};

export function createScreen({
  surface,
  theme: firstTheme,
  now,
  root = "/",
  links = "addresses",
}: ScreenOptions): Screen {
  const painter = createPainter(surface);
  let state = initial;
  let theme = firstTheme;
  let answer: MarkdownStream | undefined;
  let printed: string[] = [];
  let isBlank = true;
  let isPaused = false;
  let frame: NodeJS.Timeout | undefined;
  let tick: NodeJS.Timeout | undefined;
  let drawnAt = Number.NEGATIVE_INFINITY;
  const width = () => surface.size().columns;

  function put(lines: readonly string[]): void {
    if (lines.length === 0) return;
    // one empty line parts two things, never two
    printed.push(...(isBlank && lines[0] === "" ? lines.slice(1) : lines));
    isBlank = lines.at(-1) === "";
  }

  function apply(step: Step): void {
    switch (step.type) {
      case "text":
        if (answer === undefined) {
          answer = createMarkdownStream({ theme, width: width(), links });
          put([""]);
        }
        answer.push(step.text);
        put(answer.settled());
        break;
      case "end-text":
        if (answer) put(answer.finish());
        answer = undefined;
        break;
      case "drop-text":
        answer = undefined;
        break;
      case "print":
        put(blockLines(step.block, { theme, width: width(), root, links }));
    }
  }

  function draw(): void {
    clearTimeout(frame);
    frame = undefined;
    if (isPaused) return;
    const { columns, rows: height } = surface.size();
    drawnAt = now();
    const drawing = { theme, width: columns, height, root, links, now: drawnAt, answer: answer?.live() ?? [] };
    const live = liveRows(state, drawing);
    painter.draw({ printed, live: live.rows, cursor: live.cursor });
    printed = [];
    clearTimeout(tick);
    const { activity, errand, question } = state;
    const isMoving = question === undefined && (activity.turn !== undefined || errand !== undefined);
    tick = isMoving ? setTimeout(draw, tickMs) : undefined;
  }

  function soon(): void {
    if (frame !== undefined || isPaused) return;
    frame = setTimeout(draw, Math.max(0, frameMs - (now() - drawnAt)));
  }

  return {
    get state() {
      return state;
    },
    get theme() {
      return theme;
    },
    get width() {
      return width();
    },
    change(change) {
      state = { ...state, ...change };
      soon();
    },
    take(event) {
      const { activity, steps } = reduceEvent(state.activity, event, now());
      state = { ...state, activity };
      for (const step of steps) apply(step);
      soon();
    },
    startTurn() {
      state = { ...state, activity: startTurn(state.activity, now()) };
      soon();
    },
    print(...blocks) {
      for (const block of blocks) apply({ type: "print", block });
      soon();
    },
    draw,
    setTheme(next) {
      theme = next;
      soon();
    },
    resize() {
      answer?.resize(width());
      draw();
    },
    pause() {
      draw();
      clearTimeout(frame);
      clearTimeout(tick);
      frame = undefined;
      isPaused = true;
      painter.leave();
    },
    resume() {
      isPaused = false;
      painter.forget();
      draw();
    },
  };
}
