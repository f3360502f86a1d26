import { showControl } from "../../platform/terminal-text.ts";
import type { Theme } from "../rendering/theme.ts";
import { cellWidth, fitLine, wrapLines } from "./cells.ts";
import { type Choice, type ListQuestion, type ListState, offered } from "./list-question.ts";

export type ListDrawing = { readonly theme: Theme; readonly width: number; readonly height: number };

export type DrawnList = {
  readonly rows: readonly string[];
  readonly cursor?: { readonly row: number; readonly column: number };
};

/** A question as rows, never more than the height: title, end of the body and keys are in sight in any window. */
export function drawList(state: ListState, drawing: ListDrawing): DrawnList {
  const { theme, width, height } = drawing;
  const { question } = state;
  const title = wrapLines([theme.strong(question.title)], width);
  const lower = state.words
    ? wordRows(state.words, drawing)
    : question.isFiltered
      ? filterRows(state, drawing)
      : keyRows(state, { ...drawing, height: height - title.length });
  const body = fitBody(question, drawing, height - title.length - lower.rows.length);
  const above = [...title, ...body];
  const cursor = lower.cursor && { row: above.length + lower.cursor.row, column: lower.cursor.column };
  return { rows: [...above, ...lower.rows], ...(cursor ? { cursor } : {}) };
}

function wordRows({ choice, text }: NonNullable<ListState["words"]>, { width }: ListDrawing): DrawnList {
  const line = `  ${choice.asksFor}: ${choice.isSecret ? "•".repeat(text.length) : showControl(text)}`;
  return { rows: [fitLine(line, width)], cursor: { row: 0, column: Math.min(width - 1, cellWidth(line)) } };
}

const shownChoices = 12;

function filterRows(state: ListState, { theme, width, height }: ListDrawing): DrawnList {
  const choices = offered(state);
  const hint = state.question.hint === undefined ? [] : [theme.dim(fitLine(state.question.hint, width))];
  const count = Math.min(choices.length, shownChoices, Math.max(1, height - 4 - hint.length));
  const from = Math.max(0, Math.min(state.selected - Math.floor(count / 2), choices.length - count));
  const rest = choices.length - count;
  const filter = `  filter: ${showControl(state.filter)}`;
  return {
    rows: [
      fitLine(filter, width),
      ...choices
        .slice(from, from + count)
        .map((choice, at) => choiceRow(choice, from + at === state.selected ? "selected" : "other", { theme, width })),
      ...(choices.length === 0 ? [theme.dim("  nothing fits")] : []),
      ...(rest > 0 ? [theme.dim(`  … ${rest} more`)] : []),
      ...hint,
    ],
    cursor: { row: 0, column: Math.min(width - 1, cellWidth(filter)) },
  };
}

/** Rows that a body needs at least to be told apart. */
const leastBody = 3;

/** A row each; side by side where the window is too low for that. */
function keyRows(state: ListState, { theme, width, height }: ListDrawing): DrawnList {
  const { question, selected } = state;
  const { choices } = question;
  if (choices.length + Math.min(leastBody, question.body.length) <= height)
    return {
      rows: choices.map((choice, at) => choiceRow(choice, at === selected ? "selected" : "other", { theme, width })),
    };
  const words = choices.map(({ key, label }, at) => {
    const text = `${at === selected ? "▸" : ""}${key === undefined ? "" : `${key} `}${label.split("  ")[0]}`;
    return at === selected ? theme.selected(text) : text;
  });
  return { rows: packed(words, theme.dim(" · "), width) };
}

/** As many in a row as fit; none is broken. */
function packed(words: readonly string[], between: string, width: number): string[] {
  const rows: string[] = [];
  for (const word of words) {
    const joined = rows.length === 0 ? word : `${rows.at(-1)}${between}${word}`;
    if (rows.length > 0 && cellWidth(joined) <= width) rows[rows.length - 1] = joined;
    else rows.push(fitLine(word, width));
  }
  return rows;
}

function choiceRow(
  { key, label }: Choice,
  place: "selected" | "other",
  { theme, width }: Pick<ListDrawing, "theme" | "width">,
): string {
  const row = fitLine(`${place === "selected" ? "▸" : " "} ${key === undefined ? "" : `${key} `}${label}`, width);
  return place === "selected" ? theme.selected(row) : row;
}

function fitBody({ body, foot = [] }: ListQuestion, { theme, width }: ListDrawing, room: number): string[] {
  const rows = wrapLines(body, width);
  const under = wrapLines(foot, width);
  if (rows.length + under.length <= room) return [...rows, ...under];
  const kept = under.length + leastBody <= room ? under : [];
  return [...cutBody(rows, { room: room - kept.length, theme, width }), ...kept];
}

type Cut = { readonly room: number; readonly theme: Theme; readonly width: number };

/** Both ends stay, the last row before all others: the dangerous part may be at either. */
function cutBody(body: readonly string[], { room, theme, width }: Cut): string[] {
  if (body.length <= room) return [...body];
  if (room <= 0) return [];
  const head = Math.max(0, Math.floor((room - 1) / 2));
  const tail = Math.max(1, room - 1 - head);
  const hidden = body.length - head - tail;
  const note = theme.warning(fitLine(`  [… ${hidden} lines not shown; ctrl+o prints all …]`, width));
  return [...body.slice(0, head), ...(room > 1 ? [note] : []), ...body.slice(-tail)];
}
