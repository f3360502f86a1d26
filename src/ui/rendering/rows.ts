import { clustersOf, textWidth } from "../text-width.ts";

/** Text that looks the same throughout. `link` is where a terminal that can takes the person. */
export type Span = {
  readonly text: string;
  readonly paint: (text: string) => string;
  readonly link?: string;
};

/** What stands before the first row and before the others: the hanging indent. */
export type Indent = { readonly first: readonly Span[]; readonly rest: readonly Span[] };

export const noIndent: Indent = { first: [], rest: [] };

type Line = { spans: Span[]; width: number };

/** Text on its way into rows. Between two pushes it stands at the end of a word. */
export type RowBreaker = {
  readonly width: number;
  readonly indent: Indent;
  isFirst: boolean;
  row: Line;
  gap: Line;
  word: Line;
  /** Inside a word that is longer than a row. */
  isPouring: boolean;
};

/** Space and wide characters part words. */
const atoms =
  / +|[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]|[^ \u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\uff01-\uff60]+/g;
const isWideLetter = (atom: string) => atom.length === 1 && atom.charCodeAt(0) >= 0x1100;

export function createRowBreaker(given: Indent, width: number): RowBreaker {
  const room = Math.max(4, width);
  const indent = { first: fitted(given.first, room), rest: fitted(given.rest, room) };
  return { width: room, indent, isFirst: true, row: nothing(), gap: nothing(), word: nothing(), isPouring: false };
}

const nothing = (): Line => ({ spans: [], width: 0 });

export function copyBreaker(state: RowBreaker): RowBreaker {
  const copy = ({ spans, width }: Line): Line => ({ spans: [...spans], width });
  return { ...state, row: copy(state.row), gap: copy(state.gap), word: copy(state.word) };
}

/** The text that is in no row yet, broken again: for another width. */
export function rebreak(state: RowBreaker, indent: Indent, width: number): { state: RowBreaker; rows: string[] } {
  const fresh = createRowBreaker(indent, width);
  fresh.isFirst = state.isFirst;
  const spans = [...state.row.spans, ...state.gap.spans, ...state.word.spans];
  return { state: fresh, rows: spans.flatMap((span) => pushSpan(fresh, span)) };
}

/** At least half of a row is left for text, however deep it is indented. */
function fitted(prefix: readonly Span[], width: number): readonly Span[] {
  const most = Math.floor(width / 2);
  const kept: Span[] = [];
  let used = 0;
  for (const span of prefix) {
    let text = "";
    for (const cluster of clustersOf(span.text)) {
      if (used + cluster.width > most) break;
      text += cluster.text;
      used += cluster.width;
    }
    kept.push({ ...span, text });
  }
  return kept;
}

/**
 * Adds text; answers with the rows that are full. A row is full when the next word does not fit, and what comes later never changes it.
 * A word longer than a row begins a new one and is broken anywhere.
 */
export function pushSpan(state: RowBreaker, span: Span): string[] {
  const rows: string[] = [];
  for (const atom of span.text.match(atoms) ?? []) {
    const width = textWidth(atom);
    if (atom[0] === " ") {
      endWord(state, rows);
      add(state.gap, { ...span, text: atom }, width);
    } else if (isWideLetter(atom)) {
      endWord(state, rows);
      add(state.word, { ...span, text: atom }, width);
      endWord(state, rows);
    } else addToWord(state, { span: { ...span, text: atom }, width }, rows);
  }
  return rows;
}

/** The last rows. Text that never came still shows its indent: an empty item of a list. */
export function endRows(state: RowBreaker): string[] {
  const rows: string[] = [];
  endWord(state, rows);
  if (state.row.width > 0 || state.isFirst) endRow(state, rows);
  return rows;
}

function add(line: Line, span: Span, width: number): void {
  const last = line.spans.at(-1);
  if (last && last.paint === span.paint && last.link === span.link)
    line.spans[line.spans.length - 1] = { ...last, text: last.text + span.text };
  else line.spans.push(span);
  line.width += width;
}

function roomOf({ width, indent, isFirst }: RowBreaker): number {
  return width - widthOf(isFirst ? indent.first : indent.rest);
}

function widthOf(spans: readonly Span[]): number {
  return spans.reduce((sum, { text }) => sum + textWidth(text), 0);
}

function addToWord(state: RowBreaker, { span, width }: { span: Span; width: number }, rows: string[]): void {
  if (state.isPouring) {
    pour(state, span, rows);
    return;
  }
  add(state.word, span, width);
  const room = state.row.width > 0 ? state.width - widthOf(state.indent.rest) : roomOf(state);
  if (state.word.width > room) {
    placeWord(state, rows);
    state.isPouring = true;
  }
}

function endWord(state: RowBreaker, rows: string[]): void {
  if (state.word.width > 0 || state.word.spans.length > 0) placeWord(state, rows);
  state.isPouring = false;
}

function placeWord(state: RowBreaker, rows: string[]): void {
  const { word, gap } = state;
  state.word = nothing();
  state.gap = nothing();
  if (state.row.width > 0 && state.row.width + gap.width + word.width > roomOf(state)) endRow(state, rows);
  else if (state.row.width > 0) for (const span of gap.spans) add(state.row, span, textWidth(span.text));
  for (const span of word.spans) pour(state, span, rows);
}

/** Adds text that is broken where a row is full. */
export function pourSpan(state: RowBreaker, span: Span): string[] {
  const rows: string[] = [];
  pour(state, span, rows);
  return rows;
}

function pour(state: RowBreaker, span: Span, rows: string[]): void {
  const width = textWidth(span.text);
  if (state.row.width + width <= roomOf(state)) {
    add(state.row, span, width);
    return;
  }
  for (const cluster of clustersOf(span.text)) {
    if (state.row.width + cluster.width > roomOf(state) && state.row.width > 0) endRow(state, rows);
    add(state.row, { ...span, text: cluster.text }, cluster.width);
  }
}

function endRow(state: RowBreaker, rows: string[]): void {
  const prefix = state.isFirst ? state.indent.first : state.indent.rest;
  rows.push(rowText([...prefix, ...state.row.spans]));
  state.isFirst = false;
  state.row = nothing();
}

/** Painted, with links where a span has one, without blanks at the end. */
export function rowText(spans: readonly Span[]): string {
  const line = nothing();
  for (const span of spans) if (span.text !== "") add(line, span, 0);
  for (let last = line.spans.pop(); last !== undefined; last = line.spans.pop()) {
    const text = last.text.trimEnd();
    if (text === "") continue;
    line.spans.push({ ...last, text });
    break;
  }
  return line.spans
    .map(({ text, paint, link }) =>
      link === undefined ? paint(text) : `\u001b]8;;${link}\u001b\\${paint(text)}\u001b]8;;\u001b\\`,
    )
    .join("");
}

export function breakIntoRows(spans: readonly Span[], width: number, indent: Indent = noIndent): string[] {
  const state = createRowBreaker(indent, width);
  return [...spans.flatMap((span) => pushSpan(state, span)), ...endRows(state)];
}

/** Code and output: broken where a row is full, spaces kept. */
export function breakAnywhere(spans: readonly Span[], width: number, indent: Indent = noIndent): string[] {
  const state = createRowBreaker(indent, width);
  return [...spans.flatMap((span) => pourSpan(state, span)), ...endRows(state)];
}

const ownSequence = /\u001b\[[\d;]*m|\u001b\]8;;[^\u001b]*\u001b\\/g;

/** A painted row as it reads. */
export function plainRow(row: string): string {
  return row.replace(ownSequence, "");
}

export function rowWidth(row: string): number {
  return textWidth(plainRow(row));
}
