import { closeSync, readSync } from "node:fs";
import { openRegular } from "./open-file.ts";

/** One line of a file. Its bytes, without the line end, are good until the next line is asked for. */
export type ScannedLine = {
  readonly offset: number;
  readonly length: number;
  /** Undefined when the line is longer than is held at once. */
  readonly bytes: Buffer | undefined;
  /** False for what stands at the end of the file without a line end. */
  readonly isEnded: boolean;
};

export type ScanOptions = {
  readonly maxLineBytes: number;
  /** Where a line starts. */
  readonly from?: number;
};

const newline = 10;
const chunkBytes = 256 * 1024;

/**
 * The lines of a regular file, given by its path or as a descriptor that stays open. A line of any length costs at most `maxLineBytes` of
 * memory. Throws as openRegular does.
 */
export function* scanLines(file: string | number, options: ScanOptions): Generator<ScannedLine> {
  const fd = typeof file === "number" ? file : openRegular(file).fd;
  try {
    yield* linesOf(fd, options);
  } finally {
    if (fd !== file) closeSync(fd);
  }
}

function* linesOf(fd: number, { maxLineBytes, from = 0 }: ScanOptions): Generator<ScannedLine> {
  const chunk = Buffer.allocUnsafe(chunkBytes);
  let begun: Buffer[] = [];
  let offset = from;
  let length = 0;
  function begin(piece: Buffer): void {
    length += piece.length;
    if (length > maxLineBytes) begun = [];
    // the chunk is filled again before the line is complete
    else if (piece.length > 0) begun.push(Buffer.from(piece));
  }
  function end(rest: Buffer, isEnded: boolean): ScannedLine {
    const at = offset;
    const whole = length + rest.length;
    const isHeld = whole <= maxLineBytes;
    const bytes = isHeld ? (length === 0 ? rest : Buffer.concat([...begun, rest], whole)) : undefined;
    offset += whole + 1;
    begun = [];
    length = 0;
    return { offset: at, length: whole, bytes, isEnded };
  }
  for (
    let position = from, count: number;
    (count = readSync(fd, chunk, 0, chunkBytes, position)) > 0;
    position += count
  ) {
    const filled = chunk.subarray(0, count);
    let at = 0;
    for (let stop: number; (stop = filled.indexOf(newline, at)) >= 0; at = stop + 1)
      yield end(filled.subarray(at, stop), true);
    begin(filled.subarray(at));
  }
  if (length > 0) yield end(chunk.subarray(0, 0), false);
}
