import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { contentHasher } from "./content-hash.ts";
import { namesIn } from "./list-folder.ts";
import { createObjectIndex, type ObjectPlace } from "./object-index.ts";
import { createPackWriter } from "./pack-writer.ts";
import { quickCompression } from "./quick-compression.ts";
import { openRandomAccess } from "./random-access.ts";

/** Contents by their hash. Any number of processes may use one folder: each writes a pack of its own and reads them all. */
export type ObjectStore = {
  has(hash: string): boolean;
  /** Answers with the hash. What is here already is not written again. */
  put(bytes: Buffer): string;
  /** When so much was put that memory matters: when to go on. */
  catchUp(): Promise<void> | undefined;
  /** Everything put before can be read by others from now on. Throws when the disk does not take it: then none of it is here. */
  flush(): Promise<void>;
  /** Undefined when it is not here or damaged; damaged ones count as not here from then on. */
  read(hash: string): Buffer | undefined;
  /** Did somebody delete packs? Then what is left is looked up anew, and what was known to be here may not be. */
  check(): "whole" | "lost";
  close(): void;
};

export async function openObjectStore(folder: string): Promise<ObjectStore> {
  const hasher = await contentHasher();
  const { compress, decompress } = await quickCompression();
  const index = createObjectIndex();
  /** Put, not flushed. */
  const waiting = new Set<string>();
  const readTo = new Map<string, number>();
  let writer = createPackWriter(folder, compress);
  let behind: Promise<void> | undefined;
  let lastBlock: { readonly key: string; readonly bytes: Buffer } | undefined;

  function startOver(): void {
    writer.close();
    writer = createPackWriter(folder, compress);
    behind = undefined;
    waiting.clear();
  }

  function loadPacks(): void {
    for (const name of namesIn(folder)) {
      if (!name.endsWith(".idx")) continue;
      const pack = join(folder, `${name.slice(0, -".idx".length)}.pack`);
      const from = readTo.get(pack) ?? 0;
      readTo.set(pack, from + index.add(pack, recordsFrom(pack, from), sizeOf(pack)));
    }
  }

  function blockOf({ pack, blockAt, storedBytes, isCompressed }: ObjectPlace): Buffer {
    const key = `${pack}:${blockAt}:${storedBytes}`;
    if (lastBlock?.key === key) return lastBlock.bytes;
    const stored = readRange(pack, blockAt, storedBytes);
    lastBlock = { key, bytes: isCompressed ? decompress(stored) : stored };
    return lastBlock.bytes;
  }

  /** Undefined when the bytes there are not those that belong there. */
  function readVerified(hash: string, place: ObjectPlace): Buffer | undefined {
    try {
      const bytes = blockOf(place).subarray(place.start, place.start + place.length);
      return hasher.of(bytes) === hash ? bytes : undefined;
    } catch {
      return undefined;
    }
  }

  loadPacks();
  return {
    has: (hash) => index.has(hash) || waiting.has(hash),
    put(bytes) {
      const hash = hasher.of(bytes);
      if (waiting.has(hash) || index.has(hash)) return hash;
      behind = writer.add(hash, bytes);
      // Whoever flushes is told.
      behind?.catch(() => {});
      waiting.add(hash);
      return hash;
    },
    catchUp: () => behind,
    async flush() {
      if (waiting.size === 0) return;
      try {
        index.add(writer.pack, await writer.flush(), Number.POSITIVE_INFINITY);
        waiting.clear();
      } catch (error) {
        startOver();
        throw error;
      }
    },
    read(hash) {
      if (!index.has(hash)) loadPacks();
      const place = index.find(hash);
      const bytes = place && readVerified(hash, place);
      if (bytes === undefined) index.remove(hash);
      return bytes;
    },
    check() {
      const here = new Set(namesIn(folder).map((name) => join(folder, name)));
      if (!writer.isLost() && [...readTo.keys()].every((pack) => here.has(pack))) return "whole";
      index.clear();
      readTo.clear();
      startOver();
      loadPacks();
      return "lost";
    },
    close: () => writer.close(),
  };
}

/** Nothing of a pack that was deleted meanwhile. */
function recordsFrom(pack: string, from: number): Buffer {
  const path = `${pack.slice(0, -".pack".length)}.idx`;
  if (sizeOf(path) <= from) return Buffer.alloc(0);
  return readBytesIfThere(path).subarray(from);
}

function readBytesIfThere(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch {
    return Buffer.alloc(0);
  }
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function readRange(path: string, at: number, length: number): Buffer {
  const file = openRandomAccess(path);
  try {
    return file.read(at, length);
  } finally {
    file.close();
  }
}
