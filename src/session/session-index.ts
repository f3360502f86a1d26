import { messageOf } from "../contracts/errors.ts";
import { emptyUsage } from "../contracts/message.ts";
import type { ListedSession, SessionDigest } from "../contracts/saved-session.ts";
import { type FolderScan, type ScannedFile, scanFolders } from "../platform/scan-folders.ts";
import { readLog } from "./read-log.ts";
import { createSealedCache } from "./sealed-cache.ts";
import { createDigest, type DigestFold, type PriceOfCall } from "./session-digest.ts";
import { lockHolder } from "./session-lock.ts";

export type SessionIndexOptions = {
  readonly stateFolder: string;
  /** Only the sessions in this folder; left out: of all projects. */
  readonly folder?: string;
};

export type PricedIndexOptions = SessionIndexOptions & {
  readonly priceOf: PriceOfCall;
  /** Told before each log that has to be read. */
  readonly onRead?: (done: number, total: number) => void;
};

export type SessionIndex = {
  /** Newest first. */
  readonly sessions: readonly ListedSession[];
  readonly scan: FolderScan;
};

type Known = {
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
  readonly isPriced: boolean;
  readonly digest: SessionDigest;
};

const cacheVersion = 2;

/** All saved sessions in short. What was folded before is kept in one file, which is only a cache: logs that changed are read again. */
export async function indexSessions({ priceOf, onRead, ...options }: PricedIndexOptions): Promise<SessionIndex> {
  const index = openIndex(options);
  const stale = index.files.filter((file) => index.known(file)?.isPriced !== true);
  for (const [done, file] of stale.entries()) {
    onRead?.(done, stale.length);
    const fold = foldLog(file);
    if (!("problem" in fold)) index.learn(file, await fold.finishWithPrices(priceOf), { isPriced: true });
    else index.giveUp(file, fold.problem);
  }
  return index.finish();
}

/** The same without prices, for who wants to find a session and not to know what it cost. */
export function indexWithoutPrices(options: SessionIndexOptions): SessionIndex {
  const index = openIndex(options);
  for (const file of index.files.filter((each) => index.known(each) === undefined)) {
    const fold = foldLog(file);
    if (!("problem" in fold)) index.learn(file, fold.finish(), { isPriced: false });
    else index.giveUp(file, fold.problem);
  }
  return index.finish();
}

function openIndex({ stateFolder, folder }: SessionIndexOptions) {
  const root = `${stateFolder}/sessions`;
  const scan = scanFolders(root, ".jsonl");
  const cache = createSealedCache<readonly (readonly [string, Known])[]>(`${root}/digests.cache`, cacheVersion);
  const keyOf = ({ path }: ScannedFile) => path.slice(root.length + 1);
  const digests = new Map(cache.read());
  const problems = new Map<ScannedFile, string>();
  let isStale = digests.size > scan.files.length;
  return {
    files: folder === undefined ? scan.files : scan.files.filter((file) => file.folder === folder),
    known(file: ScannedFile): Known | undefined {
      const found = digests.get(keyOf(file));
      const isSame = found?.size === file.size && found.mtimeMs === file.mtimeMs && found.inode === file.inode;
      return isSame ? found : undefined;
    },
    learn(file: ScannedFile, digest: SessionDigest, { isPriced }: { isPriced: boolean }) {
      const { size, mtimeMs, inode } = file;
      const { startedAt, endedAt } = digest;
      const times = { startedAt: startedAt || mtimeMs, endedAt: endedAt || mtimeMs };
      digests.set(keyOf(file), { size, mtimeMs, inode, isPriced, digest: { ...digest, ...times } });
      isStale = true;
    },
    /** Not kept: it is tried again every time, since the next program may be able to read it. */
    giveUp(file: ScannedFile, problem: string) {
      digests.delete(keyOf(file));
      problems.set(file, problem);
    },
    finish(): SessionIndex {
      if (isStale)
        cache.write(
          scan.files.map(keyOf).flatMap((key) => (digests.has(key) ? [[key, digests.get(key) as Known]] : [])),
        );
      const sessions = this.files.map((file): ListedSession => {
        const digest = digests.get(keyOf(file))?.digest ?? unreadable(file, problems.get(file) ?? "");
        return { ...digest, path: file.path, ...(isOpen(file, scan) ? { state: "open" as const } : {}) };
      });
      return { sessions: sessions.sort((a, b) => b.endedAt - a.endedAt || (a.id < b.id ? 1 : -1)), scan };
    },
  };
}

function isOpen({ path }: ScannedFile, { beside }: FolderScan): boolean {
  return beside.has(path.replace(/\.jsonl$/, ".lock")) && lockHolder(path) !== undefined;
}

function foldLog(file: ScannedFile): DigestFold | { readonly problem: string } {
  const digest = createDigest({ id: file.stem, logBytes: file.size });
  try {
    for (const found of readLog(file.path)) digest.take(found);
    return digest;
  } catch (error) {
    return { problem: messageOf(error) };
  }
}

/** A log that says nothing, with the reason in the place of its title. */
function unreadable({ stem, size, mtimeMs }: ScannedFile, problem: string): SessionDigest {
  return {
    ...{ id: stem, cwd: undefined, title: problem, name: undefined, startedAt: mtimeMs, endedAt: mtimeMs, models: [] },
    ...{ usage: emptyUsage, costUsd: 0, calls: 0, turns: 0, toolCalls: 0, filesChanged: 0, busyMs: 0, ledger: [] },
    ...{ state: "damaged", forkedFrom: undefined, logBytes: size, damagedPlaces: 1 },
  };
}
