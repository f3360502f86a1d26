import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { findProgram } from "./find-program.ts";
import { type OutputPipe, openOutputPipe } from "./output-pipe.ts";
import { endGroup, type GroupExit, leftRunning, type ProcessGroup, spawnGroup } from "./process-group.ts";
import { markEnvironment } from "./process-group-mark.ts";
import { openStateFile, type ShellState, type StateFile, stateFd, statePrelude } from "./shell-state.ts";
import { watchForInput } from "./shell-waiting.ts";
import { cleanProgramOutput } from "./terminal-text.ts";

export type Shell = { readonly path: string; readonly kind: "bash" | "sh" };

/** Puts a program into a sandbox: what to start instead of it, and what its environment becomes. */
export type Wrap = (program: Program) => Program;

export type Program = {
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
};

export type ShellCommand = {
  readonly shell: Shell;
  /** Handed to the shell byte for byte. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** A command that cannot change the shell's state runs faster without looking for changes. */
  readonly state: "read-back" | "ignored";
  readonly wrap?: Wrap;
  /** Shell code that has to run first, on the command's own first line. */
  readonly prelude?: string;
  /** The bytes are only valid during the call. */
  readonly onOutput: (bytes: Buffer) => void;
};

/** Why a command ended before it was done: `waiting` for input that nobody gives. */
export type ShellEnding = "exited" | "timed-out" | "interrupted" | "waiting" | "stopped";

export type ShellResult = GroupExit & {
  readonly ending: ShellEnding;
  /** Undefined when it was not asked for, or the command left none. */
  readonly state: ShellState | undefined;
  /** Processes that the command left running. */
  readonly background: readonly number[];
  /** `held`: somebody may still write after the command's end. */
  readonly output: "ended" | "held";
};

export type RunningShell = {
  readonly pid: number;
  /** When the shell has ended and its output was read; what it left in the background may still run. */
  readonly finished: Promise<ShellResult>;
  /** TERM to everything it started, KILL to what is still there after the grace time. */
  end(ending: Exclude<ShellEnding, "exited">): void;
};

/** bash wherever it is, also when the command's own PATH has been changed; without it the plain shell. */
export function findShell(path: string | undefined): Shell {
  const bash = findProgram("bash", path) ?? findProgram("bash", undefined);
  return bash === undefined ? { path: "/bin/sh", kind: "sh" } : { path: bash, kind: "bash" };
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** The folder itself, or the nearest one above it that exists. */
export function nearestFolder(path: string): string {
  let folder = path;
  while (!isFolder(folder) && folder !== dirname(folder)) folder = dirname(folder);
  return folder;
}

const graceMs = { "timed-out": 2_000, interrupted: 500, waiting: 500, stopped: 2_000 } as const;
const outputGraceMs = 120;
const settledMs = 200;
/** Enough for the longest question. */
const tailBytes = 600;

function spawnShell(request: ShellCommand, pipe: OutputPipe, stateFile: StateFile | undefined): Promise<ProcessGroup> {
  const stdio: (number | "ignore" | "pipe")[] = ["ignore", pipe.stdio, pipe.stdio];
  if (stateFile) {
    while (stdio.length < stateFd) stdio.push("ignore");
    stdio.push(stateFile.fd);
  }
  const prelude = pipe.prelude + (request.prelude ?? "") + (stateFile ? statePrelude : "");
  const { shell, cwd, wrap } = request;
  const { env, mark } = markEnvironment(request.env);
  const program = { file: shell.path, args: ["-c", prelude + request.command], env };
  return spawnGroup({ ...(wrap ? wrap(program) : program), cwd, stdio, mark });
}

/** Waits for the end of the output, but not for a background process that keeps it open. */
async function settleOutput(ended: Promise<void>, bytesSeen: () => number): Promise<ShellResult["output"]> {
  let isEnded = false;
  let timer: NodeJS.Timeout | undefined;
  const grace = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, outputGraceMs);
  });
  await Promise.race([ended.then(() => void (isEnded = true)), grace]);
  clearTimeout(timer);
  // The timer may fire late, before what lies in the pipe has been read: look until nothing more comes.
  for (let passes = 0, before = -1; !isEnded && before !== bytesSeen() && passes < 50; passes++) {
    before = bytesSeen();
    await setImmediate();
  }
  return isEnded ? "ended" : "held";
}

/** Rejects with the operating system's error (`code`) when the shell cannot be started. */
export async function startShell(request: ShellCommand, pipe = openOutputPipe()): Promise<RunningShell> {
  const reads = request.state === "read-back" && request.shell.kind === "bash";
  const stateFile = reads ? openStateFile() : undefined;
  const group = await spawnShell(request, pipe, stateFile).catch((error) => {
    pipe.abandon();
    stateFile?.release();
    throw error;
  });
  let seen = 0;
  let silentSince = performance.now();
  let tail = Buffer.alloc(0);
  const outputEnded = pipe.read(group.child, (bytes) => {
    seen += bytes.length;
    silentSince = performance.now();
    tail = Buffer.concat([tail.subarray(-tailBytes), bytes.subarray(-tailBytes)]);
    request.onOutput(bytes);
  });
  let ending: ShellEnding = "exited";
  let onEnded = () => {};
  const ended = new Promise<void>((resolve) => {
    onEnded = resolve;
  });
  const end: RunningShell["end"] = (why) => {
    if (ending !== "exited") return;
    ending = why;
    endGroup(group.pid, graceMs[why]).then(onEnded);
  };
  group.exited.then(() => {
    if (ending === "exited") onEnded();
  });
  const stopWatching = watchForInput(group.pid, {
    printed: () => cleanProgramOutput(tail.toString("utf8")),
    silentSince: () => silentSince,
    onWaiting: () => end("waiting"),
  });
  async function finish(): Promise<ShellResult> {
    await ended;
    stopWatching();
    const output = await settleOutput(outputEnded, () => seen);
    if (output === "held") pipe.abandon();
    const { exitCode, signalCode } = group.child;
    const exit = exitCode === null && signalCode === null ? { code: null, signal: null } : await group.exited;
    const state = ending === "exited" ? stateFile?.take() : undefined;
    stateFile?.release();
    // a sandbox takes everything along, but not in an instant: looked at later, when nobody waits for it
    if (request.wrap) setTimeout(() => void leftRunning(group.pid), settledMs).unref();
    const background = request.wrap ? [] : await leftRunning(group.pid);
    return { ...exit, ending, state, output, background };
  }
  return { pid: group.pid, finished: finish(), end };
}

export type ShellLimits = {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** Over its limit a command is ended, or left running. */
  readonly overLimit: "end" | "release";
};

/** "released": it was over its limit and goes on. */
export async function withinLimits(running: RunningShell, limits: ShellLimits): Promise<ShellResult | "released"> {
  const { timeoutMs, signal, overLimit } = limits;
  const interrupt = () => running.end("interrupted");
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<"released">((resolve) => {
    timer = setTimeout(() => (overLimit === "end" ? running.end("timed-out") : resolve("released")), timeoutMs);
  });
  signal.addEventListener("abort", interrupt);
  if (signal.aborted) interrupt();
  try {
    return await Promise.race([running.finished, late]);
  } finally {
    clearTimeout(timer);
    signal.removeEventListener("abort", interrupt);
  }
}
