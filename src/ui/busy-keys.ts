import { emitKeypressEvents, type Key } from "node:readline";

/** The keyboard while the agent works: Ctrl-C stops it, questions take single keys, and whole lines typed ahead become the next prompts. */
export type BusyKeys = {
  /** Waits for one of the keys; Enter, Escape and Ctrl-C answer with `fallback`. */
  choose(keys: string, fallback: string): Promise<string>;
  /** Waits for a line of text; empty when the person thinks better of it (Escape, Ctrl-C). */
  line(): Promise<string>;
  /** Back to the line editor; answers with what was typed meanwhile. */
  stop(): { readonly lines: readonly string[]; readonly rest: string };
};

export function watchKeys(onInterrupt: () => void, onQueued: (line: string) => void): BusyKeys {
  const { stdin } = process;
  const lines: string[] = [];
  let rest = "";
  let writing: { text: string; resolve: (text: string) => void } | undefined;
  let waiting: { keys: string; fallback: string; resolve: (key: string) => void } | undefined;

  function write(text: string | undefined, key: Key): void {
    if (writing === undefined) return;
    const isCancel = key.name === "escape" || (key.ctrl === true && key.name === "c");
    if (isCancel || key.name === "return" || key.name === "enter") {
      const { resolve, text: written } = writing;
      writing = undefined;
      process.stderr.write("\n");
      resolve(isCancel ? "" : written.trim());
      if (key.ctrl) onInterrupt();
    } else if (key.name === "backspace") {
      if (writing.text !== "") process.stderr.write("\b \b");
      writing.text = writing.text.slice(0, -1);
    } else if (text !== undefined && !key.ctrl && !key.meta && text >= " ") {
      writing.text += text;
      process.stderr.write(text);
    }
  }

  function press(text: string | undefined, key: Key): void {
    if (writing) write(text, key);
    else if (waiting) {
      const { keys, fallback, resolve } = waiting;
      const isCancel =
        key.name === "return" || key.name === "enter" || key.name === "escape" || (key.ctrl && key.name === "c");
      const choice = isCancel
        ? fallback
        : keys.includes(text?.toLowerCase() ?? "\u0000")
          ? text?.toLowerCase()
          : undefined;
      if (choice === undefined) return;
      waiting = undefined;
      resolve(choice);
      if (key.ctrl) onInterrupt();
    } else if (key.ctrl && key.name === "c") onInterrupt();
    else if (key.name === "escape") onInterrupt();
    else if (key.name === "return" || key.name === "enter") {
      if (rest.trim() === "") return;
      lines.push(rest);
      onQueued(rest);
      rest = "";
    } else if (key.name === "backspace") rest = rest.slice(0, -1);
    else if (text !== undefined && !key.ctrl && !key.meta && text >= " ") rest += text;
  }

  emitKeypressEvents(stdin);
  stdin.setRawMode?.(true);
  stdin.on("keypress", press);
  stdin.resume();
  return {
    choose: (keys, fallback) => new Promise((resolve) => (waiting = { keys, fallback, resolve })),
    line: () => new Promise((resolve) => (writing = { text: "", resolve })),
    stop() {
      stdin.off("keypress", press);
      stdin.setRawMode?.(false);
      stdin.pause();
      return { lines, rest };
    },
  };
}
