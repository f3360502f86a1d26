import { messageOf } from "../../contracts/errors.ts";
import { emptyUsage } from "../../contracts/message.ts";
import type { ListedSession, SessionDigest } from "../../contracts/saved-session.ts";
import { type FolderScan, type ScannedFile, scanFolders } from "../../platform/scan-folders.ts";
import { readLog } from "../log/read-log.ts";
import { lockHolder } from "../log/session-lock.ts";
import { type DigestCache, openDigestCache } from "./digest-cache.ts";
import { createDigest, type DigestFold, type PriceOfCall } from "./session-digest.ts";

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
  readonly scan: FolderScan;
  /** How many there are. */
  readonly count: number;
  /** Newest first. Put together when it is asked for. */
  readonly sessions: readonly ListedSession[];
  /** The one whose log lies there. */
  sessionAt(path: string): ListedSession | undefined;
};

/** All saved sessions in short. What was folded before is kept in one file, which is only a cache: logs that changed are read again. */
export async function indexSessions({ priceOf, onRead, ...options }: PricedIndexOptions): Promise<SessionIndex> {
  const index = openIndex(options);
  const stale = index.files.filter((file) => !index.cache.holds(file, { isPriced: true }));
  for (const [done, file] of stale.entries()) {
    onRead?.(done, stale.length);
    const fold = index.fold(file);
    if (fold) index.cache.put(file, datedDigest(file, await fold.finishWithPrices(priceOf)), { isPriced: true });
  }
  return index.finish();
}

/** The same without prices, for who wants to find a session and not to know what it cost. */
export function indexWithoutPrices(options: SessionIndexOptions): SessionIndex {
  const index = openIndex(options);
  for (const file of index.files.filter((each) => !index.cache.holds(each, { isPriced: false }))) {
    const fold = index.fold(file);
    if (fold) index.cache.put(file, datedDigest(file, fold.finish()), { isPriced: false });
  }
  return index.finish();
}

type OpenIndex = {
  readonly cache: DigestCache;
  readonly files: readonly ScannedFile[];
  /** Reads a log; undefined when it cannot be read. That is tried every time: the next program may be able to. */
  fold(file: ScannedFile): DigestFold | undefined;
  finish(): SessionIndex;
};

function openIndex({ stateFolder, folder }: SessionIndexOptions): OpenIndex {
  const root = `${stateFolder}/sessions`;
  const scan = scanFolders(root, ".jsonl");
  const cache = openDigestCache(root);
  const files = folder === undefined ? scan.files : scan.files.filter((file) => file.folder === folder);
  const problems = new Map<string, string>();
  const list = (file: ScannedFile): ListedSession => {
    const digest = cache.get(file) ?? unreadable(file, problems.get(file.path) ?? "");
    return { ...digest, path: file.path, ...(isOpen(file, scan) ? { state: "open" as const } : {}) };
  };
  return {
    cache,
    files,
    fold(file) {
      const digest = createDigest({ id: file.stem, logBytes: file.size });
      try {
        for (const found of readLog(file.path)) digest.take(found);
        return digest;
      } catch (error) {
        problems.set(file.path, messageOf(error));
        return undefined;
      }
    },
    finish() {
      cache.save(scan.files);
      return {
        scan,
        count: files.length,
        get sessions() {
          return files.map(list).sort((a, b) => b.endedAt - a.endedAt || (a.id < b.id ? 1 : -1));
        },
        sessionAt(path) {
          const file = files.find((each) => each.path === path);
          return file && list(file);
        },
      };
    },
  };
}

function isOpen({ path }: ScannedFile, { beside }: FolderScan): boolean {
  return beside.has(path.replace(/\.jsonl$/, ".lock")) && lockHolder(path) !== undefined;
}

/** A log without a readable record has the times of its file. */
function datedDigest({ mtimeMs }: ScannedFile, digest: SessionDigest): SessionDigest {
  return { ...digest, startedAt: digest.startedAt || mtimeMs, endedAt: digest.endedAt || mtimeMs };
}

/** A log that says nothing, with the reason in the place of its title. */
function unreadable({ stem, size, mtimeMs }: ScannedFile, problem: string): SessionDigest {
  return {
    ...{ id: stem, cwd: undefined, title: problem, name: undefined, startedAt: mtimeMs, endedAt: mtimeMs, models: [] },
    ...{ usage: emptyUsage, costUsd: 0, calls: 0, turns: 0, toolCalls: 0, filesChanged: 0, busyMs: 0, ledger: [] },
    ...{ state: "damaged", forkedFrom: undefined, logBytes: size, damagedPlaces: 1 },
  };
}
