import {
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  readSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./file-fault.ts";
import { makePrivateFolder } from "./private-files.ts";
import { isSyncUnsupported, syncFolder, syncFoldersInBackground } from "./sync-folder.ts";

/** A private file of lines that only ever grows, until somebody says where it has to be cut. */
export type AppendFile = {
  /** Open for reading, too. */
  readonly fd: number;
  size(): number;
  /** Whole lines, in one write(2). When it throws, no part of them stands in the way of the next. */
  append(lines: Buffer): void;
  /** Takes away everything from a position on. */
  cut(length: number): void;
  /** The start of the line that the byte at a position belongs to. */
  lineStart(position: number): number;
  /** False once the path names another file or none: deleted, moved or replaced. */
  isInPlace(): boolean;
  /** On the disk when this returns. */
  sync(): void;
  syncInBackground(done: (error?: Error) => void): void;
  close(): void;
};

const newline = 10;
const blockBytes = 64 * 1024;

/** Made when missing, with its folders. */
export function openAppendFile(path: string): AppendFile {
  const made = makePrivateFolder(dirname(path));
  const fd = openSync(path, constants.O_RDWR | constants.O_APPEND | constants.O_CREAT, 0o600);
  try {
    const { dev, ino, size } = fstatSync(fd);
    const isNamedBy = (there: { dev: number; ino: number }) => there.ino === ino && there.dev === dev;
    return {
      fd,
      size: () => fstatSync(fd).size,
      lineStart: (position) => lineStart(fd, position),
      isInPlace: () => isAt(path, isNamedBy),
      ...appending(fd, size),
      ...syncing(fd, size > 0 ? [] : foldersUpTo(dirname(path), made === undefined ? dirname(path) : dirname(made))),
    };
  } catch (error) {
    closeSync(fd);
    throw error;
  }
}

function isAt(path: string, isNamedBy: (there: { dev: number; ino: number }) => boolean): boolean {
  try {
    const there = statSync(path, { throwIfNoEntry: false });
    return there !== undefined && isNamedBy(there);
  } catch (error) {
    // its folder may not be looked into any more; the open file is as good as before
    return errnoOf(error) === "EACCES" || errnoOf(error) === "EPERM";
  }
}

/** `length`: as far as we found or wrote it. */
function appending(fd: number, length: number): Pick<AppendFile, "append" | "cut"> {
  let isTorn = !endsLine(fd, length);

  function takeBack(written: Buffer): void {
    isTorn = true;
    const now = fstatSync(fd).size;
    const extra = now - length;
    // what somebody else appended is not ours to cut
    if (extra < 0 || extra > written.length || !written.subarray(0, extra).equals(readRange(fd, length, now))) return;
    if (extra > 0) ftruncateSync(fd, length);
    isTorn = !endsLine(fd, length);
  }

  return {
    append(lines) {
      const bytes = isTorn ? Buffer.concat([Buffer.from("\n"), lines]) : lines;
      try {
        for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
      } catch (error) {
        try {
          takeBack(bytes);
        } catch {
          // what was written stays, on a line of its own
        }
        throw error;
      }
      length += bytes.length;
      isTorn = false;
    },
    cut(end) {
      ftruncateSync(fd, end);
      length = end;
      isTorn = !endsLine(fd, end);
    },
  };
}

function syncing(fd: number, newFolders: readonly string[]): Pick<AppendFile, "sync" | "syncInBackground" | "close"> {
  let folders = newFolders;
  let underWay = 0;
  let isClosing = false;
  return {
    sync() {
      try {
        fdatasyncSync(fd);
      } catch (error) {
        if (!isSyncUnsupported(error)) throw error;
      }
      for (const folder of folders) syncFolder(folder);
      folders = [];
    },
    syncInBackground(done) {
      underWay++;
      const finish = (error?: Error) => {
        underWay--;
        if (isClosing && underWay === 0) closeSync(fd);
        done(error);
      };
      fdatasync(fd, (error) => {
        if (error !== null && !isSyncUnsupported(error)) return finish(error);
        const unsynced = folders;
        folders = [];
        syncFoldersInBackground(unsynced, finish);
      });
    },
    close() {
      // while a file is synced, its number must not come to mean another
      isClosing = true;
      if (underWay === 0) closeSync(fd);
    },
  };
}

/** From the inner to the outer one. */
function foldersUpTo(inner: string, outer: string): readonly string[] {
  return inner === outer || inner === dirname(inner) ? [inner] : [inner, ...foldersUpTo(dirname(inner), outer)];
}

function endsLine(fd: number, length: number): boolean {
  return length === 0 || readRange(fd, length - 1, length)[0] === newline;
}

function lineStart(fd: number, position: number): number {
  for (let end = position; end > 0; end -= blockBytes) {
    const start = Math.max(0, end - blockBytes);
    const at = readRange(fd, start, end).lastIndexOf(newline);
    if (at >= 0) return start + at + 1;
  }
  return 0;
}

/** Shorter where the file ends. */
export function readRange(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let done = 0;
  for (let count: number; done < bytes.length; done += count)
    if ((count = readSync(fd, bytes, done, bytes.length - done, start + done)) === 0) break;
  return bytes.subarray(0, done);
}
