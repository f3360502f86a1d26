import { type ChildProcess, spawnSync } from "node:child_process";
import { closeSync, constants, mkdtempSync, openSync, rmSync } from "node:fs";
import { type OnReadOpts, Socket, type SocketConstructorOpts } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Where a command's stdout and stderr arrive together, in the order in which they were written. */
export type OutputPipe = {
  /** For fd 1 and fd 2 of the child. */
  readonly stdio: number | "pipe";
  /** Shell code that has to run first. */
  readonly prelude: string;
  /** Called once, after the spawn. Resolves when no writer is left. The bytes are only valid during the call. */
  read(child: ChildProcess, onBytes: (bytes: Buffer) => void): Promise<void>;
  /**
   * For a command that ended while others still write (or that never started): goes on reading, without keeping this process alive, so
   * that they do not stall, and hangs up on one that never stops.
   */
  abandon(): void;
};

const abandonedLimitBytes = 32 * 1024 * 1024;

/** Node's own pipes are sockets: two streams cannot share one, and on Linux `echo x > /dev/stderr` fails on it. */
export function openSocketPipe(): OutputPipe {
  let streams: Socket[] = [];
  let abandoned = false;
  let seen = 0;
  return {
    stdio: "pipe",
    prelude: "exec 2>&1; ",
    async read(child, onBytes) {
      streams = [child.stdout, child.stderr].filter((stream) => stream instanceof Socket);
      const take = (bytes: Buffer) => {
        seen += bytes.length;
        if (!abandoned) onBytes(bytes);
        else if (seen > abandonedLimitBytes) for (const stream of streams) stream.destroy();
      };
      const ends = streams.map((stream) => {
        stream.on("data", take).on("error", () => undefined);
        return new Promise<void>((resolve) => stream.once("close", () => resolve()));
      });
      await Promise.all(ends);
    },
    abandon() {
      abandoned = true;
      for (const stream of streams) stream.unref();
    },
  };
}

type Fifo = { readonly fd: number; readonly buffer: Buffer };
const idle: Fifo[] = [];
/** As many as calls may run side by side: one mkfifo serves them all. */
const batch = 8;

/** The names are gone before this returns: the pipes live on as open files, and are opened again through /proc. */
function makeFifos(): void {
  const folder = mkdtempSync(join(tmpdir(), "corecoder-"));
  try {
    const paths = Array.from({ length: batch }, (_, index) => join(folder, String(index)));
    spawnSync("mkfifo", ["-m", "600", ...paths], { env: { PATH: "/usr/bin:/bin" }, stdio: "ignore" });
    for (const path of paths) {
      const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
      idle.push({ fd, buffer: Buffer.allocUnsafeSlow(65_536) });
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

function openFifoPipe(fifo: Fifo): OutputPipe {
  const path = `/proc/self/fd/${fifo.fd}`;
  const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  const writeFd = openSync(path, constants.O_WRONLY);
  let socket: Socket | undefined;
  let abandoned = false;
  let seen = 0;
  return {
    stdio: writeFd,
    prelude: "",
    async read(_child, onBytes) {
      closeSync(writeFd);
      const callback = (count: number) => {
        seen += count;
        if (!abandoned) onBytes(fifo.buffer.subarray(0, count));
        else if (seen > abandonedLimitBytes) socket?.destroy();
        return true;
      };
      const options: SocketConstructorOpts & { onread: OnReadOpts } = {
        fd: readFd,
        readable: true,
        writable: false,
        onread: { buffer: fifo.buffer, callback },
      };
      const opened = new Socket(options).on("error", () => undefined);
      socket = opened;
      await new Promise<void>((resolve) => opened.once("close", () => resolve()));
      if (!abandoned) idle.push(fifo);
    },
    abandon() {
      abandoned = true;
      closeSync(fifo.fd);
      if (socket) socket.unref();
      else for (const fd of [readFd, writeFd]) closeSync(fd);
    },
  };
}

/** A real pipe where the system lets us have one (Linux with /proc, mkfifo and room for temporary files), else Node's. */
export function openOutputPipe(): OutputPipe {
  if (process.platform !== "linux") return openSocketPipe();
  try {
    if (idle.length === 0) makeFifos();
    const fifo = idle.pop();
    return fifo ? openFifoPipe(fifo) : openSocketPipe();
  } catch {
    return openSocketPipe();
  }
}
