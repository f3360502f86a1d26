import { readIfThere, replacePrivateFile } from "../platform/private-files.ts";
import { crc32 } from "./crc32.ts";

/**
 * A value in a file of its own that can be made again at any time. Under the first line, which holds its version and its checksum, what
 * is read is what this program wrote: anything else counts as missing.
 */
export type SealedCache<Value> = {
  read(): Value | undefined;
  /** Not being able to keep it costs time later, nothing else. */
  write(value: Value): void;
};

export function createSealedCache<Value>(path: string, version: number): SealedCache<Value> {
  return {
    read() {
      const text = readIfThere(path);
      const end = text?.indexOf("\n") ?? -1;
      if (text === undefined || end < 0) return undefined;
      const body = text.slice(end + 1);
      return text.slice(0, end) === headOf(body, version) ? (JSON.parse(body) as Value) : undefined;
    },
    write(value) {
      const body = JSON.stringify(value);
      try {
        replacePrivateFile(path, `${headOf(body, version)}\n${body}`);
      } catch {
        // see above
      }
    },
  };
}

function headOf(body: string, version: number): string {
  const bytes = Buffer.from(body);
  return `corecoder cache ${version} ${crc32(bytes, bytes.length).toString(16)}`;
}
