import { close, closeSync, constants, fsync, fsyncSync, open, openSync } from "node:fs";
import { errnoOf } from "./file-fault.ts";

/** A new name is found after a power loss only when its folder was written to the disk, too. */
export function syncFolder(path: string): void {
  try {
    const fd = openSync(path, constants.O_RDONLY);
    try {
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (!isHarmless(error)) throw error;
  }
}

/** One after the other; stops at the first that fails. */
export function syncFoldersInBackground([path, ...others]: readonly string[], done: (error?: Error) => void): void {
  if (path === undefined) {
    done();
    return;
  }
  const next = (error: Error | null) =>
    error === null || isHarmless(error) ? syncFoldersInBackground(others, done) : done(error);
  open(path, constants.O_RDONLY, (fault, fd) => {
    if (fault) next(fault);
    else fsync(fd, (error) => close(fd, () => next(error)));
  });
}

/** A deleted folder is no longer worth syncing. */
function isHarmless(error: unknown): boolean {
  return isSyncUnsupported(error) || errnoOf(error) === "ENOENT";
}

/** Some file systems have no such call: then there is nothing better to be had. */
export function isSyncUnsupported(error: unknown): boolean {
  return ["EINVAL", "ENOSYS", "ENOTSUP", "EOPNOTSUPP"].includes(errnoOf(error) ?? "");
}
