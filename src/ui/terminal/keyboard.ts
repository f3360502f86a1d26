import { decodeKittyPrintable, parseKey } from "@earendil-works/pi-tui/dist/keys.js";
import { StdinBuffer } from "@earendil-works/pi-tui/dist/stdin-buffer.js";
import { focusReports } from "./signals.ts";

/** One press of a key: its name (`ctrl+a`), and the text it types when it types one. */
export type KeyPress =
  | { readonly type: "key"; readonly name: string; readonly text?: string }
  | { readonly type: "paste"; readonly text: string }
  /** The terminal answers a question of ours. */
  | { readonly type: "reply"; readonly sequence: string };

export type Keyboard = {
  /** Gives the terminal back as it was; `open` takes it again. */
  close(): void;
  open(): void;
};

export type KeyboardOptions = {
  readonly write: (text: string) => void;
  /** Everything that arrived together. */
  readonly onPresses: (presses: readonly KeyPress[]) => void;
  /** The terminal is gone. */
  readonly onEnd: () => void;
  /** How long after Esc the rest of a sequence may come; slow lines need longer. */
  readonly escapeMs: number;
};

/** A reply of a slow terminal must not end up as text in the prompt. */
const sequenceMs = 500;
/** Bracketed paste, keys that plain terminals cannot tell apart (kitty's protocol, xterm's for tmux), and who has the keyboard. */
const wanted = `\u001b[?2004h\u001b[>1u\u001b[>4;1m${focusReports.on}`;
const unwanted = `\u001b[?2004l\u001b[<u\u001b[>4;0m${focusReports.off}`;

export function createKeyboard({ write, onPresses, onEnd, escapeMs }: KeyboardOptions): Keyboard {
  const { stdin } = process;
  let arrived: KeyPress[] = [];
  let isReading = false;
  const sequences = new StdinBuffer({ escapeTimeout: escapeMs, timeout: sequenceMs });
  const deliver = () => {
    if (isReading || arrived.length === 0) return;
    const presses = arrived;
    arrived = [];
    onPresses(presses);
  };
  sequences.on("data", (sequence) => {
    arrived.push(...pressesOf(sequence));
    deliver();
  });
  sequences.on("paste", (text) => {
    arrived.push({ type: "paste", text });
    deliver();
  });
  function read(chunk: string | Buffer): void {
    isReading = true;
    sequences.process(chunk);
    isReading = false;
    deliver();
  }
  return {
    open() {
      stdin.setEncoding("utf8");
      stdin.setRawMode?.(true);
      stdin.on("data", read);
      stdin.on("end", onEnd);
      stdin.resume();
      write(wanted);
    },
    close() {
      write(unwanted);
      stdin.off("data", read);
      stdin.off("end", onEnd);
      stdin.pause();
      stdin.setRawMode?.(false);
    },
  };
}

const escapeKey: KeyPress = { type: "key", name: "escape" };

export function pressesOf(sequence: string): KeyPress[] {
  if (sequence === "\u001b\u001b") return [escapeKey, escapeKey];
  if (/^\u001b(?:\]|P|_|\[\?|\[[IO]$)/.test(sequence)) return [{ type: "reply", sequence }];
  const text = decodeKittyPrintable(sequence) ?? (/^[^\x00-\x1f\x7f]/.test(sequence) ? sequence : undefined);
  if (text !== undefined) return [{ type: "key", name: text === " " ? "space" : text, text }];
  const name = parseKey(sequence);
  return name === undefined ? [] : [{ type: "key", name }];
}
