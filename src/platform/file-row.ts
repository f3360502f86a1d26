import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from "node:fs";
import { errnoOf } from "./file-fault.ts";

/** What tells whether anything about a path has changed, as cheap as it can be had. `mode` holds type and permissions. */
export type FileRow = {
  readonly mode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
};

export type FileType = "file" | "folder" | "link" | "socket" | "FIFO" | "device";

const types = new Map<number, FileType>([
  [constants.S_IFREG, "file"],
  [constants.S_IFDIR, "folder"],
  [constants.S_IFLNK, "link"],
  [constants.S_IFSOCK, "socket"],
  [constants.S_IFIFO, "FIFO"],
]);

/** The type bits of a plain file. */
export const fileMode = constants.S_IFREG;

export function typeOf({ mode }: Pick<FileRow, "mode">): FileType {
  return types.get(mode & constants.S_IFMT) ?? "device";
}

export function permissionsOf({ mode }: Pick<FileRow, "mode">): number {
  return mode & 0o7777;
}

function rowOf({ mode, size, mtimeMs, ctimeMs, ino }: Stats): FileRow {
  return { mode, size, mtimeMs, ctimeMs, ino };
}

/** Rows in a table of numbers. */
export const rowWidth = 5;

export function putRow(table: Float64Array, index: number, { mode, size, mtimeMs, ctimeMs, ino }: FileRow): void {
  const at = index * rowWidth;
  table[at] = mode;
  table[at + 1] = size;
  table[at + 2] = mtimeMs;
  table[at + 3] = ctimeMs;
  table[at + 4] = ino;
}

export function rowInTable(table: Float64Array, index: number): FileRow {
  const column = (number: number) => table[index * rowWidth + number] ?? 0;
  return { mode: column(0), size: column(1), mtimeMs: column(2), ctimeMs: column(3), ino: column(4) };
}

export function isRowInTable(
  table: Float64Array,
  index: number,
  { mode, size, mtimeMs, ctimeMs, ino }: FileRow,
): boolean {
  const at = index * rowWidth;
  return (
    table[at + 3] === ctimeMs &&
    table[at + 2] === mtimeMs &&
    table[at + 1] === size &&
    table[at] === mode &&
    table[at + 4] === ino
  );
}

/** The last link is not followed. */
export function rowAt(path: string): FileRow | "gone" | "unreadable" {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "gone" : rowOf(stat);
  } catch (error) {
    return isNoEntry(error) ? "gone" : "unreadable";
  }
}

/** Nothing can be at such a path: there is none, or a file or an endless link stands on the way. */
export function isNoEntry(error: unknown): boolean {
  return ["ENOENT", "ENOTDIR", "ELOOP"].includes(errnoOf(error) ?? "");
}

export function targetAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** Of the bytes that were read; `row` was taken from the open file after reading, so it is never older than they are. */
export type FileContent = { readonly bytes: Buffer; readonly row: FileRow };

/** One buffer for all but the largest files. */
let shared = Buffer.alloc(0);
const sharedBytes = 1024 * 1024;

/** The bytes are good until the next call. Leaner than openRegular: a first look reads every file of a project. */
export function contentAt(path: string, limitBytes: number): FileContent | "gone" | "unreadable" | "too-large" {
  let fd: number | undefined;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
    if (shared.length === 0) shared = Buffer.allocUnsafe(sharedBytes);
    let buffer = shared;
    let length = 0;
    for (;;) {
      const count = readSync(fd, buffer, length, buffer.length - length, length);
      length += count;
      if (length > limitBytes) return "too-large";
      const stat = fstatSync(fd);
      if (!stat.isFile()) return "unreadable";
      if (count === 0 || length >= stat.size) return { bytes: buffer.subarray(0, length), row: rowOf(stat) };
      if (length === buffer.length) buffer = Buffer.concat([buffer], Math.max(stat.size + 1, length * 2));
    }
  } catch (error) {
    return isNoEntry(error) ? "gone" : "unreadable";
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
