import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { dirname } from "node:path";

/** The state folder: folders 0700, files 0600, whatever the umask says. */

/** Answers with the outermost folder that had to be made. */
export function makePrivateFolder(path: string): string | undefined {
  const made = mkdirSync(path, { recursive: true, mode: 0o700 });
  if (made !== undefined) chmodSync(path, 0o700);
  return made;
}

export type AppendHandle = { write(text: string): void; close(): void };

/** Opened once, appended many times; each write is complete when it returns. */
export function appendHandle(path: string): AppendHandle {
  const fd = openSync(path, "a", 0o600);
  return {
    write(text) {
      const bytes = Buffer.from(text);
      for (let done = 0; done < bytes.length; ) done += writeSync(fd, bytes, done);
    },
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
export function replacePrivateFile(path: string, text: string | Uint8Array): void {
  makePrivateFolder(dirname(path));
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600 });
    renameSync(temporary, path);
  } catch (error) {
    removeIfThere(temporary);
    throw error;
  }
}

/** Nothing happens when there is no such file, or it cannot be removed. */
export function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // gone already, or not ours to remove
  }
}
