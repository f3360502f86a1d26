import { accessSync, type BigIntStats, closeSync, constants } from "node:fs";
import { basename, dirname } from "node:path";
import { errnoOf, FileFault } from "./file-fault.ts";
import { lookAt, type OpenFile, openRegular } from "./open-file.ts";
import { overwriteInPlace } from "./overwrite-in-place.ts";
import { type PinnedFolder, pinFolder, pinOrCreateFolder } from "./pinned-folder.ts";
import { type NewContent, writeBeside } from "./write-beside.ts";

/** Decides the new bytes from the file as it is now (undefined: there is none). Answering undefined leaves everything as it is. */
export type DecideBytes = (current: OpenFile | undefined) => Buffer | undefined;

export type FileUpdate = {
  readonly outcome: "created" | "replaced" | "unchanged" /** Of the file after the update. */;
  readonly stat: BigIntStats;
};

/**
 * Reads, decides and writes in one go. Synchronous on purpose: two updates of one file can never interleave, whatever name they use.
 * The file is at every moment either the old or the new one; on any failure it is the old one and nothing else is left behind.
 * `target` must be a real path (writeTarget); links that appear in it later are refused, not followed.
 */
export function updateFile(target: string, decide: DecideBytes): FileUpdate {
  const parent = lookAt(dirname(target));
  if (parent === undefined) return createWithFolders(target, decide);
  const folder = pinFolder(dirname(target));
  try {
    return updateIn(folder, basename(target), decide);
  } finally {
    folder.close();
  }
}

function createWithFolders(target: string, decide: DecideBytes): FileUpdate {
  const bytes = decide(undefined);
  if (bytes === undefined) throw new FileFault("moved", target);
  const { folder, undo } = pinOrCreateFolder(dirname(target));
  try {
    return { outcome: "created", stat: writeBeside({ folder, name: basename(target), current: undefined, bytes }) };
  } catch (error) {
    undo();
    throw error;
  } finally {
    folder.close();
  }
}

function updateIn(folder: PinnedFolder, name: string, decide: DecideBytes): FileUpdate {
  const current = lookAt(folder.entry(name)) === undefined ? undefined : openRegular(folder.entry(name));
  try {
    if (current) refuseReadOnly(current);
    const bytes = decide(current);
    if (bytes === undefined) {
      if (current === undefined) throw new FileFault("moved", name);
      return { outcome: "unchanged", stat: current.stat };
    }
    const change = { folder, name, bytes };
    if (current === undefined) return { outcome: "created", stat: writeBeside({ ...change, current }) };
    return { outcome: "replaced", stat: replace({ ...change, current }) };
  } finally {
    if (current) closeSync(current.fd);
  }
}

/** A file without any write permission is protected on purpose, also from root; replacing it by rename would get around that. */
function refuseReadOnly({ fd, stat }: OpenFile): void {
  if ((stat.mode & 0o222n) === 0n) throw new FileFault("read-only", "no write permission");
  try {
    accessSync(`/proc/self/fd/${fd}`, constants.W_OK);
  } catch (error) {
    if (errnoOf(error) !== "ENOENT") throw new FileFault("read-only", "not writable for this user");
  }
}

function replace(change: NewContent & { readonly current: OpenFile }): BigIntStats {
  // A rename would leave the other names of a hard-linked file with the old content.
  if (change.current.stat.nlink > 1n) return overwriteInPlace({ ...change, entry: change.folder.entry(change.name) });
  try {
    return writeBeside(change);
  } catch (error) {
    if (renameIsForbidden(error)) return overwriteInPlace({ ...change, entry: change.folder.entry(change.name) });
    throw error;
  }
}

/** The file may be written but its folder not, or it is a mount point. */
function renameIsForbidden(error: unknown): boolean {
  const { code, syscall } = error as NodeJS.ErrnoException;
  const denied = code === "EACCES" || code === "EPERM";
  return (syscall === "open" && denied) || (syscall === "rename" && (denied || code === "EBUSY"));
}
