import { type AppendFile, openAppendFile, readRange } from "../../platform/append-file.ts";
import { copyPiecesBeside } from "../../platform/copy-pieces.ts";
import { scanLog } from "./read-log.ts";

/** `<base>.jsonl`, open behind its last record. */
export type LogFile = {
  readonly file: AppendFile;
  /** Of the last record; -1 and 0 when there is none. */
  readonly seq: number;
  readonly time: number;
};

/** Makes the log when it is missing. A torn end, left by a write that was cut short, is first moved to `<base>.damaged-<n>`. */
export function openLogFile(base: string, onNote: (text: string) => void): LogFile {
  const file = openAppendFile(`${base}.jsonl`);
  try {
    const { seq, time, torn } = readTail(file);
    if (torn) setAside(torn);
    return { file, seq, time };
  } catch (error) {
    file.close();
    throw error;
  }

  function setAside({ offset, bytes }: Place): void {
    try {
      const piece = { title: `${bytes} bytes from offset ${offset} (torn-tail)`, offset, bytes };
      const path = copyPiecesBeside(file.fd, [piece], `${base}.damaged-`);
      file.cut(offset);
      onNote(`The session log ${base}.jsonl ended in the middle of a record; those ${bytes} bytes are now in ${path}.`);
    } catch {
      // it stays where it is: the next record begins a line of its own
    }
  }
}

type Place = { readonly offset: number; readonly bytes: number };

const firstLookBytes = 64 * 1024;

/** Looks at the end of a log only: what that costs does not grow with the log. */
function readTail({ fd, size, lineStart }: AppendFile) {
  const end = size();
  if (end === 0) return { seq: -1, time: 0, torn: undefined };
  for (let look = firstLookBytes; ; look *= 16) {
    const from = lineStart(Math.max(0, end - look));
    let seq = -1;
    let time = 0;
    let torn: Place | undefined;
    for (const found of scanLog(fd, from)) {
      if ("entry" in found) ({ seq, time } = found);
      else if (found.type === "damage" && found.offset + found.bytes === end) torn = found;
    }
    if (seq >= 0 || from === 0) return { seq, time, torn };
  }
}

/** Brings a log that lost its name, but is still open, to the records that another file of this name does not have. */
export function copyMissing(from: AppendFile, to: LogFile): void {
  let isMissing = to.seq < 0;
  for (const found of scanLog(from.fd)) {
    if ("entry" in found) isMissing = found.seq > to.seq;
    else if (found.type === "damage") continue;
    if (isMissing)
      to.file.append(Buffer.concat([readRange(from.fd, found.offset, found.offset + found.bytes), Buffer.from("\n")]));
  }
}
