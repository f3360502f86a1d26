import { type IPty, spawn } from "@lydell/node-pty";
import { builtCli } from "./repo-root.ts";

export type Terminal = {
  /** Everything shown so far, without control sequences. */
  readonly text: string;
  /** Everything written so far, byte for byte. */
  readonly raw: string;
  /** Waits for something new: looks only behind the last match, and answers with what was shown up to the end of this one. */
  waitFor(pattern: string | RegExp, timeoutMs?: number): Promise<string>;
  /** Waits until the program waits for the next prompt; answers with what was shown meanwhile. */
  waitForPrompt(timeoutMs?: number): Promise<string>;
  /** Waits until the program asks a question that single keys answer. */
  waitForQuestion(): Promise<string>;
  /** Sends keys exactly as given. */
  press(keys: string): void;
  /** Types a line and presses Enter. */
  type(line: string): void;
  /** What was shown behind the last match. */
  unread(): string;
  readonly exit: Promise<number>;
  dispose(): void;
};

export type TerminalOptions = {
  readonly cwd: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cols?: number;
};

const controlSequences =
  /\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[@-Z\\-_=>]|\r(?!\n)|[\x00-\x08\x0b\x0c\x0e-\x1a]/g;

/** Stands for the mark that tells terminals where the output of a command ends. */
const doneMark = "\ue000";

/** The signs that a prompt can be typed: the mark; in the plain mode the prompt alone at the start of the last line. */
const idlePrompt = new RegExp(doneMark);
const plainIdlePrompt = /(?:^|\n)> $/;
/** The full interface asks for pastes to be bracketed before it shows anything. */
const fullInterface = "\x1b[?2004h";

/** The choice that every such question ends with. */
const openQuestion = /n no \(default\)/;

/** What a person would read: control sequences removed. */
export function plain(raw: string): string {
  return raw.replaceAll("\x1b]133;D\x07", doneMark).replace(controlSequences, "").replaceAll("\r\n", "\n");
}

function find(text: string, pattern: string | RegExp): { start: number; end: number } | undefined {
  if (typeof pattern === "string") {
    const start = text.indexOf(pattern);
    return start < 0 ? undefined : { start, end: start + pattern.length };
  }
  const match = pattern.exec(text);
  return match === null ? undefined : { start: match.index, end: match.index + match[0].length };
}

/** Runs the built program in a pseudo-terminal, as a person does. */
export function openTerminal(args: readonly string[], options: TerminalOptions): Terminal {
  const env = Object.fromEntries(
    Object.entries({ TERM: "xterm-256color", ...options.env }).filter(([, value]) => value !== undefined),
  );
  const pty: IPty = spawn(process.execPath, [builtCli, ...args], {
    cols: options.cols ?? 120,
    rows: 40,
    cwd: options.cwd,
    env,
  });
  let raw = "";
  let read = 0;
  let exited: number | undefined;
  let notify = (): void => {};
  pty.onData((data) => {
    raw += data;
    notify();
  });
  const exit = new Promise<number>((resolve) => {
    pty.onExit(({ exitCode }) => {
      exited = exitCode;
      resolve(exitCode);
      notify();
    });
  });

  function waitFor(wanted: string | RegExp | (() => RegExp), timeoutMs = 8000): Promise<string> {
    const pattern = () => (typeof wanted === "function" ? wanted() : wanted);
    return new Promise((resolve, reject) => {
      const fail = (why: string) => {
        clearTimeout(timer);
        notify = () => {};
        reject(new Error(`${why} while waiting for ${pattern()}; unread screen text:\n${plain(raw).slice(read)}`));
      };
      const timer = setTimeout(() => fail(`nothing came for ${timeoutMs} ms`), timeoutMs);
      notify = () => {
        const unread = plain(raw).slice(read);
        const hit = find(unread, pattern());
        if (hit === undefined) {
          if (exited !== undefined) fail(`the program ended with ${exited}`);
          return;
        }
        clearTimeout(timer);
        notify = () => {};
        read += hit.end;
        resolve(unread.slice(0, hit.end));
      };
      notify();
    });
  }

  return {
    get text() {
      return plain(raw);
    },
    get raw() {
      return raw;
    },
    waitFor,
    waitForPrompt: (timeoutMs) =>
      waitFor(() => (raw.includes(fullInterface) ? idlePrompt : plainIdlePrompt), timeoutMs),
    waitForQuestion: () => waitFor(openQuestion),
    unread: () => plain(raw).slice(read),
    press: (keys) => pty.write(keys),
    type: (line) => pty.write(`${line}\r`),
    exit,
    dispose() {
      if (exited === undefined) pty.kill("SIGKILL");
    },
  };
}
