import { closeSync, readSync } from "node:fs";
import { openRegular } from "./open-file.ts";

export type ReadLinesOptions = {
  /** A longer line is given as undefined; it is never held. */
  readonly maxLineBytes: number;
};

const newline = 10;
const chunkBytes = 256 * 1024;

/** The lines of a regular file, one at a time, without their ends. Throws as openRegular does. */
export function* readLines(path: string, { maxLineBytes }: ReadLinesOptions): Generator<string | undefined> {
  const { fd } = openRegular(path);
  try {
    const line = createLine(maxLineBytes);
    const chunk = Buffer.allocUnsafe(chunkBytes);
    for (let count: number; (count = readSync(fd, chunk, 0, chunkBytes, null)) > 0; ) {
      let at = 0;
      for (let end: number; (end = chunk.subarray(0, count).indexOf(newline, at)) >= 0; at = end + 1) {
        line.add(chunk.subarray(at, end));
        yield line.take();
      }
      line.add(chunk.subarray(at, count));
    }
    if (!line.isEmpty) yield line.take();
  } finally {
    closeSync(fd);
  }
}

function createLine(maxBytes: number) {
  let pieces: Buffer[] = [];
  let bytes = 0;
  return {
    get isEmpty() {
      return bytes === 0;
    },
    add(piece: Buffer) {
      bytes += piece.length;
      if (bytes > maxBytes) pieces = [];
      // the chunk is filled again before the line is taken
      else if (piece.length > 0) pieces.push(Buffer.from(piece));
    },
    take(): string | undefined {
      const text = bytes > maxBytes ? undefined : Buffer.concat(pieces).toString("utf8");
      pieces = [];
      bytes = 0;
      return text;
    },
  };
}
