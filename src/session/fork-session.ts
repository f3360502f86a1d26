import { dirname } from "node:path";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { SessionEntry } from "../contracts/session.ts";
import { copyFiles } from "../platform/copy-folder.ts";
import { replacePrivateFile } from "../platform/private-files.ts";
import { encodeRecord } from "./log/log-record.ts";
import { readLog } from "./log/read-log.ts";

export type ForkOptions = {
  /** The log that is copied; it is only read. */
  readonly path: string;
  readonly id: string;
  /** The copy goes on after this message; left out: where the log ends. `null`: from the very beginning. */
  readonly after?: string | null;
};

/** A copy of a session under a new id, up to a message. Records keep their times, so that the copy is resumed as the original would be. */
export function forkSession({ path, id, after }: ForkOptions): string {
  const folder = dirname(path);
  const forked = `${folder}/${id}.jsonl`;
  const original = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  const lines: Buffer[] = [];
  const forkedAt = Date.now();
  const take = (entry: SessionEntry, time: number) => lines.push(encodeRecord({ seq: lines.length, time, entry }));
  for (const found of readLog(path)) {
    if (!("entry" in found)) continue;
    const { entry, time } = found;
    // the copy's own time tells what it took over from what it did itself
    if (entry.type === "session") take({ ...entry, version: 2, id, forkedFrom: original }, forkedAt);
    else if (entry.type !== "name") take(entry, time);
  }
  if (after !== undefined)
    take({ type: "undo", what: "conversation", files: [], ...(after === null ? {} : { after }) }, forkedAt);
  try {
    copyFiles(`${folder}/${original}`, `${folder}/${id}`);
    replacePrivateFile(forked, Buffer.concat(lines));
  } catch (error) {
    throw new UserError(
      exitCode.failed,
      `The copy of session ${original} could not be written: ${messageOf(error)}. The session itself is as it was.`,
    );
  }
  return forked;
}
