import type { SessionDigest } from "../../contracts/saved-session.ts";
import type { ScannedFile } from "../../platform/scan-folders.ts";
import { createSealedCache } from "./sealed-cache.ts";

/** Digests of logs, one line each: the file as it was, and the digest as JSON, which is parsed only when somebody asks for it. */
export type DigestCache = {
  /** Is there a digest of the file as it is now, with prices if they are wanted? */
  holds(file: ScannedFile, wanted: { readonly isPriced: boolean }): boolean;
  get(file: ScannedFile): SessionDigest | undefined;
  put(file: ScannedFile, digest: SessionDigest, made: { readonly isPriced: boolean }): void;
  /** Writes what changed; of these files only. */
  save(files: readonly ScannedFile[]): void;
};

type Entry = { readonly state: string; readonly isPriced: boolean; readonly json: string };

const version = 3;

export function openDigestCache(root: string): DigestCache {
  const cache = createSealedCache(`${root}/digests.cache`, version);
  const entries = new Map<string, Entry>();
  for (const line of cache.read()?.split("\n") ?? []) {
    const [key, state, priced, json] = line.split("\t", 4);
    if (key !== undefined && state !== undefined && json !== undefined)
      entries.set(key, { state, isPriced: priced === "1", json });
  }
  const found = entries.size;
  let isChanged = false;
  const entryOf = (file: ScannedFile): Entry | undefined => {
    const entry = entries.get(keyOf(file, root));
    return entry?.state === stateOf(file) ? entry : undefined;
  };
  return {
    holds(file, { isPriced }) {
      const entry = entryOf(file);
      return entry !== undefined && (entry.isPriced || !isPriced);
    },
    get(file) {
      const entry = entryOf(file);
      return entry && (JSON.parse(entry.json) as SessionDigest);
    },
    put(file, digest, { isPriced }) {
      entries.set(keyOf(file, root), { state: stateOf(file), isPriced, json: JSON.stringify(digest) });
      isChanged = true;
    },
    save(files) {
      const living = files.map((file) => keyOf(file, root)).filter((key) => entries.has(key));
      if (!isChanged && living.length === found) return;
      const lines = living.map((key) => {
        const { state, isPriced, json } = entries.get(key) as Entry;
        return `${key}\t${state}\t${isPriced ? 1 : 0}\t${json}`;
      });
      cache.write(lines.join("\n"));
    },
  };
}

/** Below the folder of all sessions. A name with a tab or a line end in it is no name of ours, and is written so that it cannot break a line. */
function keyOf({ path }: ScannedFile, root: string): string {
  return path.slice(root.length + 1).replace(/[\t\n]/g, "?");
}

function stateOf({ size, mtimeMs, inode }: ScannedFile): string {
  return `${size} ${mtimeMs} ${inode}`;
}
