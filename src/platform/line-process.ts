import { StringDecoder } from "node:string_decoder";
import { endGroup, type GroupExit, spawnGroup } from "./process-group.ts";
import { markEnvironment } from "./process-group-mark.ts";
import { stripControl } from "./terminal-text.ts";

export type LineProcessOptions = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** A longer line is given up: it comes as "too-long", and nothing after it comes any more. */
  readonly maxLineChars: number;
  readonly onLine: (line: string) => void;
  readonly onTooLong: () => void;
};

/** A program that is spoken to in lines for as long as it lives, and ended with all it started. */
export type LineProcess = {
  readonly ended: Promise<GroupExit>;
  /** Resolves when the line is written; rejects when nobody reads. */
  send(line: string): Promise<void>;
  /** The last of what it wrote on standard error. */
  complaints(): string;
  close(): Promise<void>;
};

const graceMs = 300;
const complaintChars = 2_000;

/** Rejects when the program cannot be started. */
export async function startLineProcess(options: LineProcessOptions): Promise<LineProcess> {
  const { env, mark } = markEnvironment(options.env);
  const { file, args, cwd } = options;
  const { child, pid, exited } = await spawnGroup({ file, args, cwd, env, mark, stdio: ["pipe", "pipe", "pipe"] });
  let complaints = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => {
    complaints = (complaints + text.slice(-complaintChars)).slice(-complaintChars);
  });
  const lines = createLineSplitter(options);
  child.stdout?.on("data", (bytes: Buffer) => lines.push(bytes));
  for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.on("error", () => {});
  // what it still wrote is read before its end is told
  const closed = new Promise<void>((resolve) => child.stdout?.once("close", () => resolve()));
  const ended = exited.then(async (exit) => {
    let timer: NodeJS.Timeout | undefined;
    await Promise.race([closed, new Promise((resolve) => (timer = setTimeout(resolve, graceMs)))]);
    clearTimeout(timer);
    return exit;
  });
  return {
    ended,
    send: (line) =>
      new Promise((resolve, reject) => {
        if (child.stdin === null || child.stdin.destroyed) reject(new Error("it has ended"));
        else child.stdin.write(`${line}\n`, (error) => (error ? reject(error) : resolve()));
      }),
    complaints: () => stripControl(complaints).trim(),
    async close() {
      child.stdin?.end();
      await endGroup(pid, graceMs);
      for (const stream of [child.stdin, child.stdout, child.stderr]) stream?.destroy();
    },
  };
}

function createLineSplitter({ maxLineChars, onLine, onTooLong }: LineProcessOptions) {
  const decoder = new StringDecoder("utf8");
  let pieces: string[] = [];
  let length = 0;
  let isOver = false;
  function take(piece: string): void {
    pieces.push(piece);
    length += piece.length;
    if (length <= maxLineChars) return;
    isOver = true;
    pieces = [];
    onTooLong();
  }
  return {
    push(bytes: Buffer): void {
      if (isOver) return;
      const text = decoder.write(bytes);
      for (let at = 0; !isOver; ) {
        const end = text.indexOf("\n", at);
        take(end < 0 ? text.slice(at) : text.slice(at, end));
        if (end < 0 || isOver) return;
        const line = pieces.join("");
        pieces = [];
        length = 0;
        onLine(line.endsWith("\r") ? line.slice(0, -1) : line);
        at = end + 1;
      }
    },
  };
}
