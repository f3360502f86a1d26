import {
  closeSync,
  constants,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readlinkSync,
  realpathSync,
  rmdirSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { FileFault } from "./file-fault.ts";

/**
 * A folder held open, so that what is done in it happens there even if the path to it is swapped for a link meanwhile.
 * On Linux entries are addressed through the descriptor; elsewhere by path, with the real path checked again.
 */
export type PinnedFolder = {
  readonly path: string;
  /** A path for system calls that names `name` inside this very folder. */
  entry(name: string): string;
  /** Throws "moved" unless the folder still lies where it was approved. */
  verify(): void;
  /** Makes a rename survive a power cut, where the file system can. */
  sync(): void;
  close(): void;
};

/** `path` must be real (no links); `through` names the same folder inside an already pinned parent. */
export function pinFolder(path: string, through = path): PinnedFolder {
  const fd = openSync(through, constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW);
  const handle = `/proc/self/fd/${fd}`;
  const held = process.platform === "linux" && existsSync(handle);
  const folder: PinnedFolder = {
    path,
    entry: (name) => (held ? `${handle}/${name}` : join(path, name)),
    verify() {
      const now = held ? readlinkSync(handle) : realpathSync.native(path);
      if (now !== path) throw new FileFault("moved", path);
    },
    sync() {
      try {
        fsyncSync(fd);
      } catch {
        // Some file systems cannot sync a folder; the rename itself is done.
      }
    },
    close: () => closeSync(fd),
  };
  try {
    folder.verify();
  } catch (error) {
    folder.close();
    throw error;
  }
  return folder;
}

export type GrownFolder = {
  readonly folder: PinnedFolder /** Removes the folders made on the way, if they are still empty. */;
  undo(): void;
};

/** Pins a folder, creating what is missing one component at a time, each inside the pinned one before. */
export function pinOrCreateFolder(path: string): GrownFolder {
  const missing: string[] = [];
  let existing = path;
  while (lstatSync(existing, { throwIfNoEntry: false }) === undefined) {
    missing.unshift(basename(existing));
    existing = dirname(existing);
  }
  let folder = pinFolder(existing);
  const made: string[] = [];
  const undo = () => {
    for (const created of made.reverse()) removeIfEmpty(created);
  };
  try {
    for (const name of missing) {
      const next = join(folder.path, name);
      if (makeFolder(folder.entry(name))) made.push(next);
      const child = pinFolder(next, folder.entry(name));
      folder.close();
      folder = child;
    }
  } catch (error) {
    folder.close();
    undo();
    throw error;
  }
  return { folder, undo };
}

/** False when somebody else made it first. */
function makeFolder(path: string): boolean {
  try {
    mkdirSync(path);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") return false;
    throw error;
  }
}

function removeIfEmpty(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Not empty or already gone: somebody uses it, or nothing is left to do.
  }
}
