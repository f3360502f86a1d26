import {
  type BigIntStats,
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  mkdirSync,
  openSync,
  readlinkSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { basename, dirname } from "node:path";
import { errnoOf, FileFault } from "./file-fault.ts";
import { isNoEntry } from "./file-row.ts";
import { namesIn } from "./list-folder.ts";
import { isSameState, lookAt, natureOf, openRegular, readWhole } from "./open-file.ts";
import { overwriteInPlace } from "./overwrite-in-place.ts";
import { type PinnedFolder, pinFolder } from "./pinned-folder.ts";
import { removeTemporary, renameOver, temporaryName, writeBeside } from "./write-beside.ts";

/**
 * Entries put in place and taken away, each in one step: it is the old or the new one at every moment. All paths are real; a link that
 * appeared in one since is refused, never followed. What was found with `entryAt` must still be there, else "changed" is thrown.
 */
export type FoundEntry =
  | { readonly type: "file"; readonly stat: BigIntStats; readonly bytes: Buffer }
  | { readonly type: "link"; readonly stat: BigIntStats; readonly target: string }
  | { readonly type: "folder"; readonly stat: BigIntStats }
  | { readonly type: "other"; readonly stat: BigIntStats };

/** Undefined when there is nothing, or no way to it that is free of links. A file over the limit is "other". */
export function entryAt(path: string, limitBytes: number): FoundEntry | undefined {
  let folder: PinnedFolder;
  try {
    folder = pinFolder(dirname(path));
  } catch (error) {
    if (error instanceof FileFault || isNoEntry(error)) return undefined;
    throw error;
  }
  try {
    return hasExactly(basename(path), folder) ? entryIn(folder.entry(basename(path)), limitBytes) : undefined;
  } finally {
    folder.close();
  }
}

const caseMayNotCount = process.platform === "darwin" || process.platform === "win32";

/** Where case does not count, `a` can be looked at although only `A` is there. */
function hasExactly(name: string, folder: PinnedFolder): boolean {
  return !caseMayNotCount || namesIn(folder.path).includes(name);
}

function entryIn(entry: string, limitBytes: number): FoundEntry | undefined {
  const stat = lookAt(entry);
  if (stat === undefined) return undefined;
  const nature = natureOf(stat);
  if (nature === "folder") return { type: "folder", stat };
  if (nature === "link") return { type: "link", stat, target: readlinkSync(entry) };
  if (nature !== "file" || stat.size > limitBytes) return { type: "other", stat };
  const file = openRegular(entry);
  try {
    return { type: "file", stat: file.stat, bytes: readWhole(file, limitBytes) };
  } finally {
    closeSync(file.fd);
  }
}

function inFolderOf<T>(path: string, act: (entry: string, folder: PinnedFolder) => T): T {
  const folder = pinFolder(dirname(path));
  try {
    return act(folder.entry(basename(path)), folder);
  } finally {
    folder.close();
  }
}

export type FilePlacement = {
  readonly bytes: Buffer;
  readonly permissions: number;
  readonly current: BigIntStats | undefined;
};

export function placeFile(path: string, { bytes, permissions, current }: FilePlacement): void {
  if (current?.isFile() && current.nlink > 1n) {
    writeThrough(path, { bytes, permissions, current });
    return;
  }
  inFolderOf(path, (_entry, folder) => {
    const stat = current && { stat: current };
    writeBeside({ folder, name: basename(path), current: stat, bytes, permissions, durable: "soon" });
  });
}

/** A rename would leave the other names of a hard-linked file with the old content. */
function writeThrough(path: string, { bytes, permissions, current }: FilePlacement): void {
  inFolderOf(path, (entry) => {
    const file = openRegular(entry);
    try {
      if (current && !isSameState(file.stat, current)) throw new FileFault("changed", path);
      overwriteInPlace({ entry, current: file, bytes });
      fchmodSync(file.fd, permissions);
    } finally {
      closeSync(file.fd);
    }
  });
}

export function placeLink(path: string, target: string, current: BigIntStats | undefined): void {
  inFolderOf(path, (entry, folder) => {
    if (current === undefined) {
      refusingExisting(path, () => symlinkSync(target, entry));
      return;
    }
    const temporary = folder.entry(temporaryName());
    try {
      symlinkSync(target, temporary);
      renameOver(temporary, entry, current);
    } catch (error) {
      removeTemporary(temporary);
      throw error;
    }
  });
}

function refusingExisting(path: string, make: () => void): void {
  try {
    make();
  } catch (error) {
    throw errnoOf(error) === "EEXIST" ? new FileFault("changed", path) : error;
  }
}

/** A file or a link. */
export function removeFile(path: string, current: BigIntStats): void {
  inFolderOf(path, (entry) => {
    const now = lookAt(entry);
    if (now === undefined || !isSameState(now, current)) throw new FileFault("changed", path);
    unlinkSync(entry);
  });
}

/** "kept" when something is in it. */
export function removeFolder(path: string): "removed" | "kept" {
  return inFolderOf(path, (entry) => {
    try {
      rmdirSync(entry);
      return "removed";
    } catch (error) {
      if (errnoOf(error) === "ENOTEMPTY" || errnoOf(error) === "EEXIST") return "kept";
      throw error;
    }
  });
}

export function makeFolder(path: string, permissions: number): void {
  inFolderOf(path, (entry) => {
    refusingExisting(path, () => mkdirSync(entry));
    chmodSync(entry, permissions);
  });
}

export function setPermissions(path: string, permissions: number): void {
  inFolderOf(path, (entry) => {
    const fd = openToChange(entry);
    if (fd === undefined) {
      if (lookAt(entry)?.isSymbolicLink()) throw new FileFault("moved", path);
      chmodSync(entry, permissions);
      return;
    }
    try {
      fchmodSync(fd, permissions);
    } finally {
      closeSync(fd);
    }
  });
}

/** Undefined for what its owner may not even open. */
function openToChange(entry: string): number | undefined {
  try {
    return openSync(entry, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    if (errnoOf(error) === "EACCES") return undefined;
    throw error;
  }
}
