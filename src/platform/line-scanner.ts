import { isAscii } from "node:buffer";

export type WindowLimits = {
  /** First line wanted, from 1. */
  readonly offset: number;
  readonly limit: number;
  /** Bytes of one line that are kept; the rest is only counted. */
  readonly maxLineBytes: number;
  /** Bytes of the whole window; at least one line is always kept. */
  readonly maxBytes: number;
};

/** `bytes` without its line end, cut to the limit; the counts are of the whole line. */
export type RawLine = { readonly bytes: Buffer; readonly byteLength: number; readonly continuationBytes: number };

export type LineScan = {
  readonly lines: readonly RawLine[];
  readonly totalLines: number;
  readonly crlf: number;
  readonly separators: number;
};

export type LineScanner = { push(chunk: Buffer): void; hasWindow(): boolean; finish(): LineScan };

const newline = 10;
const carriageReturn = 13;

/** Picks a window of lines out of a stream of chunks of any size and counts all of them; holds no more than the window. */
export function lineScanner(limits: WindowLimits, separator: 10 | 13): LineScanner {
  const lines: RawLine[] = [];
  let separators = 0;
  let crlf = 0;
  let lastByte = -1;
  let windowBytes = 0;
  let line = emptyLine();
  let full = false;

  const closeLine = () => {
    const kept = line.take(limits.maxLineBytes);
    if (lines.length > 0 && windowBytes + kept.bytes.length > limits.maxBytes) {
      full = true;
      return;
    }
    windowBytes += kept.bytes.length + 8;
    lines.push(kept);
    full = lines.length >= limits.limit;
    line = emptyLine();
  };
  const countSeparator = (before: number) => {
    separators++;
    if (separator === newline && before === carriageReturn) crlf++;
  };
  /** Counts separators from `start` until line `offset` begins; answers where that is. Most bytes of a big file pass here. */
  const skip = (chunk: Buffer, start: number): number => {
    const wanted = full ? Number.POSITIVE_INFINITY : limits.offset - 1 - separators;
    let at = start;
    let found = 0;
    let pairs = 0;
    for (; at < chunk.length && found < wanted; at++) {
      if (chunk[at] !== separator) continue;
      found++;
      if ((at > 0 ? chunk[at - 1] : lastByte) === carriageReturn) pairs++;
    }
    separators += found;
    if (separator === newline) crlf += pairs;
    return at;
  };

  return {
    push(chunk) {
      let at = skip(chunk, 0);
      while (at < chunk.length) {
        const end = chunk.indexOf(separator, at);
        line.add(chunk.subarray(at, end < 0 ? chunk.length : end), limits.maxLineBytes);
        if (end < 0) break;
        const before = end > 0 ? (chunk[end - 1] as number) : lastByte;
        countSeparator(before);
        if (separator === newline && before === carriageReturn) line.dropCarriageReturn();
        closeLine();
        at = full ? skip(chunk, end + 1) : end + 1;
      }
      if (chunk.length > 0) lastByte = chunk[chunk.length - 1] as number;
    },
    hasWindow: () => full,
    finish() {
      const hasTail = lastByte !== -1 && lastByte !== separator;
      if (hasTail && !full && separators >= limits.offset - 1) closeLine();
      return { lines, totalLines: separators + (hasTail ? 1 : 0), crlf, separators };
    },
  };
}

function emptyLine() {
  const pieces: Buffer[] = [];
  let keptBytes = 0;
  let byteLength = 0;
  let continuationBytes = 0;
  return {
    add(piece: Buffer, maxBytes: number) {
      byteLength += piece.length;
      if (!isAscii(piece)) for (const byte of piece) if ((byte & 0xc0) === 0x80) continuationBytes++;
      // One byte more than is kept, so that a carriage return at the edge can still be dropped.
      const kept = piece.subarray(0, Math.max(0, maxBytes + 1 - keptBytes));
      keptBytes += kept.length;
      if (kept.length > 0) pieces.push(Buffer.from(kept));
    },
    dropCarriageReturn() {
      byteLength--;
    },
    take: (maxBytes: number): RawLine => ({
      bytes: Buffer.concat(pieces).subarray(0, Math.min(byteLength, maxBytes)),
      byteLength,
      continuationBytes,
    }),
  };
}
