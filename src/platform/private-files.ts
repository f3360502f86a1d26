import {
  chmodSync,
  closeSync,
  fdatasyncSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** The state folder: folders 0700, files 0600, whatever the umask says. */

export function makePrivateFolder(path: string): void {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) chmodSync(path, 0o700);
}

export type AppendHandle = { write(text: string): void; sync(): void; close(): void };

/** Opened once, appended many times; each write is complete when it returns. */
export function appendHandle(path: string): AppendHandle {
  const fd = openSync(path, "a", 0o600);
  return {
    write(text) {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    },
    sync: () => fdatasyncSync(fd),
    close: () => closeSync(fd),
  };
}

/** The text, or undefined when there is no such file or it cannot be read. */
export function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The text, or undefined when there is no such file. Throws when there is one that cannot be read. */
export function readUnlessMissing(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw error;
  }
}

/** Old or new content, never half of it. */
export function replacePrivateFile(path: string, text: string): void {
  makePrivateFolder(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  writeFileSync(temporary, text, { mode: 0o600 });
  renameSync(temporary, path);
}
