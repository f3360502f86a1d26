import { closeSync, openSync, writeSync } from "node:fs";

/** A file that takes what does not fit in memory, up to a limit. It never throws: what went wrong is said in `where`. */
export type SpillFile = {
  /** True once more was offered than is ever stored. */
  readonly full: boolean;
  write(text: string): void;
  close(): void;
  /** The file, when there is one that is whole so far. */
  readonly path: string | undefined;
  /** The file is somewhere else now. */
  movedTo(path: string): void;
  /** `in PATH`, or why there is no file. */
  where(): string;
};

const limitBytes = 32 * 1024 * 1024;

/** Never an existing file: two agents may use the same names in one folder. */
function openNew(path: string, ending: string): { fd: number; path: string } {
  for (let attempt = 1; ; attempt++) {
    const candidate = `${path}${attempt === 1 ? "" : `-${attempt}`}${ending}`;
    try {
      return { fd: openSync(candidate, "wx", 0o600), path: candidate };
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
    }
  }
}

/** `path` has no ending yet; undefined when there is no folder to keep files in. Nothing is created before the first write. */
export function createSpillFile(path: () => string | undefined): SpillFile {
  let file: { fd: number; path: string } | undefined;
  let trouble: string | undefined;
  let offered = 0;

  function store(bytes: Buffer): void {
    try {
      if (file === undefined) {
        const wanted = path();
        if (wanted === undefined) trouble = "it could not be saved: there is no state folder";
        else file = openNew(wanted, ".txt");
      }
      if (file) for (let done = 0; done < bytes.length; ) done += writeSync(file.fd, bytes, done);
    } catch (error) {
      trouble = `saving it failed: ${(error as Error).message}`;
    }
  }

  return {
    get full() {
      return offered >= limitBytes;
    },
    write(text) {
      const bytes = Buffer.from(text).subarray(0, Math.max(0, limitBytes - offered));
      offered += bytes.length;
      if (trouble === undefined) store(bytes);
    },
    close() {
      if (file) closeSync(file.fd);
    },
    get path() {
      return trouble === undefined ? file?.path : undefined;
    },
    movedTo(path) {
      if (file) file.path = path;
    },
    where() {
      if (trouble !== undefined) return trouble;
      return offered >= limitBytes ? `the first 32 MB are in ${file?.path}` : `the whole output is in ${file?.path}`;
    },
  };
}
