import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "./list-folder.ts";
import { openObjectStore } from "./object-store.ts";
import { decodeRecord, type PackRecord, recordBytes } from "./pack-records.ts";
import { createPackWriter } from "./pack-writer.ts";
import { removeIfThere } from "./private-files.ts";
import { quickCompression } from "./quick-compression.ts";

export type PackCollection = { readonly totalBytes: number; readonly freedBytes: number };

/**
 * Keeps only these objects: packs that hold others are written anew and then removed. With "look" nothing is changed, and what would be
 * freed is an estimate. Nobody else may write to the folder meanwhile.
 */
export async function collectPacks(
  folder: string,
  isKept: (hash: string) => boolean,
  intent: "look" | "collect",
): Promise<PackCollection> {
  const packs = namesIn(folder)
    .filter((name) => name.endsWith(".pack"))
    .map((name) => describePack(join(folder, name.slice(0, -".pack".length)), isKept));
  const sum = (numbers: readonly number[]) => numbers.reduce((total, number) => total + number, 0);
  const totalBytes = sum(packs.map(({ bytes }) => bytes));
  const wasteful = packs.filter(({ wastedBytes }) => wastedBytes > 0);
  if (intent === "look") return { totalBytes, freedBytes: sum(wasteful.map(({ wastedBytes }) => wastedBytes)) };
  const rewrittenBytes = await rewrite(folder, new Set(wasteful.flatMap(({ kept }) => kept)));
  // The index first: a pack without one is never read.
  for (const { path } of wasteful) for (const file of filesOf(path).toReversed()) removeIfThere(file);
  return { totalBytes, freedBytes: sum(wasteful.map(({ bytes }) => bytes)) - rewrittenBytes };
}

type DescribedPack = {
  /** Without its ending. */
  readonly path: string;
  readonly bytes: number;
  readonly kept: readonly string[];
  readonly wastedBytes: number;
};

function filesOf(path: string): string[] {
  return [`${path}.pack`, `${path}.idx`];
}

function describePack(path: string, isKept: (hash: string) => boolean): DescribedPack {
  const records = recordsOf(path);
  const bytes = filesOf(path).reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0);
  const kept = records.filter(({ hash }) => isKept(hash));
  const weight = (some: readonly PackRecord[]) => some.reduce((sum, { length }) => sum + length + recordBytes, 0);
  const share = records.length === 0 ? 0 : weight(kept) / weight(records);
  return { path, bytes, kept: kept.map(({ hash }) => hash), wastedBytes: Math.ceil(bytes * (1 - share)) };
}

function recordsOf(path: string): PackRecord[] {
  try {
    const bytes = readFileSync(`${path}.idx`);
    return Array.from({ length: Math.floor(bytes.length / recordBytes) }, (_, index) =>
      decodeRecord(bytes, index * recordBytes),
    );
  } catch {
    return [];
  }
}

/** On the disk when this resolves. Answers with how many bytes that took. */
async function rewrite(folder: string, hashes: ReadonlySet<string>): Promise<number> {
  if (hashes.size === 0) return 0;
  const store = await openObjectStore(folder);
  const writer = createPackWriter(folder, (await quickCompression()).compress);
  try {
    for (const hash of hashes) {
      const bytes = store.read(hash);
      if (bytes) await writer.add(hash, bytes);
    }
    await writer.flush();
    await writer.sync();
    return writer.bytes();
  } finally {
    writer.close();
    store.close();
  }
}
