import { cellWidth, fitLine, wrapLines } from "./cells.ts";
import type { Reflow } from "./signals.ts";

/** Where a painter draws; a terminal in the program, an emulator in tests. */
export type Surface = {
  write(text: string): void;
  size(): { readonly columns: number; readonly rows: number };
  readonly reflows: Reflow;
};

export type Frame = {
  /** Finished lines: written once above the live rows, from then on the terminal's own. */
  readonly printed: readonly string[];
  /** What stands below them and may change. */
  readonly live: readonly string[];
  /** Hidden where there is none. */
  readonly cursor?: { readonly row: number; readonly column: number } | undefined;
};

export type Painter = {
  draw(frame: Frame): void;
  /** Takes the live rows away and leaves the cursor where they began. */
  leave(): void;
  /** Forgets what was drawn: somebody else has written since. */
  forget(): void;
};

const synchronised = { begin: "\u001b[?2026h", end: "\u001b[?2026l" };

/** A row that the terminal finds wider than we do loses its end; going on in the next row it would shift all below it. */
const unwrapped = { begin: "\u001b[?7l", end: "\u001b[?7h" };

/** From the cursor on. Erasing everything at once in the first row of a window would make tmux keep it in its history. */
const eraseBelow = "\u001b7\u001b[K\u001b[B\r\u001b[J\u001b8";

/**
 * Draws the bottom of an ordinary screen. Finished lines are inserted above the live rows by scrolling, so that neither they nor the
 * live rows are ever written twice, and the terminal's own scrollback holds everything. Only rows that changed are written.
 */
export function createPainter(surface: Surface): Painter {
  let shown: readonly string[] = [];
  let columns = surface.size().columns;
  /** The row of the live part that the cursor stands in, and its column. */
  let at = { row: 0, column: 0 };
  let isCursorShown = true;

  function moveTo(row: number): string {
    const by = row - at.row;
    at = { row, column: 0 };
    // line ends instead of a sequence: who reads the bytes without a terminal still sees lines
    return by >= 0 ? `\r${"\n".repeat(by)}` : `\r\u001b[${-by}A`;
  }

  /** After a change of width the old rows may take more than one each: everything from the first one is drawn again. */
  function startOver(width: number): string {
    const { reflows } = surface;
    const takes = (line: string) => (reflows === "none" ? 1 : Math.max(1, Math.ceil(cellWidth(line) / width)));
    const above = shown.slice(0, at.row).reduce((sum, line) => sum + takes(line), 0);
    // too low leaves an old row behind, too high would take what was printed: so only where it is known
    const isAtEnd = at.column >= cellWidth(shown[at.row] ?? "");
    const own = Math.max(0, Math.floor((isAtEnd ? at.column - 1 : at.column) / width));
    const up = above + (reflows === "all" ? own : 0);
    shown = [];
    at = { row: 0, column: 0 };
    return `\r${up > 0 ? `\u001b[${up}A` : ""}${eraseBelow}`;
  }

  /** Room is made by scrolling at the bottom, then the live rows are pushed back down. */
  function insertAbove(lines: readonly string[], rows: number): string {
    const text = lines.map(closed).join("\r\n");
    if (shown.length === 0) return `\r${eraseBelow}${text}\r\n`;
    const count = lines.length;
    if (count + shown.length > rows) {
      const cleared = `${moveTo(0)}${eraseBelow}`;
      shown = [];
      return `${cleared}${text}\r\n`;
    }
    const down = moveTo(shown.length - 1);
    at = { row: 0, column: 0 };
    return `${down}${"\n".repeat(count)}\r\u001b[${shown.length - 1 + count}A\u001b[${count}L${text}\r\n`;
  }

  function drawLive(live: readonly string[]): string {
    let text = "";
    for (const [row, line] of live.entries()) {
      if (row < shown.length && shown[row] === line) continue;
      if (row < shown.length || row === 0) text += `${moveTo(row)}\u001b[K${closed(line)}`;
      else {
        text += `${moveTo(row - 1)}\r\n${closed(line)}`;
        at = { row, column: 0 };
      }
    }
    if (live.length < shown.length)
      text += live.length === 0 ? `${moveTo(0)}${eraseBelow}` : `${moveTo(live.length)}\u001b[J`;
    // below the last row there may be nothing to stand on: the next scroll starts from a row of ours
    if (live.length < shown.length && live.length > 0) text += moveTo(live.length - 1);
    shown = live;
    return text;
  }

  /** Other rows were written: the cursor's own follows once more, so that who reads the bytes alone finds the prompt at their end. */
  function endWithPrompt(cursor: Frame["cursor"]): string {
    const row = cursor && shown[cursor.row];
    return cursor && row !== undefined && at.row !== cursor.row ? `${moveTo(cursor.row)}\u001b[K${closed(row)}` : "";
  }

  function placeCursor(cursor: Frame["cursor"]): string {
    if (cursor === undefined) {
      // nothing is below it, so that a change of width cannot move it
      const hide = `${moveTo(Math.max(0, shown.length - 1))}${isCursorShown ? "\u001b[?25l" : ""}`;
      isCursorShown = false;
      return hide;
    }
    const column = cursor.column > 0 ? `\u001b[${cursor.column}C` : "";
    const text = `${moveTo(cursor.row)}${column}${isCursorShown ? "" : "\u001b[?25h"}`;
    isCursorShown = true;
    at = { row: cursor.row, column: cursor.column };
    return text;
  }

  return {
    draw({ printed, live, cursor }) {
      const size = surface.size();
      const changesWidth = size.columns !== columns && shown.length > 0;
      let text = changesWidth ? startOver(size.columns) : "";
      columns = size.columns;
      const fitting = live.slice(-Math.max(1, size.rows - 1)).map((line) => fitLine(line, columns));
      const cut = live.length - fitting.length;
      const lines = wrapLines(printed, columns);
      // a long text goes out in one piece where it would push everything off the screen
      if (lines.length > 0) text += insertAbove(lines, size.rows);
      text += drawLive(fitting);
      const place = cursor && { row: Math.max(0, cursor.row - cut), column: Math.min(cursor.column, columns - 1) };
      const moved = place === undefined ? isCursorShown : place.row !== at.row || place.column !== at.column;
      if (text === "" && !moved && isCursorShown === (place !== undefined)) return;
      if (text !== "") text += endWithPrompt(place);
      text += placeCursor(place);
      if (text !== "")
        surface.write(`${synchronised.begin}${unwrapped.begin}${text}${unwrapped.end}${synchronised.end}`);
    },
    leave() {
      const text = shown.length > 0 ? `${moveTo(0)}${eraseBelow}` : "";
      shown = [];
      at = { row: 0, column: 0 };
      surface.write(`${text}${isCursorShown ? "" : "\u001b[?25h"}`);
      isCursorShown = true;
    },
    forget() {
      shown = [];
      at = { row: 0, column: 0 };
      isCursorShown = true;
    },
  };
}

/** A colour that a line leaves open must not run into the next one. */
function closed(line: string): string {
  return line.includes("\u001b") && !line.endsWith("\u001b[0m") ? `${line}\u001b[0m` : line;
}
