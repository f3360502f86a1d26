import { readFileSync, readlinkSync } from "node:fs";
import { membersOf } from "./process-group.ts";

/**
 * Recognises a command that waits for somebody to type. Its stdin is empty and it has no terminal, so most programs give up by
 * themselves; those that do not have made a terminal of their own or read the keyboard through stderr, or ask with words that leave no doubt.
 */
export type InputWatch = {
  /** The end of what it printed so far. */
  readonly printed: () => string;
  /** Since when it has been silent, by performance.now(). */
  readonly silentSince: () => number;
  readonly onWaiting: () => void;
};

const firstLookMs = 2_000;
const everyMs = 1_000;
const shortMs = 2_500;
const longMs = 10_000;
/** A test that drives a terminal is silent for a while too. */
const veryLongMs = 30_000;

const question =
  /(\[[yn]\/[yn][^\]]*\]|\(y(es)?\/n(o)?[^)]*\)|(password|passphrase|passcode|username|login)\b[^\n]{0,80}:|press (any key|enter|return)[^\n]*|(continue|proceed|sure|overwrite|replace|delete|remove)\b[^?\n]{0,80}\?(\s*[([][^)\]]*[)\]])?)[\s:?>.]*$/i;

/** Do these words, at the end of an output, ask for an answer? */
export function asksForInput(printed: string): boolean {
  return question.test(lastLine(printed));
}

/** The unfinished last line; empty when the output ended with a line. */
export function lastLine(printed: string): string {
  return printed.slice(printed.lastIndexOf("\n") + 1);
}

/** Looks now and then, and only after the command has been silent for a while. Answers with the way to stop looking. */
export function watchForInput(leader: number, { printed, silentSince, onWaiting }: InputWatch): () => void {
  let ticksBefore = -1;
  let timer = setTimeout(look, firstLookMs);
  timer.unref();
  function look(): void {
    const silentMs = performance.now() - silentSince();
    if (silentMs >= shortMs) {
      const { ticks, keyboards } = sample(leader);
      const isIdle = ticks === ticksBefore;
      ticksBefore = ticks;
      if (isIdle && silentMs >= patienceMs(keyboards, printed())) {
        onWaiting();
        return;
      }
    }
    timer = setTimeout(look, everyMs);
    timer.unref();
  }
  return () => clearTimeout(timer);
}

type Keyboard = "stderr" | "terminal";

/** How long the silence must be, by what speaks for waiting. */
function patienceMs(keyboards: ReadonlySet<Keyboard>, printed: string): number {
  const line = lastLine(printed);
  if (asksForInput(printed)) return keyboards.size > 0 ? shortMs : longMs;
  if (keyboards.has("stderr")) return line === "" ? longMs : shortMs;
  if (keyboards.has("terminal")) return /[?:>$#\])]\s*$/.test(line) ? shortMs : line === "" ? veryLongMs : longMs;
  return Number.POSITIVE_INFINITY;
}

/** How much its processes have worked (NaN while one does), and the keyboards that sleeping ones have as their stdin. */
function sample(leader: number): { readonly ticks: number; readonly keyboards: ReadonlySet<Keyboard> } {
  let ticks = 0;
  const keyboards = new Set<Keyboard>();
  for (const pid of membersOf(leader)) {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
      const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
      ticks += fields[0] === "S" ? Number(fields[11]) + Number(fields[12]) : Number.NaN;
      const keyboard = keyboardOf(pid);
      if (keyboard) keyboards.add(keyboard);
    } catch {
      // ended meanwhile
    }
  }
  return { ticks, keyboards };
}

/** A terminal, or the pipe that it prints to: programs that find no terminal on stdin read the one they hope for on stderr. */
function keyboardOf(pid: number): Keyboard | undefined {
  const stdin = readlinkSync(`/proc/${pid}/fd/0`);
  if (/^\/dev\/(pts\/|tty|console)/.test(stdin)) return "terminal";
  if (!/^(pipe:|\/.*\(deleted\)$)/.test(stdin) || stdin !== readlinkSync(`/proc/${pid}/fd/2`)) return undefined;
  const flags = /^flags:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/fdinfo/0`, "latin1"))?.[1] ?? "0";
  return (Number.parseInt(flags, 8) & 3) === 1 ? "stderr" : undefined;
}
