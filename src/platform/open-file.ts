import { type BigIntStats, closeSync, constants, fstatSync, lstatSync, openSync, readSync, writeSync } from "node:fs";
import { FileFault } from "./file-fault.ts";

type FileNature = "file" | "folder" | "link" | "FIFO" | "socket" | "device";

export function natureOf(stat: BigIntStats): FileNature {
  if (stat.isFile()) return "file";
  if (stat.isDirectory()) return "folder";
  if (stat.isSymbolicLink()) return "link";
  if (stat.isFIFO()) return "FIFO";
  return stat.isSocket() ? "socket" : "device";
}

/** What lies at a path, the last link not followed; undefined when there is nothing. */
export function lookAt(path: string): BigIntStats | undefined {
  return lstatSync(path, { bigint: true, throwIfNoEntry: false });
}

/** `stat` was taken from the open descriptor, so it cannot be about another file. */
export type OpenFile = { readonly fd: number; readonly stat: BigIntStats };

/**
 * Opens a regular file for reading. Never blocks and never follows a last link: links are resolved by the caller, so one found here
 * was put there after the check. FIFOs and devices are not even opened, because opening alone can have effects.
 */
export function openRegular(path: string): OpenFile {
  refuseSpecial(lstatSync(path, { bigint: true }));
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  try {
    const stat = fstatSync(fd, { bigint: true });
    refuseSpecial(stat);
    return { fd, stat };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function refuseSpecial(stat: BigIntStats): void {
  const nature = natureOf(stat);
  if (nature === "link") throw new FileFault("moved", "a link");
  if (nature !== "file") throw new FileFault("not-regular", nature);
}

/** Reads to the end, whatever the size said before (files in /proc say 0). Throws "too-large" beyond the limit. */
export function readWhole({ fd, stat }: OpenFile, limitBytes: number): Buffer {
  if (stat.size > limitBytes) throw new FileFault("too-large", `${stat.size} bytes`);
  const chunks: Buffer[] = [];
  let total = 0;
  while (total <= limitBytes) {
    const chunk = Buffer.allocUnsafe(total === 0 ? Number(stat.size) + 1 : 65_536);
    const count = readSync(fd, chunk, 0, chunk.length, total);
    if (count === 0) return chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks, total);
    chunks.push(chunk.subarray(0, count));
    total += count;
  }
  throw new FileFault("too-large", `more than ${limitBytes} bytes`);
}

/** All bytes, however many calls that takes. */
export function writeAt(fd: number, bytes: Buffer, position: number): void {
  let done = 0;
  while (done < bytes.length) done += writeSync(fd, bytes, done, bytes.length - done, position + done);
}

/** The same file, and nobody wrote to it in between. */
export function isSameState(a: BigIntStats, b: BigIntStats): boolean {
  return a.dev === b.dev && a.ino === b.ino && a.size === b.size && a.mtimeNs === b.mtimeNs;
}
