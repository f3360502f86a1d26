import { showControl } from "../../platform/terminal-text.ts";
import { counted, durationText } from "../figures.ts";
import type { Theme } from "../rendering/theme.ts";
import { cutInMiddle } from "../text-width.ts";
import { shownTitle } from "../tool-line.ts";
import type { Activity, RunningTool } from "./activity.ts";
import { cellWidth, fitLine } from "./cells.ts";
import { type Completion, completionRows } from "./completion.ts";
import type { EditorState } from "./editor.ts";
import { cursorIn, editorRows } from "./editor-rows.ts";
import type { ListState } from "./list-question.ts";
import { drawList } from "./list-rows.ts";
import { type StatusFacts, statusLine } from "./status-line.ts";
import { pinnedTodos } from "./todo-rows.ts";
import { callLine, type Drawing } from "./tool-lines.ts";

/** Everything the bottom of the screen is made from. */
export type ScreenState = {
  readonly activity: Activity;
  readonly editor: EditorState;
  readonly completion: Completion | undefined;
  readonly question: ListState | undefined;
  /** Written while the agent works, to be delivered at its next step. */
  readonly queued: readonly string[];
  readonly status: StatusFacts | undefined;
  /** A word in passing, such as "Ctrl-C again to quit". */
  readonly hint: string | undefined;
  /** What a slash command or a command of the person's is doing. */
  readonly errand: { readonly title: string; readonly startedAt: number } | undefined;
  readonly vimMode: "insert" | "normal" | undefined;
};

export type LiveDrawing = Drawing & {
  readonly height: number;
  readonly now: number;
  /** The end of the answer, as far as it may still change. */
  readonly answer: readonly string[];
};

export type LiveRows = {
  readonly rows: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
};

const prompt = "> ";
const whileBusy = "what you send now is delivered at the next step";

/** State in, rows out; nothing else is looked at. */
export function liveRows(state: ScreenState, drawing: LiveDrawing): LiveRows {
  const { theme, width, height, answer } = drawing;
  const isLow = height <= lowWindow;
  const bottom = state.question ? questionRows(state.question, drawing) : inputRows(state, drawing);
  const status =
    isLow && state.question
      ? []
      : state.status
        ? [statusLine({ facts: state.status, lastUsage: state.activity.lastUsage, theme, width, hint: state.hint })]
        : state.hint
          ? [theme.dim(state.hint)]
          : [];
  const queued = state.queued.map((text) => theme.dim(fitLine(`(queued: ${oneLine(text)})`, width)));
  const gap = isLow ? [] : [""];
  const room = Math.max(0, height - 1 - bottom.rows.length - status.length - gap.length - queued.length);
  const busy = state.question ? [] : workRows(state, drawing);
  const workRoom = Math.min(room, Math.max(1, Math.floor(room * 0.6)));
  const work = [...busy, ...pinnedTodos(state.activity.todos, theme)].slice(0, workRoom);
  const said = answer.slice(Math.max(0, answer.length - Math.max(0, room - work.length)));
  const above = [...said, ...work, ...queued, ...gap, ...status].map((row) => fitLine(row, width));
  const cursor = bottom.cursor && { row: above.length + bottom.cursor.row, column: bottom.cursor.column };
  return { rows: [...above, ...bottom.rows], ...(cursor ? { cursor } : {}) };
}

/** In a window this low every row is needed. */
const lowWindow = 12;

function questionRows(question: ListState, { theme, width, height }: LiveDrawing): LiveRows {
  if (height <= lowWindow) return drawList(question, { theme, width, height: height - 1 });
  const drawn = drawList(question, { theme, width, height: height - 4 });
  const cursor = drawn.cursor && { row: drawn.cursor.row + 1, column: drawn.cursor.column };
  return { rows: ["", ...drawn.rows], ...(cursor ? { cursor } : {}) };
}

/** What runs, how long, and the last it said; a sub-agent's calls stand below it. */
function workRows({ activity, errand }: ScreenState, drawing: LiveDrawing): string[] {
  const { theme, width, now } = drawing;
  const rows: string[] = [];
  const { thinking, tools, retry, turn, isAnswering } = activity;
  if (thinking) {
    const last = thinking.text.trimEnd().split("\n").at(-1) ?? "";
    rows.push(theme.dim(fitLine(`∴ ${showControl(last.trim())}`, width)));
  }
  for (const tool of tools)
    if (!tools.some(({ callId }) => callId === tool.parentCallId)) rows.push(...toolRows(tool, tools, drawing));
  const since = (startedAt: number) =>
    durationText(Math.max(0, Math.floor((now - startedAt) / 1000) * 1000)).replace(".0", "");
  if (retry) {
    const wait = Math.max(0, Math.ceil((retry.until - now) / 1000));
    rows.push(theme.warning(fitLine(`trying again in ${wait} s`, width)));
  }
  if (errand) rows.push(theme.dim(fitLine(`${errand.title} ${since(errand.startedAt)} · esc stops it`, width)));
  else if (turn) {
    const what = thinking
      ? "thinking"
      : isAnswering
        ? "answering"
        : tools.length > 0
          ? "working"
          : "waiting for the model";
    rows.push(theme.dim(fitLine(`${what} ${since(turn.startedAt)} · esc stops`, width)));
  }
  return rows;
}

/** How many of a sub-agent's calls that are over are shown while it goes on. */
const recentCalls = 2;

function toolRows(tool: RunningTool, all: readonly RunningTool[], drawing: LiveDrawing): string[] {
  const { theme, width, now, root } = drawing;
  const { view, inside, lastLine } = tool;
  const seconds = Math.floor((now - tool.startedAt) / 1000);
  const facts = [...(inside.done > 0 ? [counted(inside.done, "call")] : []), ...(seconds >= 1 ? [`${seconds} s`] : [])];
  const tail = facts.length > 0 ? `  ${facts.join(", ")}` : "";
  const room = Math.max(8, width - 3 - cellWidth(view.label) - cellWidth(tail));
  const head = `${theme.accent("•")} ${view.label} ${cutInMiddle(shownTitle(view, root), room)}${theme.dim(tail)}`;
  const said =
    lastLine === "" ? [] : [theme.dim(fitLine(`  ${showControl(lastLine.trim().replaceAll("\t", " "))}`, width))];
  const inner = { ...drawing, width: width - 2 };
  const below = [
    ...inside.last.slice(-recentCalls).map((call) => [callLine(call, inner)]),
    ...all.filter(({ parentCallId }) => parentCallId === tool.callId).map((child) => toolRows(child, all, inner)),
  ];
  return [
    head,
    ...said,
    ...below.flatMap((rows, at) => branch(rows, at === below.length - 1 ? "last" : "more", theme)),
  ];
}

function branch([first = "", ...rest]: readonly string[], place: "last" | "more", theme: Theme): string[] {
  const [here, under] = place === "last" ? ["└ ", "  "] : ["├ ", "│ "];
  return [theme.dim(here) + first, ...rest.map((row) => theme.dim(under) + row)];
}

/** How much of a long text is shown while it is written. */
const editorShare = 0.5;

function inputRows(state: ScreenState, { theme, width, height }: LiveDrawing): LiveRows {
  const { editor, completion, vimMode } = state;
  const sign = vimMode === "normal" ? ": " : editor.text.startsWith("!") ? "! " : prompt;
  const rows = editorRows(editor, width - prompt.length - 1);
  const place = cursorIn(editor, rows);
  const shown = Math.max(1, Math.min(rows.length, Math.floor(height * editorShare)));
  const first = Math.max(0, Math.min(place.row - shown + 1, rows.length - shown));
  const lines = rows.slice(first, first + shown).map((row, at) => {
    const text = showControl(editor.text.slice(row.from, row.to));
    return `${first + at === 0 ? theme.accent(sign) : "  "}${text}`;
  });
  // an empty prompt alone says that nothing runs
  const isBusy = state.activity.turn !== undefined || state.errand !== undefined;
  const written =
    isBusy && editor.text === "" ? [fitLine(`${theme.accent(sign)}${theme.dim(whileBusy)}`, width)] : lines;
  const menu = completion ? completionRows(completion, { theme, width }) : [];
  // nothing stands below the cursor: terminals that change their width move it differently otherwise
  const cursor = { row: menu.length + place.row - first, column: place.column + prompt.length };
  return { rows: [...menu, ...written], cursor };
}

function oneLine(text: string): string {
  return showControl(text.replace(/\s+/g, " "));
}
