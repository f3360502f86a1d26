import { close, closeSync, fdatasync, fdatasyncSync, open, openSync, readFileSync, renameSync } from "node:fs";
import { errnoOf } from "./file-fault.ts";
import { openRegular, readWhole } from "./open-file.ts";
import { replacePrivateFile } from "./private-files.ts";

/** The bytes of a file that should have this many; "missing" when there is none, "damaged" when it is another. */
export function readKeptFile(path: string, bytes: number): Buffer | "missing" | "damaged" {
  try {
    const file = openRegular(path);
    try {
      const content = readWhole(file, bytes);
      return content.length === bytes ? content : "damaged";
    } finally {
      closeSync(file.fd);
    }
  } catch (error) {
    const code = errnoOf(error);
    return code === "ENOENT" || code === "ENOTDIR" ? "missing" : "damaged";
  }
}

/** All of a file's bytes; throws when it cannot be read. */
export function readKeptBytes(path: string): Buffer {
  return readFileSync(path);
}

/** Takes the place of what may be there already. Throws when it cannot be moved. */
export function moveKeptFile(from: string, to: string, durability: "background" | "strict"): void {
  renameSync(from, to);
  sync(to, durability);
}

/** Whole when this returns; on the disk then, too, or soon after. Throws when it cannot be written. */
export function writeKeptFile(path: string, content: Uint8Array, durability: "background" | "strict"): void {
  replacePrivateFile(path, content);
  sync(path, durability);
}

function sync(path: string, durability: "background" | "strict"): void {
  if (durability === "background") {
    syncInBackground(path);
    return;
  }
  const fd = openSync(path, "r");
  try {
    fdatasyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

/** Whether it worked shows when the file is read. */
function syncInBackground(path: string): void {
  open(path, "r", (fault, fd) => {
    if (fault === null) fdatasync(fd, () => close(fd));
  });
}
