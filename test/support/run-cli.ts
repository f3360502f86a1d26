import { type ChildProcess, spawn } from "node:child_process";
import { performance } from "node:perf_hooks";
import { builtCli } from "./repo-root.ts";
import { parseEvents, type StreamEvent } from "./stream-events.ts";

export type CliOptions = {
  readonly cwd: string;
  /** The whole environment: nothing is inherited. Undefined values are left out. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Left out: standard input is /dev/null. `"open"`: a pipe that stays open and silent. */
  readonly stdin?: string | Uint8Array | "open";
  readonly timeoutMs?: number;
};

export type CliResult = {
  readonly stdout: string;
  readonly stderr: string;
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly durationMs: number;
  /** Standard output as it arrived, with `performance.now()`. */
  readonly stdoutChunks: readonly { readonly at: number; readonly text: string }[];
  /** Standard output read as JSON lines; throws when it is something else. */
  readonly events: readonly StreamEvent[];
};

export type RunningCli = {
  readonly pid: number;
  /** Waits until standard output holds the text. */
  waitForStdout(needle: string | RegExp): Promise<void>;
  kill(signal: NodeJS.Signals): void;
  readonly result: Promise<CliResult>;
  dispose(): void;
};

function killGroup(child: ChildProcess): void {
  if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    child.kill("SIGKILL");
  }
}

function definedOnly(env: Readonly<Record<string, string | undefined>>): Record<string, string> {
  return Object.fromEntries(Object.entries(env).filter((entry): entry is [string, string] => entry[1] !== undefined));
}

/** Starts the built program in its own process group. */
export function startCli(args: readonly string[], options: CliOptions): RunningCli {
  const startedAt = performance.now();
  const child = spawn(process.execPath, [builtCli, ...args], {
    cwd: options.cwd,
    env: definedOnly(options.env),
    stdio: [options.stdin === undefined ? "ignore" : "pipe", "pipe", "pipe"],
    detached: true,
  });
  const stdoutChunks: { at: number; text: string }[] = [];
  let stdout = "";
  let stderr = "";
  let checkWaiters = (): void => {};
  child.stdout?.setEncoding("utf8").on("data", (text: string) => {
    stdoutChunks.push({ at: performance.now(), text });
    stdout += text;
    checkWaiters();
  });
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    stderr += text;
  });
  child.stdin?.on("error", () => {});
  if (options.stdin !== undefined && options.stdin !== "open") child.stdin?.end(options.stdin);

  const result = new Promise<CliResult>((resolve, reject) => {
    const limitMs = options.timeoutMs ?? 15_000;
    const timer = setTimeout(() => {
      killGroup(child);
      reject(
        new Error(
          `corecoder ${args.join(" ").slice(0, 200)} ran longer than ${limitMs} ms\nstdout: ${stdout}\nstderr: ${stderr}`,
        ),
      );
    }, limitMs);
    child.once("error", reject);
    child.once("close", (code, signal) => {
      clearTimeout(timer);
      const durationMs = performance.now() - startedAt;
      const plain = { stdout, stderr, code, signal, durationMs, stdoutChunks, events: [] };
      // Not enumerable: comparing results must not parse what is no JSON.
      resolve(Object.defineProperty(plain, "events", { get: () => parseEvents(stdout), enumerable: false }));
    });
  });
  result.catch(() => {});

  return {
    pid: child.pid ?? -1,
    result,
    kill: (signal) => child.kill(signal),
    dispose: () => killGroup(child),
    waitForStdout: (needle) =>
      new Promise((resolve, reject) => {
        const seen = () => (typeof needle === "string" ? stdout.includes(needle) : needle.test(stdout));
        const earlier = checkWaiters;
        checkWaiters = () => {
          earlier();
          if (seen()) resolve();
        };
        checkWaiters();
        result.then(
          () =>
            seen()
              ? resolve()
              : reject(new Error(`ended without ${needle} on stdout\nstdout: ${stdout}\nstderr: ${stderr}`)),
          reject,
        );
      }),
  };
}
