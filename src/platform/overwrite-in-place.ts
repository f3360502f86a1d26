import { type BigIntStats, closeSync, constants, fstatSync, fsyncSync, ftruncateSync, openSync } from "node:fs";
import { hashLimitBytes } from "./content-hash.ts";
import { FileFault } from "./file-fault.ts";
import { isSameState, type OpenFile, readWhole, writeAt } from "./open-file.ts";

/** `entry` names the file `current` was opened from. */
export type InPlaceChange = { readonly entry: string; readonly current: OpenFile; readonly bytes: Buffer };

/**
 * For hard links. What has to grow is written first, so that a full disk is met while the old content is whole;
 * any later failure puts the old bytes back.
 */
export function overwriteInPlace({ entry, current, bytes }: InPlaceChange): BigIntStats {
  const fd = openSync(entry, constants.O_WRONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    if (!isSameState(fstatSync(fd, { bigint: true }), current.stat)) throw new FileFault("changed", entry);
    const oldSize = Number(current.stat.size);
    const old = oldSize > hashLimitBytes ? undefined : readWhole(current, hashLimitBytes);
    const shared = Math.min(oldSize, bytes.length);
    try {
      writeAt(fd, bytes.subarray(shared), shared);
    } catch (error) {
      ftruncateSync(fd, oldSize);
      throw error;
    }
    try {
      writeAt(fd, bytes.subarray(0, shared), 0);
      ftruncateSync(fd, bytes.length);
      fsyncSync(fd);
    } catch (error) {
      putBack(fd, old, entry);
      throw error;
    }
    return fstatSync(fd, { bigint: true });
  } finally {
    closeSync(fd);
  }
}

function putBack(fd: number, old: Buffer | undefined, entry: string): void {
  if (old === undefined) throw new FileFault("half-written", entry);
  try {
    writeAt(fd, old, 0);
    ftruncateSync(fd, old.length);
  } catch {
    throw new FileFault("half-written", entry);
  }
}
