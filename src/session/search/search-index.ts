import { namesIn } from "../../platform/list-folder.ts";
import { replacePrivateFile } from "../../platform/private-files.ts";
import { openRandomAccess } from "../../platform/random-access.ts";
import { randomName } from "../../platform/random-name.ts";
import { removeAll } from "../../platform/remove-files.ts";
import type { ScannedFile } from "../../platform/scan-folders.ts";
import { checksum } from "../log/checksum.ts";
import { createSegmentBuilder, type LogToCover } from "./build-segment.ts";
import { openSegment, type Segment } from "./open-segment.ts";
import { type Coverage, coverLogs } from "./search-coverage.ts";

export type SearchIndexOptions = {
  readonly stateFolder: string;
  readonly files: readonly ScannedFile[];
  /** Told before each log that has to be read. */
  readonly onRead?: (done: number, total: number) => void;
};

/** Segments with what of them still counts. */
export type SearchIndex = {
  readonly segments: readonly Segment[];
  /** The log of a document; undefined when it has been indexed anew elsewhere, or is gone. */
  fileOf(segment: Segment, log: number): ScannedFile | undefined;
  close(): void;
};

const ending = ".segment";
/** A segment is written when it has this much text. Larger ones are left alone; smaller ones are put together when there are many. */
const fullCharacters = 32 * 1024 * 1024;
const smallBytes = 4 * 1024 * 1024;
const mostOfASize = 8;
const tailBytes = 256;

/** Opens the index and brings it up to date: logs that grew are read from where they were left, new or changed ones as a whole. */
export function openSearchIndex({ stateFolder, files, onRead }: SearchIndexOptions): SearchIndex {
  const root = `${stateFolder}/sessions`;
  const folder = `${root}/search`;
  const byKey = new Map(files.map((file) => [file.path.slice(root.length + 1), file]));
  let segments = openAll(folder);
  let coverage = coverLogs(segments, byKey, tailSum);
  const wasteful = segments.filter((segment) => isWasteful(segment, coverage));
  const crowded = [crowd(segments, 0, smallBytes), crowd(segments, smallBytes, fullCharacters)].flat();
  const dropped = new Set([...wasteful, ...crowded]);
  if (dropped.size > 0) {
    for (const segment of dropped) drop(segment);
    segments = segments.filter((segment) => !dropped.has(segment));
    coverage = coverLogs(segments, byKey, tailSum);
  }
  if (coverage.missing.length > 0) {
    segments = [...coverMissing({ folder, missing: coverage.missing, onRead, before: segments }), ...segments];
    coverage = coverLogs(segments, byKey, tailSum);
  }
  return {
    segments,
    fileOf: (segment, log) => (coverage.isAlive(segment, log) ? byKey.get(segment.logs[log]?.key ?? "") : undefined),
    close() {
      for (const segment of segments) segment.close();
    },
  };
}

function drop(segment: Segment): void {
  segment.close();
  removeAll(segment.path);
}

/** Newest first. What is no segment, or a damaged one, goes. */
function openAll(folder: string): Segment[] {
  return namesIn(folder)
    .filter((name) => name.endsWith(ending))
    .sort()
    .reverse()
    .flatMap((name) => {
      const segment = openSegment(`${folder}/${name}`);
      if (segment === undefined) removeAll(`${folder}/${name}`);
      return segment === undefined ? [] : [segment];
    });
}

const coveredBytes = ({ logs }: Segment) => logs.reduce((sum, { from, to }) => sum + to - from, 0);

function isWasteful(segment: Segment, coverage: Coverage): boolean {
  const living = segment.logs.reduce(
    (sum, { from, to }, log) => sum + (coverage.isAlive(segment, log) ? to - from : 0),
    0,
  );
  return living * 2 < coveredBytes(segment);
}

function crowd(segments: readonly Segment[], atLeast: number, below: number): Segment[] {
  const ofSize = segments.filter((segment) => coveredBytes(segment) >= atLeast && coveredBytes(segment) < below);
  return ofSize.length > mostOfASize ? ofSize : [];
}

type Missing = {
  readonly folder: string;
  readonly missing: readonly LogToCover[];
  readonly onRead: SearchIndexOptions["onRead"];
  readonly before: readonly Segment[];
};

function coverMissing({ folder, missing, onRead, before }: Missing): Segment[] {
  const added: Segment[] = [];
  let sequence = before.reduce((most, { path }) => Math.max(most, Number.parseInt(nameOf(path), 10) || 0), 0);
  let builder = createSegmentBuilder();
  let taken = 0;
  const write = () => {
    const path = `${folder}/${String(++sequence).padStart(8, "0")}-${randomName(6)}${ending}`;
    const content = builder.encode();
    const segment = openSegment(path, content);
    if (segment) added.unshift(segment);
    builder = createSegmentBuilder();
    taken = 0;
    try {
      replacePrivateFile(path, content);
    } catch {
      // the index serves this search from memory, and is made again for the next one
    }
  };
  for (const [done, log] of missing.entries()) {
    onRead?.(done, missing.length);
    try {
      builder.add(log, (to) => tailSum(log.file.path, to));
      taken++;
    } catch {
      // a log that cannot be read cannot be found; `sessions list` says why
    }
    if (builder.characters >= fullCharacters) write();
  }
  if (taken > 0) write();
  return added;
}

function nameOf(path: string): string {
  return path.replace(/^.*\//, "");
}

/** Of the bytes right before a place of a log. */
function tailSum(path: string, to: number): number {
  const file = openRandomAccess(path);
  try {
    const start = Math.max(0, to - tailBytes);
    return checksum(file.read(start, to - start));
  } finally {
    file.close();
  }
}
