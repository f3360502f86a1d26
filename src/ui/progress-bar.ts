import { showControl } from "../platform/terminal-text.ts";

export type ProgressOptions = {
  readonly total: number;
  /** Redraws one line; else every step is a line of its own. */
  readonly isTerminal: boolean;
  readonly write: (text: string) => void;
};

const width = 24;

/** Says how far a long piece of work has come. One step alone says nothing. */
export function progressBar({ total, isTerminal, write }: ProgressOptions) {
  let done = 0;
  return {
    /** The next piece begins. */
    step(name: string) {
      if (total < 2) return;
      const filled = Math.round((done / total) * width);
      const bar = `${"█".repeat(filled)}${"░".repeat(width - filled)}`;
      done++;
      if (isTerminal) write(`\r\u001b[K${bar} ${done}/${total} ${showControl(name).slice(0, 40)}`);
      else write(`${done}/${total} ${showControl(name)}\n`);
    },
    finish() {
      if (total >= 2 && isTerminal) write("\r\u001b[K");
    },
  };
}
