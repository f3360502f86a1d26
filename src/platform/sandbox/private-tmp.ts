import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { removeAtDeath } from "../process-group-watchdog.ts";

let folder: string | undefined;
let isNamed = false;

/** The folder that all confined commands of this process see as /tmp; it goes with the process. */
export function privateTmp(): string {
  if (folder !== undefined) return folder;
  const made = mkdtempSync(join(tmpdir(), "corecoder-tmp-"));
  folder = made;
  process.once("exit", () => rmSync(made, { recursive: true, force: true }));
  return made;
}

/** The largest file that a confined command may write, and all that its /tmp may hold. */
export const tmpLimitBytes = 1024 * 1024 * 1024;
/** Enough to see a disk being filled; a folder with more entries than this is not measured further. */
const entryLimit = 20_000;
const everyMs = 1_000;

/** Answers with the way to stop looking. `onFull` is called once. */
export function watchPrivateTmp(path: string, onFull: () => void): () => void {
  if (!isNamed) removeAtDeath(path);
  isNamed = true;
  const timer = setInterval(() => {
    if (sizeOf(path, { entries: 0 }) <= tmpLimitBytes) return;
    clearInterval(timer);
    onFull();
  }, everyMs);
  timer.unref();
  return () => clearInterval(timer);
}

function sizeOf(path: string, seen: { entries: number }): number {
  let total = 0;
  try {
    for (const entry of readdirSync(path, { withFileTypes: true })) {
      if (++seen.entries > entryLimit) return total;
      const inner = join(path, entry.name);
      if (entry.isDirectory()) total += sizeOf(inner, seen);
      else if (entry.isFile()) total += statSync(inner, { throwIfNoEntry: false })?.size ?? 0;
    }
  } catch {
    // removed meanwhile
  }
  return total;
}

export function emptyPrivateTmp(path: string): void {
  for (const name of readdirSync(path)) rmSync(join(path, name), { recursive: true, force: true });
}
