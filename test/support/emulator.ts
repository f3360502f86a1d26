import xterm from "@xterm/headless";
import type { Surface } from "../../src/ui/terminal/painter.ts";

/** A terminal without a window: what a person would see on it, and every byte it was sent. */
export type Emulator = {
  readonly surface: Surface;
  readonly written: string;
  /** Everything from the top of the scrollback, rows that belong to one line joined, without what is empty at the end. */
  lines(): Promise<readonly string[]>;
  /** The rows of the screen alone. */
  screen(): Promise<readonly string[]>;
  /** From the top of the scrollback. */
  cursor(): Promise<{ readonly row: number; readonly column: number }>;
  /** When everything written so far is on the screen. */
  resize(columns: number, rows: number): Promise<void>;
};

export function createEmulator(
  columns: number,
  rows: number,
  reflows: Surface["reflows"] = "all-but-cursor",
): Emulator {
  const terminal = new xterm.Terminal({
    cols: columns,
    rows,
    scrollback: 10_000,
    allowProposedApi: true,
    reflowCursorLine: reflows === "all",
  });
  let written = "";
  const settled = () => new Promise<void>((resolve) => terminal.write("", resolve));
  const rowText = (at: number) => terminal.buffer.active.getLine(at)?.translateToString(true) ?? "";
  return {
    surface: {
      write(text) {
        written += text;
        // what the driver of a terminal does
        terminal.write(text.replace(/(?<!\r)\n/g, "\r\n"));
      },
      size: () => ({ columns: terminal.cols, rows: terminal.rows }),
      reflows,
    },
    get written() {
      return written;
    },
    async lines() {
      await settled();
      const lines: string[] = [];
      for (let at = 0; at < terminal.buffer.active.length; at++) {
        const row = terminal.buffer.active.getLine(at);
        if (row?.isWrapped && lines.length > 0) lines.push(lines.pop() + rowText(at));
        else lines.push(rowText(at));
      }
      while (lines.at(-1) === "") lines.pop();
      return lines;
    },
    async screen() {
      await settled();
      const { baseY } = terminal.buffer.active;
      return Array.from({ length: terminal.rows }, (_, at) => rowText(baseY + at));
    },
    async cursor() {
      await settled();
      const { baseY, cursorX, cursorY } = terminal.buffer.active;
      return { row: baseY + cursorY, column: cursorX };
    },
    async resize(width, height) {
      await settled();
      terminal.resize(width, height);
    },
  };
}
