import { mkdirSync, readFileSync, renameSync, statSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { Script } from "node:vm";

/**
 * Loads a CommonJS file with the code V8 compiled for it earlier: on Node 20 that halves the time to the first request, since
 * nothing has to be parsed. A cache of another Node version is refused by V8 and made anew; of the source V8 compares the length
 * alone, so a cache older than the file is not even offered to it.
 */
export type LoadedFile<T> = {
  readonly exports: T;
  /** Call when the program has done its work: by then the functions that matter are compiled. */
  saveCache(): void;
};

export type LoadOptions = {
  readonly file: string;
  readonly require: (id: string) => unknown;
  /** Where a cache may lie, best first; a missing one is written to the last. */
  readonly caches: readonly string[];
};

export function loadWithCodeCache<T>({ file, require, caches }: LoadOptions): LoadedFile<T> {
  // the build writes ASCII only, and a one-byte string is half the work
  const source = `(function (exports, require, module, __filename, __dirname) {${readFileSync(file, "latin1")}\n})`;
  let script: Script | undefined;
  let isCached = false;
  const builtAt = statSync(file).mtimeMs;
  for (const cache of caches) {
    const cachedData = readUnlessOlder(cache, builtAt);
    if (cachedData === undefined) continue;
    script = new Script(source, { filename: file, cachedData });
    isCached = script.cachedDataRejected === false;
    if (isCached) break;
  }
  script ??= new Script(source, { filename: file });
  const module = { exports: {} as T };
  script.runInThisContext()(module.exports, require, module, file, dirname(file));
  const compiled = script;
  const target = caches.at(-1);
  return {
    exports: module.exports,
    saveCache() {
      if (!isCached && target !== undefined) writeCache(target, compiled.createCachedData());
    },
  };
}

function readUnlessOlder(path: string, builtAt: number): Buffer | undefined {
  try {
    return statSync(path).mtimeMs < builtAt ? undefined : readFileSync(path);
  } catch {
    return undefined;
  }
}

function writeCache(path: string, data: Buffer): void {
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    writeFileSync(`${path}.${process.pid}`, data, { mode: 0o600 });
    renameSync(`${path}.${process.pid}`, path);
  } catch {
    // the next start is as slow as this one; nothing else is lost
  }
}
