import { exitCode, UserError } from "../../contracts/errors.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { type ScannedLine, scanLines } from "../../platform/scan-lines.ts";
import { type EntryState, isObject, stateOfEntry } from "./log-checks.ts";
import { checkSum, findRecords, maxRecordBytes, sumOf } from "./log-record.ts";

/** `bytes` are those of the record itself, without its line end. */
export type LogRecord = {
  readonly entry: SessionEntry;
  readonly seq: number;
  readonly time: number;
  readonly offset: number;
  readonly bytes: number;
};

export type LogDamage = {
  readonly type: "damage";
  readonly offset: number;
  readonly bytes: number;
  readonly kind: "torn-tail" | "checksum" | "not-an-entry" | "too-long";
};

/** Its bytes are right, but it is not for this version: an unknown kind or a repetition says nothing, a wrong one is not believed. */
export type ForeignRecord = {
  readonly type: "foreign";
  readonly offset: number;
  readonly bytes: number;
  readonly state: "unknown" | "repeated" | "wrong";
};

/**
 * The records of a log, one at a time, and what is damaged between them. Throws when the file is missing or cannot be read, and
 * UserError 42 when a later version of the program wrote it.
 */
export function* readLog(path: string): Generator<LogRecord | LogDamage> {
  for (const found of scanLog(path)) {
    if ("entry" in found || found.type === "damage") yield found;
    else if (found.state === "wrong")
      yield { type: "damage", offset: found.offset, bytes: found.bytes, kind: "not-an-entry" };
  }
}

/**
 * Like readLog, of a path or an open file, and with the records that it leaves out: only line ends and blank lines are missing. Begins at
 * the line that starts at `from`.
 */
export function* scanLog(file: string | number, from = 0): Generator<LogRecord | ForeignRecord | LogDamage> {
  const reader = createRecordReader(file);
  for (const line of scanLines(file, { maxLineBytes: maxRecordBytes, from })) {
    const { bytes, offset } = line;
    if (bytes === undefined) yield { type: "damage", offset, bytes: line.length, kind: "too-long" };
    else if (!isBlank(bytes)) {
      const whole = reader.read(bytes, offset);
      if (whole === undefined) yield* piecesOf(line, bytes, reader);
      else yield whole;
    }
  }
}

/** What is left of a line that is no record: records that lost their line end, or had something put before or after them. */
function* piecesOf({ offset, isEnded }: ScannedLine, bytes: Buffer, reader: RecordReader) {
  const records = findRecords(bytes);
  const kind = reader.needsSums || records.length > 0 || checkSum(bytes) === "wrong" ? "checksum" : "not-an-entry";
  let at = 0;
  for (const { start, end } of records) {
    yield* damageIn(at, start, kind);
    const found = reader.read(bytes.subarray(start, end), offset + start);
    if (found) yield found;
    at = end;
  }
  yield* damageIn(at, bytes.length, isEnded ? kind : "torn-tail");

  function* damageIn(start: number, end: number, kind: LogDamage["kind"]): Generator<LogDamage> {
    if (isBlank(bytes.subarray(start, end))) return;
    yield { type: "damage", offset: offset + start, bytes: end - start, kind };
  }
}

type RecordReader = {
  readonly needsSums: boolean;
  /** Undefined: these bytes are no record. */
  read(bytes: Buffer, offset: number): LogRecord | ForeignRecord | undefined;
};

function createRecordReader(file: string | number): RecordReader {
  let sums: "needed" | "absent" | undefined;
  let lastSeq = -1;
  let lastTime = 0;
  let lastSum = "";

  /** Logs of version 1 have no sums. Once there was one, a record without it has lost it. */
  function mayLackSum(fields: unknown): boolean {
    sums ??= isFirstHeader(fields) || !beginsWithSums(file) ? "absent" : "needed";
    return sums === "absent";
  }

  return {
    get needsSums() {
      return sums === "needed";
    },
    read(bytes, offset) {
      const sumState = checkSum(bytes);
      const isSummed = sumState === "right";
      if (sumState === "wrong" || (!isSummed && sums === "needed")) return undefined;
      const fields = parse(bytes);
      if (isSummed) sums = "needed";
      else if (fields === undefined || !mayLackSum(fields)) return undefined;
      const state = stateOfEntry(fields);
      if (!isObject(fields) || state !== "entry" || (!isSummed && fields.version === 2)) {
        refuseLaterVersion(fields, file);
        const isForeign = isSummed || state === "unknown";
        return isForeign ? { type: "foreign", offset, bytes: bytes.length, state: asForeign(state) } : undefined;
      }
      const { seq, time, sum: _sum, ...entry } = fields;
      const sum = isSummed ? sumOf(bytes) : "";
      if (isSummed && sum === lastSum && seq === lastSeq)
        return { type: "foreign", offset, bytes: bytes.length, state: "repeated" };
      lastSeq = isCount(seq) ? seq : lastSeq + 1;
      lastTime = isTime(time) ? time : lastTime;
      lastSum = sum;
      return { entry: entry as SessionEntry, seq: lastSeq, time: lastTime, offset, bytes: bytes.length };
    },
  };
}

function isFirstHeader(fields: unknown): boolean {
  return isObject(fields) && fields.type === "session" && fields.version === 1;
}

const lookedAtLines = 20;

/** For a log that begins with something else than a header: most of its first lines tell of which version it is. */
function beginsWithSums(file: string | number): boolean {
  let [lines, summed, plain] = [0, 0, 0];
  for (const { bytes } of scanLines(file, { maxLineBytes: maxRecordBytes })) {
    if (bytes && checkSum(bytes) === "right") summed++;
    else if (bytes && isObject(parse(bytes))) plain++;
    if (++lines === lookedAtLines) break;
  }
  return summed > 0 && summed >= plain;
}

function parse(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString());
  } catch {
    return undefined;
  }
}

/** What a Date can hold. */
const latestTime = 8.64e15;
const isTime = (value: unknown): value is number => typeof value === "number" && Math.abs(value) <= latestTime;
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const asForeign = (state: EntryState) => (state === "unknown" ? state : "wrong");

function refuseLaterVersion(fields: unknown, file: string | number): void {
  if (!isObject(fields) || fields.type !== "session" || !isCount(fields.version) || fields.version <= 2) return;
  const { program } = fields;
  const writer = typeof program === "string" && /^[\w .+-]{1,40}$/.test(program) ? ` (${program})` : "";
  const log = typeof file === "string" ? `The session log ${file}` : "This session's log";
  throw new UserError(
    exitCode.usage,
    `${log} was written by a later version of corecoder${writer}, in format ${fields.version}; this one reads formats 1 and 2. Update corecoder to open it.`,
  );
}

function isBlank(bytes: Buffer): boolean {
  for (const byte of bytes) if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  return true;
}
