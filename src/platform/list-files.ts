import { lstatSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { isStartFailure } from "./process-group.ts";
import { findRipgrep, runRipgrep, scopeFlags } from "./ripgrep.ts";
import type { SearchScope } from "./search-scope.ts";
import { walkFiles } from "./walk-files.ts";

export type FileListing = {
  /** Relative to the base, with forward slashes. */
  readonly paths: readonly string[];
  readonly complete: boolean;
};

export type ListFiles = {
  readonly scope: SearchScope;
  /** Which of these count? Asked for many at once. */
  readonly select: (paths: readonly string[]) => readonly string[];
  readonly signal: AbortSignal;
  readonly timeLimitMs: number;
};

/** Plain files below a folder, in no order; those that git ignores do not count. */
export async function listFiles(request: ListFiles): Promise<FileListing> {
  const program = findRipgrep();
  if (program === undefined) return listByWalking(request);
  return listByRipgrep(request, program).catch((error: unknown) => {
    if (isStartFailure(error)) return listByWalking(request);
    throw error;
  });
}

const batchSize = 5_000;

function createSelection(select: ListFiles["select"]): { offer(path: string): void; end(): readonly string[] } {
  let paths: readonly string[] = [];
  let batch: string[] = [];
  const flush = () => {
    paths = paths.concat(select(batch));
    batch = [];
  };
  return {
    offer(path) {
      batch.push(path);
      if (batch.length === batchSize) flush();
    },
    end() {
      flush();
      return paths;
    },
  };
}

async function listByRipgrep({ scope, select, signal, timeLimitMs }: ListFiles, program: string): Promise<FileListing> {
  const selection = createSelection(select);
  const { ending } = await runRipgrep({
    program,
    args: [...scopeFlags(scope), "--files", "--null"],
    cwd: scope.base,
    signal,
    timeLimitMs,
    separator: "\0",
    onRecord(path) {
      selection.offer(path);
      return "more";
    },
  });
  return { paths: selection.end(), complete: ending === "finished" };
}

/** The same without ripgrep. */
export async function listByWalking({ scope, select, signal, timeLimitMs }: ListFiles): Promise<FileListing> {
  const selection = createSelection(select);
  const giveUp = performance.now() + timeLimitMs;
  for await (const path of walkFiles(scope)) {
    selection.offer(path);
    if (signal.aborted || performance.now() > giveUp) return { paths: selection.end(), complete: false };
  }
  return { paths: selection.end(), complete: true };
}

const statsPerTurn = 2_000;

function changedMs(path: string): number {
  try {
    return lstatSync(path).mtimeMs;
  } catch {
    return 0;
  }
}

/** The last changed come first; equal times by name. */
export async function newestFirst(paths: readonly string[], base: string): Promise<string[]> {
  const dated: { path: string; changedMs: number }[] = [];
  for (const path of paths) {
    dated.push({ path, changedMs: changedMs(join(base, path)) });
    if (dated.length % statsPerTurn === 0) await setImmediate();
  }
  dated.sort((a, b) => b.changedMs - a.changedMs || (a.path < b.path ? -1 : 1));
  return dated.map(({ path }) => path);
}
