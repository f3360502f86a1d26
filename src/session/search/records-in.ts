import type { SessionEntry } from "../../contracts/session.ts";
import { stateOfEntry } from "../log/log-checks.ts";
import { checkSum, findRecords } from "../log/log-record.ts";

export type FoundRecord = { readonly entry: SessionEntry; readonly time: number };

const newline = 10;

/** The records in a piece of a log that begins and ends with one. What is damaged is left out. */
export function* recordsIn(bytes: Buffer): Generator<FoundRecord> {
  for (let at = 0; at < bytes.length; ) {
    const stop = bytes.indexOf(newline, at);
    const line = bytes.subarray(at, stop < 0 ? bytes.length : stop);
    at += line.length + 1;
    const sum = checkSum(line);
    const pieces = sum === "wrong" ? findRecords(line).map(({ start, end }) => line.subarray(start, end)) : [line];
    for (const piece of pieces) {
      const record = parse(piece);
      if (record) yield record;
    }
  }
}

function parse(bytes: Buffer): FoundRecord | undefined {
  try {
    const fields = JSON.parse(bytes.toString());
    if (stateOfEntry(fields) !== "entry") return undefined;
    return { entry: fields as SessionEntry, time: typeof fields.time === "number" ? fields.time : 0 };
  } catch {
    return undefined;
  }
}
