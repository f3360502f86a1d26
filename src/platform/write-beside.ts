import {
  type BigIntStats,
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  renameSync,
  unlinkSync,
} from "node:fs";
import { errnoOf, FileFault } from "./file-fault.ts";
import { isSameState, lookAt, type OpenFile, writeAt } from "./open-file.ts";
import type { PinnedFolder } from "./pinned-folder.ts";

export type NewContent = {
  readonly folder: PinnedFolder;
  readonly name: string;
  /** What is there now; undefined when nothing is. */
  readonly current: Pick<OpenFile, "stat"> | undefined;
  readonly bytes: Buffer;
  /** Left out: those of the current file, else what the umask says. */
  readonly permissions?: number;
  /** "soon" leaves it to the operating system when it is on the disk: for contents that are also kept elsewhere. */
  readonly durable?: "now" | "soon";
};

/** Writes a temporary file in the same folder and puts it in place. Throws "changed" when the file there is not `current` any more. */
export function writeBeside({ folder, name, current, bytes, permissions, durable }: NewContent): BigIntStats {
  const { O_WRONLY, O_CREAT, O_EXCL, O_NOFOLLOW } = constants;
  const temporary = folder.entry(temporaryName());
  const isGiven = current !== undefined || permissions !== undefined;
  const fd = openSync(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, isGiven ? 0o600 : 0o666);
  try {
    try {
      writeAt(fd, bytes, 0);
      if (current) keepOwnerAndMode(fd, current.stat, permissions);
      else if (permissions !== undefined) fchmodSync(fd, permissions);
      if (durable !== "soon") fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    folder.verify();
    if (current) renameOver(temporary, folder.entry(name), current.stat);
    else placeNew(temporary, folder.entry(name));
  } catch (error) {
    removeTemporary(temporary);
    throw error;
  }
  if (durable !== "soon") folder.sync();
  const stat = lookAt(folder.entry(name));
  if (stat === undefined) throw new FileFault("moved", name);
  return stat;
}

/** Throws "changed" unless what stands at the path is still what was found there. */
export function renameOver(temporary: string, path: string, expected: BigIntStats): void {
  const now = lookAt(path);
  if (now === undefined || !isSameState(now, expected)) throw new FileFault("changed", path);
  renameSync(temporary, path);
}

/** A link, unlike a rename, never replaces a file that somebody created in the meantime. */
function placeNew(temporary: string, path: string): void {
  try {
    linkSync(temporary, path);
  } catch (error) {
    if (errnoOf(error) === "EEXIST" || lookAt(path) !== undefined) throw new FileFault("changed", path);
    renameSync(temporary, path);
    return;
  }
  removeTemporary(temporary);
}

function keepOwnerAndMode(fd: number, { uid, gid, mode }: BigIntStats, given: number | undefined): void {
  let permissions = given ?? Number(mode & 0o7777n);
  try {
    const own = fstatSync(fd, { bigint: true });
    if (own.uid !== uid || own.gid !== gid) fchownSync(fd, Number(uid), Number(gid));
  } catch {
    // Only root may give files away. A set-user-id bit must not come to mean another user.
    permissions &= 0o1777;
  }
  fchmodSync(fd, permissions);
}

/** Nobody else's. */
export function temporaryName(): string {
  return `.corecoder-${process.pid}-${Math.random().toString(36).slice(2)}.tmp`;
}

export function removeTemporary(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // Already in place, or the folder cannot be changed at all: the error that led here says more.
  }
}
