import { dirname } from "node:path";
import { messageOf } from "../contracts/errors.ts";
import type { FileChange, FileState, Tracked } from "../contracts/file-change.ts";
import type { ContentHasher } from "../platform/content-hash.ts";
import { contentAt, permissionsOf, rowAt, targetAt, typeOf } from "../platform/file-row.ts";
import { createPackWriter } from "../platform/pack-writer.ts";
import { displayPath, realTarget } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { isSameState } from "./file-states.ts";
import { type UndoLimits, versionControl } from "./limits.ts";
import { inMegabytes } from "./uncovered.ts";

export type PathTrackerOptions = {
  /** Of packs. */
  readonly folder: string;
  /** Paths are shown from here on. */
  readonly root: string;
  readonly limits: UndoLimits;
  readonly hasher: ContentHasher;
};

export type PathTracker = {
  track<T>(paths: readonly string[], work: () => Promise<T>): Promise<Tracked<T>>;
  close(): void;
};

/** For work that knows its files: only they are looked at, here and at once, without the engine. */
export function createPathTracker({ folder, root, limits, hasher }: PathTrackerOptions): PathTracker {
  let writer = createPackWriter(folder);
  let kept = new Set<string>();

  function startOver(): void {
    writer.close();
    writer = createPackWriter(folder);
    kept = new Set();
  }

  function keep(bytes: Buffer, hash: string): void {
    if (kept.has(hash)) return;
    kept.add(hash);
    writer.add(hash, bytes)?.catch(() => {});
  }

  /** A word instead of a state for what cannot be kept. */
  function stateAt(path: string): FileState | undefined | { readonly problem: string } {
    const row = rowAt(path);
    if (row === "gone") return undefined;
    if (row === "unreadable") return { problem: "cannot be read" };
    const mode = permissionsOf(row);
    const type = typeOf(row);
    if (type === "folder") return { type, mode };
    if (type === "link") return { type, target: targetAt(path) ?? "" };
    if (type !== "file") return { problem: `is a ${type}` };
    const content = contentAt(path, limits.fileBytes);
    if (content === "gone") return undefined;
    if (content === "unreadable") return { problem: "cannot be read" };
    if (content === "too-large") return { problem: `is larger than ${inMegabytes(limits.fileBytes)}` };
    const hash = hasher.of(content.bytes);
    keep(content.bytes, hash);
    return { type, hash, size: content.bytes.length, mode: permissionsOf(content.row) };
  }

  return {
    async track(paths, work) {
      const uncovered = new Set<string>();
      const note = (path: string, problem: string) =>
        void uncovered.add(`${showControl(displayPath(path, root))} ${problem}, so undo does not cover it.`);
      const statesOf = async (spots: Iterable<string>) => {
        const states = new Map([...spots].map((path) => [path, stateAt(path)] as const));
        await writer.flush().catch((error: unknown) => {
          startOver();
          uncovered.add(`What changed cannot be kept for undo: ${messageOf(error)}`);
        });
        return states;
      };
      if (writer.isLost()) startOver();
      const before = await statesOf(spotsOf(paths, note));
      const result = await work();
      const after = await statesOf(before.keys());
      return { result, changes: compare(before, after, note), uncovered: [...uncovered] };
    },
    close: () => writer.close(),
  };
}

type States = ReadonlyMap<string, FileState | undefined | { readonly problem: string }>;

function compare(before: States, after: States, note: (path: string, problem: string) => void): FileChange[] {
  const changes: FileChange[] = [];
  for (const [path, old] of before) {
    const now = after.get(path);
    if (old && "problem" in old) note(path, old.problem);
    else if (now && "problem" in now) note(path, now.problem);
    else if (!isSameState(old, now))
      changes.push({ path, ...(old ? { before: old } : {}), ...(now ? { after: now } : {}) });
  }
  return changes;
}

/** The real paths behind those given, each with the folders above it that have to be made first. */
function spotsOf(paths: readonly string[], note: (path: string, problem: string) => void): Set<string> {
  const spots = new Set<string>();
  for (const given of paths) {
    const path = realOrUndefined(given);
    if (path === undefined) continue;
    const guarded = path.split("/").find((name) => versionControl.includes(name));
    if (guarded) {
      note(path, `belongs to ${guarded}`);
      continue;
    }
    for (let folder = dirname(path); rowAt(folder) === "gone"; folder = dirname(folder)) spots.add(folder);
    spots.add(path);
  }
  return spots;
}

/** Undefined for a path that no write can reach: the work itself will say so. */
function realOrUndefined(given: string): string | undefined {
  try {
    return realTarget(given, "/");
  } catch {
    return undefined;
  }
}
