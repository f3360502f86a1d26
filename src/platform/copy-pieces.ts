import { closeSync, fsyncSync, openSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import { readRange } from "./append-file.ts";
import { errnoOf } from "./file-fault.ts";
import { openRegular, writeAt } from "./open-file.ts";
import { removeIfThere } from "./private-files.ts";
import { syncFolder } from "./sync-folder.ts";

/** Some bytes of a file; in a copy they stand on lines of their own, below the title. */
export type Piece = { readonly offset: number; readonly bytes: number; readonly title?: string };

const blockBytes = 1024 * 1024;

/**
 * Copies pieces of a file, given by its path or open, into a new private file `<prefix><n>` with the first number that is free, and
 * answers with its path. The copy is on the disk when this returns; when it throws, nothing is left behind.
 */
export function copyPiecesBeside(from: string | number, pieces: Iterable<Piece>, prefix: string): string {
  const { path, fd } = createFirstFree(prefix);
  writeAndClose(from, pieces, { path, fd });
  syncFolder(dirname(path));
  return path;
}

/** Leaves of a file only some pieces. It is the old or the new one at any time; when this throws, the old one. */
export function replaceByPieces(path: string, pieces: Iterable<Piece>): void {
  const temporary = `${path}.${process.pid}.tmp`;
  writeAndClose(path, pieces, { path: temporary, fd: openSync(temporary, "w", 0o600) });
  try {
    renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
  syncFolder(dirname(path));
}

type NewFile = { readonly path: string; readonly fd: number };

function createFirstFree(prefix: string): NewFile {
  for (let number = 1; ; number++) {
    const path = `${prefix}${number}`;
    try {
      return { path, fd: openSync(path, "wx", 0o600) };
    } catch (error) {
      if (errnoOf(error) !== "EEXIST") throw error;
    }
  }
}

function writeAndClose(from: string | number, pieces: Iterable<Piece>, { path, fd }: NewFile): void {
  try {
    const source = typeof from === "number" ? from : openRegular(from).fd;
    try {
      writePieces(source, pieces, fd);
    } finally {
      if (source !== from) closeSync(source);
      closeSync(fd);
    }
  } catch (error) {
    removeIfThere(path);
    throw error;
  }
}

function writePieces(from: number, pieces: Iterable<Piece>, to: number): void {
  let position = 0;
  let waiting: Buffer[] = [];
  let waitingBytes = 0;
  const add = (bytes: Buffer) => {
    waiting.push(bytes);
    waitingBytes += bytes.length;
    if (waitingBytes >= blockBytes) writeWaiting();
  };
  const writeWaiting = () => {
    writeAt(to, Buffer.concat(waiting), position);
    position += waitingBytes;
    waiting = [];
    waitingBytes = 0;
  };
  for (const { title, offset, bytes } of pieces) {
    if (title !== undefined) add(Buffer.from(`# ${title}\n`));
    for (let at = offset; at < offset + bytes; at += blockBytes)
      add(readRange(from, at, Math.min(at + blockBytes, offset + bytes)));
    add(Buffer.from("\n"));
  }
  writeWaiting();
  fsyncSync(to);
}
