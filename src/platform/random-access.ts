import { closeSync, readSync } from "node:fs";
import { openRegular } from "./open-file.ts";

/** A regular file, open for reading anywhere in it. */
export type RandomAccess = {
  readonly size: number;
  /** Fewer bytes than asked for when the file ends before. */
  read(offset: number, length: number): Buffer;
  close(): void;
};

/** Throws as openRegular does. */
export function openRandomAccess(path: string): RandomAccess {
  const { fd, stat } = openRegular(path);
  const size = Number(stat.size);
  return {
    size,
    read(offset, length) {
      const bytes = Buffer.allocUnsafe(Math.max(0, Math.min(length, size - offset)));
      let done = 0;
      for (let count = 1; done < bytes.length && count > 0; done += count)
        count = readSync(fd, bytes, done, bytes.length - done, offset + done);
      return bytes.subarray(0, done);
    },
    close: () => closeSync(fd),
  };
}
