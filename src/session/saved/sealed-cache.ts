import { readIfThere, replacePrivateFile } from "../../platform/private-files.ts";
import { checksum } from "../log/checksum.ts";

/**
 * A text in a file of its own that can be made again at any time. Under the first line, which holds its version and its checksum, what is
 * read is what this program wrote: anything else counts as missing.
 */
export type SealedCache = {
  read(): string | undefined;
  /** Not being able to keep it costs time later, nothing else. */
  write(body: string): void;
};

export function createSealedCache(path: string, version: number): SealedCache {
  return {
    read() {
      const text = readIfThere(path);
      const end = text?.indexOf("\n") ?? -1;
      if (text === undefined || end < 0) return undefined;
      const body = text.slice(end + 1);
      return text.slice(0, end) === headOf(body, version) ? body : undefined;
    },
    write(body) {
      try {
        replacePrivateFile(path, `${headOf(body, version)}\n${body}`);
      } catch {
        // see above
      }
    },
  };
}

function headOf(body: string, version: number): string {
  return `corecoder cache ${version} ${checksum(Buffer.from(body)).toString(16)}`;
}
