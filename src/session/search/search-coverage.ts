import type { ScannedFile } from "../../platform/scan-folders.ts";
import type { LogToCover } from "./build-segment.ts";
import type { Segment } from "./open-segment.ts";
import type { CoveredLog } from "./search-segment.ts";

/** Which parts of which logs the segments hold, and what they lack. */
export type Coverage = {
  isAlive(segment: Segment, log: number): boolean;
  readonly missing: readonly LogToCover[];
};

type Covered = {
  /** The newest part, which says how the file looked when it was read last. */
  readonly newest: CoveredLog;
  /** Where the parts found so far begin; 0 when the log is covered from its beginning. */
  from: number;
  readonly parts: { readonly segment: Segment; readonly log: number }[];
};

/** `segments` newest first. A part counts when the parts before it are there, and the log has only grown since. */
export function coverLogs(
  segments: readonly Segment[],
  files: ReadonlyMap<string, ScannedFile>,
  tailSum: (path: string, to: number) => number,
): Coverage {
  const covered = new Map<string, Covered>();
  for (const segment of segments)
    for (const [log, part] of segment.logs.entries()) {
      const file = files.get(part.key);
      if (file === undefined || file.inode !== part.inode || file.size < part.to) continue;
      const known = covered.get(part.key);
      if (known === undefined) covered.set(part.key, { newest: part, from: part.from, parts: [{ segment, log }] });
      else if (known.from > 0 && known.from === part.to) {
        known.from = part.from;
        known.parts.push({ segment, log });
      }
    }
  const alive = new Map<Segment, Set<number>>();
  const missing: LogToCover[] = [];
  for (const [key, file] of files) {
    const known = covered.get(key);
    const state = known === undefined || known.from > 0 ? "unknown" : stateOf(known.newest, file, tailSum);
    if (state !== "same") missing.push({ key, file, from: state === "grown" ? (known as Covered).newest.to : 0 });
    if (state === "unknown") continue;
    for (const { segment, log } of known?.parts ?? []) {
      const logs = alive.get(segment);
      if (logs) logs.add(log);
      else alive.set(segment, new Set([log]));
    }
  }
  return { missing, isAlive: (segment, log) => alive.get(segment)?.has(log) === true };
}

function stateOf(
  { size, mtimeMs, to, tailSum: expected }: CoveredLog,
  file: ScannedFile,
  tailSum: (path: string, to: number) => number,
): "same" | "grown" | "unknown" {
  if (size === file.size && mtimeMs === file.mtimeMs) return "same";
  try {
    return file.size > size && tailSum(file.path, to) === expected ? "grown" : "unknown";
  } catch {
    return "unknown";
  }
}
