import { cellWidth } from "./cells.ts";
import { type EditorState, nextIndex } from "./editor.ts";

/** One row of the screen: which part of the text it shows. */
export type EditorRow = { readonly from: number; readonly to: number };

/** The text in rows of at most this width, broken at blanks where that is possible. */
export function editorRows(state: EditorState, width: number): readonly EditorRow[] {
  const rows: EditorRow[] = [];
  let from = 0;
  for (const line of state.text.split("\n")) {
    rows.push(...wrapped(state, from, from + line.length, Math.max(width, 1)));
    from += line.length + 1;
  }
  return rows;
}

function wrapped(state: EditorState, start: number, end: number, width: number): EditorRow[] {
  const rows: EditorRow[] = [];
  let from = start;
  let used = 0;
  let breakAt = -1;
  for (let at = start; at < end; ) {
    const next = Math.min(nextIndex(state, at), end);
    const piece = state.text.slice(at, next);
    const cells = cellWidth(piece);
    if (used + cells > width && at > from) {
      const to = breakAt > from ? breakAt : at;
      rows.push({ from, to });
      from = to;
      used = cellWidth(state.text.slice(from, at));
      breakAt = -1;
    }
    used += cells;
    if (piece === " ") breakAt = next;
    at = next;
  }
  rows.push({ from, to: end });
  return rows;
}

/** The row and column of the cursor. At a break between two rows it stands in the second. */
export function cursorIn(
  state: EditorState,
  rows: readonly EditorRow[],
): { readonly row: number; readonly column: number } {
  const row = Math.max(
    0,
    rows.findLastIndex(({ from }) => from <= state.cursor),
  );
  const from = rows[row]?.from ?? 0;
  return { row, column: cellWidth(state.text.slice(from, state.cursor)) };
}

/** The index in the row above (-1) or below (1) that stands in the same column; undefined when there is no such row. */
export function indexInRow(state: EditorState, width: number, by: -1 | 1): number | undefined {
  const rows = editorRows(state, width);
  const { row, column } = cursorIn(state, rows);
  const target = rows[row + by];
  if (target === undefined) return undefined;
  let at = target.from;
  for (let used = 0; at < target.to; ) {
    const next = nextIndex(state, at);
    used += cellWidth(state.text.slice(at, next));
    if (used > column) break;
    at = next;
  }
  return at;
}
