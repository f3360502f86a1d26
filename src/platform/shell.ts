import { statSync } from "node:fs";
import { dirname } from "node:path";
import { setImmediate } from "node:timers/promises";
import { findProgram } from "./find-program.ts";
import { type OutputPipe, openOutputPipe } from "./output-pipe.ts";
import { endGroup, type GroupExit, leftRunning, type ProcessGroup, spawnGroup } from "./process-group.ts";
import { openStateFile, type ShellState, type StateFile, stateFd, statePrelude } from "./shell-state.ts";

export type Shell = { readonly path: string; readonly kind: "bash" | "sh" };

export type ShellCommand = {
  readonly shell: Shell;
  /** Handed to the shell byte for byte. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** A command that cannot change the shell's state runs faster without looking for changes. */
  readonly state: "read-back" | "ignored";
  /** The bytes are only valid during the call. */
  readonly onOutput: (bytes: Buffer) => void;
};

export type ShellResult = GroupExit & {
  readonly ending: "exited" | "timed-out" | "interrupted";
  /** Undefined when it was not asked for, or the command left none. */
  readonly state: ShellState | undefined;
  /** Processes that the command left running. */
  readonly background: readonly number[];
  /** `held`: somebody may still write after the command's end. */
  readonly output: "ended" | "held";
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

const timeoutGraceMs = 2_000;
const interruptGraceMs = 500;
const outputGraceMs = 80;

function startShell(request: ShellCommand, pipe: OutputPipe, stateFile: StateFile | undefined): Promise<ProcessGroup> {
  const stdio: (number | "ignore" | "pipe")[] = ["ignore", pipe.stdio, pipe.stdio];
  if (stateFile) {
    while (stdio.length < stateFd) stdio.push("ignore");
    stdio.push(stateFile.fd);
  }
  const prelude = pipe.prelude + (stateFile ? statePrelude : "");
  const { shell, cwd, env } = request;
  return spawnGroup({ file: shell.path, args: ["-c", prelude + request.command], cwd, env, stdio });
}

/** Until the shell ends, or everything it started has been ended for it. */
function untilEnd(group: ProcessGroup, { timeoutMs, signal }: ShellCommand): Promise<ShellResult["ending"]> {
  return new Promise((resolve) => {
    let ending: ShellResult["ending"] = "exited";
    const stop = (why: "timed-out" | "interrupted") => {
      ending = why;
      endGroup(group.pid, why === "timed-out" ? timeoutGraceMs : interruptGraceMs).then(settle);
    };
    const interrupt = () => stop("interrupted");
    const timer = setTimeout(stop, timeoutMs, "timed-out");
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", interrupt);
      resolve(ending);
    };
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) interrupt();
    group.exited.then(() => {
      if (ending === "exited") settle();
    });
  });
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
export async function runShell(request: ShellCommand, pipe = openOutputPipe()): Promise<ShellResult> {
  const reads = request.state === "read-back" && request.shell.kind === "bash";
  const stateFile = reads ? openStateFile() : undefined;
  try {
    const group = await startShell(request, pipe, stateFile).catch((error) => {
      pipe.abandon();
      throw error;
    });
    let seen = 0;
    const outputEnded = pipe.read(group.child, (bytes) => {
      seen += bytes.length;
      request.onOutput(bytes);
    });
    const ending = await untilEnd(group, request);
    const output = await settleOutput(outputEnded, () => seen);
    if (output === "held") pipe.abandon();
    const exit =
      group.child.exitCode === null && group.child.signalCode === null
        ? { code: null, signal: null }
        : await group.exited;
    const state = ending === "exited" ? stateFile?.take() : undefined;
    return { ...exit, ending, state, output, background: await leftRunning(group.pid) };
  } finally {
    stateFile?.release();
  }
}
