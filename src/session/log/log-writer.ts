import type { SessionEntry } from "../../contracts/session.ts";
import type { AppendFile } from "../../platform/append-file.ts";
import { copyMissing, type LogFile, openLogFile } from "./log-file.ts";
import { encodeRecord } from "./log-record.ts";

/** Thrown for an entry that can never be written: trying again is of no use. */
export class UnwritableEntry extends Error {}

export type LogWriter = {
  /** Opens the log with the first record. Throws when it cannot be written; then nothing of it stays behind. */
  write(entry: SessionEntry, time: number): void;
  /** Writes the log anew if it was deleted or replaced since. Throws when that is not possible. */
  stayInPlace(): void;
  readonly file: AppendFile | undefined;
  close(): void;
};

/** Numbers the records of `<base>.jsonl` and stamps them with a time that never goes back, whatever the clock does. */
export function createLogWriter(base: string, onNote: (text: string) => void): LogWriter {
  let file: AppendFile | undefined;
  let lastSeq = -1;
  let lastTime = 0;

  function fileInPlace(): AppendFile {
    if (file?.isInPlace()) return file;
    const opened = openLogFile(base, onNote);
    if (file !== undefined) moveFrom(file, opened);
    lastSeq = Math.max(lastSeq, opened.seq);
    lastTime = Math.max(lastTime, opened.time);
    return (file = opened.file);
  }

  function moveFrom(lost: AppendFile, opened: LogFile): void {
    try {
      copyMissing(lost, opened);
    } catch (error) {
      opened.file.close();
      throw error;
    }
    lost.close();
    onNote(`The session log ${base}.jsonl was deleted or replaced while in use; what it held was written there again.`);
  }

  return {
    get file() {
      return file;
    },
    write(entry, time) {
      const to = fileInPlace();
      const record = { seq: lastSeq + 1, time: Math.max(time, lastTime), entry };
      to.append(encode(record));
      lastSeq = record.seq;
      lastTime = record.time;
    },
    stayInPlace: () => void (file && fileInPlace()),
    close() {
      file?.close();
      file = undefined;
    },
  };
}

function encode(record: Parameters<typeof encodeRecord>[0]): Buffer {
  try {
    return encodeRecord(record);
  } catch (error) {
    throw new UnwritableEntry((error as Error).message);
  }
}
