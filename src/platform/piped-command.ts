import type { Readable } from "node:stream";
import { endGroup, type GroupExit, spawnGroup } from "./process-group.ts";
import { findShell } from "./shell.ts";

export type PipedCommand = {
  /** For the shell. */
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  readonly stdin: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** So much is kept of either output; what comes after it is read and dropped. */
  readonly limitBytes: number;
  /** What the command leaves running may go on until the program ends, or ends with the command. */
  readonly leftovers: "kept" | "ended";
};

export type PipedResult = GroupExit & {
  readonly ending: "exited" | "timed-out" | "interrupted";
  readonly stdout: string;
  readonly stderr: string;
  readonly isCut: boolean;
};

const graceMs = 500;
/** For output that is on its way when the command has ended, and no longer: a process left behind may hold it open. */
const outputGraceMs = 80;

/** A program that is told something and answers: its outputs apart, killed with all it started when its time is up. Rejects when it cannot be started. */
export async function runPiped(request: PipedCommand): Promise<PipedResult> {
  const { cwd, env, command } = request;
  const shell = findShell(env.PATH);
  const { child, pid, exited } = await spawnGroup({
    file: shell.path,
    // Node's pipes are sockets, and bash takes one as standard input for a remote login: it would read the person's .bashrc
    args: shell.kind === "bash" ? ["--norc", "-c", command] : ["-c", command],
    cwd,
    env,
    stdio: ["pipe", "pipe", "pipe"],
  });
  // a program that does not read what it is told closes the pipe
  child.stdin?.on("error", () => {}).end(request.stdin);
  const out = collect(child.stdout as Readable, request.limitBytes);
  const err = collect(child.stderr as Readable, request.limitBytes);
  const ending = await untilEnd(pid, exited, request);
  if (request.leftovers === "ended") await endGroup(pid, graceMs);
  const ended = Promise.all([out.ended, err.ended]);
  let timer: NodeJS.Timeout | undefined;
  await Promise.race([ended, new Promise((resolve) => (timer = setTimeout(resolve, outputGraceMs)))]);
  clearTimeout(timer);
  const gone: GroupExit = { code: child.exitCode, signal: child.signalCode };
  const result = { ...gone, ending, stdout: out.text(), stderr: err.text(), isCut: out.isCut() || err.isCut() };
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
  return result;
}

function untilEnd(
  pid: number,
  exited: Promise<GroupExit>,
  { timeoutMs, signal }: PipedCommand,
): Promise<PipedResult["ending"]> {
  return new Promise((resolve) => {
    let ending: PipedResult["ending"] = "exited";
    const settle = () => {
      clearTimeout(timer);
      signal.removeEventListener("abort", interrupt);
      resolve(ending);
    };
    const stop = (why: "timed-out" | "interrupted") => {
      if (ending !== "exited") return;
      ending = why;
      endGroup(pid, graceMs).then(settle);
    };
    const interrupt = () => stop("interrupted");
    const timer = setTimeout(stop, timeoutMs, "timed-out");
    signal.addEventListener("abort", interrupt);
    if (signal.aborted) interrupt();
    exited.then(() => {
      if (ending === "exited") settle();
    });
  });
}

function collect(stream: Readable, limitBytes: number) {
  const chunks: Buffer[] = [];
  let size = 0;
  stream.on("data", (bytes: Buffer) => {
    if (size < limitBytes) chunks.push(bytes.subarray(0, limitBytes - size));
    size += bytes.length;
  });
  stream.on("error", () => {});
  return {
    ended: new Promise<void>((resolve) => stream.once("close", () => resolve())),
    isCut: () => size > limitBytes,
    text: () => Buffer.concat(chunks).toString("utf8"),
  };
}
