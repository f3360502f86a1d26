import { closeSync, readSync } from "node:fs";
import { type ContentHasher, contentHasher, fingerprintOf, hashLimitBytes } from "./content-hash.ts";
import { type ContentKind, kindOf, sniffBytes } from "./content-kind.ts";
import { type LineScan, lineScanner, type WindowLimits } from "./line-scanner.ts";
import { type OpenFile, openRegular, readWhole } from "./open-file.ts";
import {
  decodeInvalidUtf8,
  decodeUtf16,
  hasUtf8Bom,
  type TextEncoding,
  utf8Checker,
  utf16Of,
} from "./text-encoding.ts";

/** Beyond this size lines after the window are not counted. */
const countLimitBytes = 256 * 1024 * 1024;
const chunkBytes = 1024 * 1024;
const chunksBetweenPauses = 16;

export type WindowLine = {
  readonly text: string /** Characters of the line that are not shown. */;
  readonly cutCharacters: number;
};

export type TextWindow = {
  readonly type: "text";
  readonly lines: readonly WindowLine[];
  /** Of the whole file; a lower bound when `isCounted` is false. */
  readonly totalLines: number;
  readonly isCounted: boolean;
  readonly lineEnds: "LF" | "CRLF" | "CR" | "mixed" | "none";
  readonly encoding: TextEncoding;
  readonly hasBom: boolean;
};

export type FileReading = {
  readonly content: TextWindow | (Exclude<ContentKind, { type: "text" }> & { readonly bytes?: Buffer });
  readonly sizeBytes: number;
  /** What the conversation has now seen: a hash of the bytes, or the fingerprint of a file too big for that. */
  readonly identity: string;
};

export type ReadRequest = Omit<WindowLimits, "maxLineBytes"> & {
  readonly maxLineCharacters: number;
  /** Images up to this size come with their bytes. */
  readonly maxImageBytes: number;
  readonly signal: AbortSignal;
};

/** Reads a window of a file of any size without loading the whole. `path` must be real. */
export async function readWindow(path: string, request: ReadRequest): Promise<FileReading> {
  const hasher = await contentHasher();
  const file = openRegular(path);
  try {
    const head = readHead(file.fd);
    const utf16 = utf16Of(head);
    if (utf16) return readUtf16(file, utf16, { request, hasher });
    const kind = kindOf(head);
    if (kind.type === "text") return await readText(file, { request, hasher });
    const bytes =
      kind.type === "image" && file.stat.size <= request.maxImageBytes
        ? readWhole(file, request.maxImageBytes)
        : undefined;
    const identity = bytes ? hasher.of(bytes) : fingerprintOf(file.stat);
    // Files in /proc say they are empty.
    const sizeBytes = Math.max(Number(file.stat.size), head.length);
    return { content: bytes ? { ...kind, bytes } : kind, sizeBytes, identity };
  } finally {
    closeSync(file.fd);
  }
}

type Reader = { readonly request: ReadRequest; readonly hasher: ContentHasher };

function readHead(fd: number): Buffer {
  const head = Buffer.allocUnsafe(sniffBytes);
  return head.subarray(0, readSync(fd, head, 0, head.length, 0));
}

function limitsOf(request: ReadRequest): WindowLimits {
  return { ...request, maxLineBytes: request.maxLineCharacters * 4 };
}

function readUtf16(file: OpenFile, encoding: "UTF-16LE" | "UTF-16BE", { request, hasher }: Reader): FileReading {
  const bytes = readWhole(file, hashLimitBytes);
  const text = Buffer.from(decodeUtf16(bytes, encoding), "utf8");
  const scanWith = (separator: 10 | 13): LineScan => {
    const scanner = lineScanner(limitsOf(request), separator);
    scanner.push(text);
    return scanner.finish();
  };
  let scan = scanWith(10);
  const lineEnds = lineEndsOf(scan, text.includes(13));
  if (lineEnds === "CR") scan = scanWith(13);
  const hasBom = bytes[0] === 0xff || bytes[0] === 0xfe;
  const window = {
    lines: decodeLines(scan, request),
    totalLines: scan.totalLines,
    isCounted: true,
    lineEnds,
    encoding,
    hasBom,
  };
  return { content: { type: "text", ...window }, sizeBytes: bytes.length, identity: hasher.of(bytes) };
}

async function readText(file: OpenFile, reader: Reader): Promise<FileReading> {
  const first = await scanFile(file, reader, 10);
  const lineEnds = lineEndsOf(first.scan, first.hasCarriageReturn);
  const { scan } = lineEnds === "CR" ? await scanFile(file, reader, 13) : first;
  const { lines, encoding } = first.isUtf8
    ? { lines: decodeLines(scan, reader.request), encoding: "UTF-8" as const }
    : decodeDamagedLines(scan, reader.request);
  const window = {
    lines,
    totalLines: scan.totalLines,
    isCounted: first.isWhole,
    lineEnds,
    encoding,
    hasBom: first.hasBom,
  };
  return { content: { type: "text", ...window }, sizeBytes: first.bytes, identity: first.identity };
}

type FileScan = {
  readonly scan: LineScan;
  readonly bytes: number;
  readonly isWhole: boolean;
  readonly isUtf8: boolean;
  readonly hasBom: boolean;
  readonly hasCarriageReturn: boolean;
  readonly identity: string;
};

async function scanFile({ fd, stat }: OpenFile, { request, hasher }: Reader, separator: 10 | 13): Promise<FileScan> {
  const scanner = lineScanner(limitsOf(request), separator);
  const utf8 = utf8Checker();
  const hash = stat.size <= hashLimitBytes ? hasher.start() : undefined;
  const buffer = Buffer.allocUnsafe(stat.size > 0 ? Math.min(Number(stat.size) + 1, chunkBytes) : 65_536);
  let bytes = 0;
  let hasBom = false;
  let hasCarriageReturn = false;
  let isWhole = true;
  for (let count = 1; ; count++) {
    const read = readSync(fd, buffer, 0, buffer.length, bytes);
    if (read === 0) break;
    const chunk = buffer.subarray(0, read);
    if (bytes === 0) hasBom = hasUtf8Bom(chunk);
    hash?.update(chunk);
    utf8.push(chunk);
    hasCarriageReturn ||= chunk.includes(13);
    scanner.push(bytes === 0 && hasBom ? chunk.subarray(3) : chunk);
    bytes += read;
    if (scanner.hasWindow() && bytes > countLimitBytes) {
      isWhole = false;
      break;
    }
    if (count % chunksBetweenPauses === 0) await pause(request.signal);
  }
  const identity = hash?.digest() ?? fingerprintOf(stat);
  return {
    scan: scanner.finish(),
    bytes: isWhole ? bytes : Number(stat.size),
    isWhole,
    isUtf8: utf8.isValid(),
    hasBom,
    hasCarriageReturn,
    identity,
  };
}

/** Lets other work and an interrupt in between. */
async function pause(signal: AbortSignal): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
  signal.throwIfAborted();
}

function lineEndsOf({ separators, crlf }: LineScan, hasCarriageReturn: boolean): TextWindow["lineEnds"] {
  if (separators === 0) return hasCarriageReturn ? "CR" : "none";
  if (crlf === 0) return "LF";
  return crlf === separators ? "CRLF" : "mixed";
}

function decodeLines(scan: LineScan, request: ReadRequest): WindowLine[] {
  return scan.lines.map(({ bytes, byteLength, continuationBytes }) => {
    const text = bytes.toString("utf8");
    return cutLine(
      text,
      byteLength > bytes.length ? byteLength - continuationBytes : undefined,
      request.maxLineCharacters,
    );
  });
}

function decodeDamagedLines(scan: LineScan, request: ReadRequest): { lines: WindowLine[]; encoding: TextEncoding } {
  const joined = Buffer.concat(
    scan.lines.flatMap(({ bytes }, index) => (index === 0 ? [bytes] : [Buffer.from("\n"), bytes])),
  );
  const { text, encoding } = decodeInvalidUtf8(joined);
  const texts = text.split("\n");
  const lines = scan.lines.map(({ bytes, byteLength }, index) =>
    cutLine(texts[index] ?? "", byteLength > bytes.length ? byteLength : undefined, request.maxLineCharacters),
  );
  return { lines, encoding };
}

/** Counts code points, so that no character is cut in two. `length` is given when `text` is only the beginning of the line. */
function cutLine(text: string, length: number | undefined, most: number): WindowLine {
  if (text.length <= most && length === undefined) return { text, cutCharacters: 0 };
  const characters = Array.from(text);
  const shown = characters.slice(0, most);
  return { text: shown.join(""), cutCharacters: Math.max(0, (length ?? characters.length) - shown.length) };
}
