import type { SessionEntry } from "../../contracts/session.ts";
import { crc32 } from "./crc32.ts";

/**
 * One record is one line of JSON: `{"seq":0,"time":…,<the entry>,"sum":"<length><crc>"}`. The sum is the last field and always as long:
 * eight hex digits for the bytes before it and eight for their CRC-32. So a line is verified without being parsed, and a record
 * is found by its end when what stands before it is damaged.
 */
const sumKey = ',"sum":"';
const digits = 8;
const sumBytes = sumKey.length + 2 * digits + 2;
const emptySum = `${sumKey}${"0".repeat(2 * digits)}"}`;

/** No reader holds more at once; a longer record is not written. */
export const maxRecordBytes = 64 * 1024 * 1024;

export type RecordParts = { readonly seq: number; readonly time: number; readonly entry: SessionEntry };

/** The line with its end. Throws on what is no JSON, and on a record that is too long to be read back. */
export function encodeRecord({ seq, time, entry }: RecordParts): Buffer {
  const json = JSON.stringify({ seq, time, ...entry }, entry.type === "event" ? describeErrors : undefined);
  const line = Buffer.from(`${hideKey(json.slice(0, -1))}${emptySum}\n`);
  const end = line.length - 1;
  const start = end - sumBytes;
  if (end > maxRecordBytes) throw new RangeError(`an entry of ${end} bytes is too long`);
  line.write(hex(start) + hex(crc32(line, start)), start + sumKey.length, "latin1");
  return line;
}

/** An Error has no enumerable fields; its message is what a reader of the log needs. */
function describeErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

/** A field of that name deeper inside is spelled differently, so that the sum's key stands at the end of records and nowhere else. */
function hideKey(body: string): string {
  return body.includes(sumKey) ? body.replaceAll(sumKey, ',"\\u0073um":"') : body;
}

function hex(value: number): string {
  return value.toString(16).padStart(digits, "0");
}

export type SumState = "right" | "wrong" | "none";

/** Of a line without its end. "wrong": there is a sum, and the line is not what it says. */
export function checkSum(line: Buffer): SumState {
  const start = line.length - sumBytes;
  if (start < 0 || line.indexOf(sumKey, start, "latin1") !== start) return "none";
  return sumMatches(line, start) ? "right" : "wrong";
}

/** The sum of a record whose sum is right: two records that share it are the same. */
export function sumOf(record: Buffer): string {
  return record.toString("latin1", record.length - sumBytes + sumKey.length, record.length - 2);
}

export type Span = { readonly start: number; readonly end: number };

/** The records in a line that is not one: something stands between, before or after them, or they lost the line end between them. */
export function findRecords(line: Buffer): Span[] {
  const found: Span[] = [];
  let free = 0;
  // garbage that is full of sums must not cost more than a few readings of it
  let budgetBytes = 8 * line.length;
  for (let at = line.indexOf(sumKey, 0, "latin1"); at >= 0; at = line.indexOf(sumKey, at + 1, "latin1")) {
    const start = at - readHex(line, at + sumKey.length);
    const end = at + sumBytes;
    if (!(start >= free && end <= line.length && line[start] === openBrace)) continue;
    budgetBytes -= at - start;
    if (budgetBytes < 0) break;
    if (!sumMatches(line.subarray(start, end), at - start)) continue;
    found.push({ start, end });
    free = end;
  }
  return found;
}

function sumMatches(record: Buffer, start: number): boolean {
  const at = start + sumKey.length;
  return (
    readHex(record, at) === start &&
    record[record.length - 2] === quote &&
    record[record.length - 1] === closeBrace &&
    readHex(record, at + digits) === crc32(record, start)
  );
}

const quote = 0x22;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** NaN unless there are eight lower-case digits: a sum is spelled in one way only. */
function readHex(bytes: Buffer, start: number): number {
  let value = 0;
  for (let at = start; at < start + digits; at++) {
    const code = bytes[at] ?? 0;
    const digit = code >= 0x30 && code <= 0x39 ? code - 0x30 : code >= 0x61 && code <= 0x66 ? code - 0x57 : Number.NaN;
    value = value * 16 + digit;
  }
  return value;
}
