import { closeSync } from "node:fs";
import { openRegular, readWhole } from "./open-file.ts";
import { realOrSame } from "./paths.ts";

/** The content of a regular file; undefined when there is none, it cannot be read or it is larger than that. */
export function readSmallFile(path: string, limitBytes: number): Buffer | undefined {
  try {
    const file = openRegular(realOrSame(path));
    try {
      return readWhole(file, limitBytes);
    } finally {
      closeSync(file.fd);
    }
  } catch {
    return undefined;
  }
}
