export type FileFaultCode =
  | "outside" // not in any folder that may be written
  | "folder-gone" // the folder to work in was removed
  | "not-regular" // a folder, FIFO, socket or device where a file is needed
  | "moved" // a folder or file was swapped between check and use
  | "changed" // the file changed between check and use
  | "half-written" // a file with several names could neither be written nor put back
  | "read-only"
  | "too-large";

/** Why the platform would not touch a file, beside the errors of the operating system. `subject` is the word or path it is about. */
export class FileFault extends Error {
  readonly kind = "file";
  override readonly name = "FileFault";
  constructor(
    readonly code: FileFaultCode,
    readonly subject: string,
  ) {
    super(`${code}: ${subject}`);
  }
}

/** The `ENOENT` of a system error; undefined for everything else. */
export function errnoOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === "string" && /^E[A-Z0-9]+$/.test(code) ? code : undefined;
}
