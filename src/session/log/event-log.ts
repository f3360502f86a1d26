import { messageOf } from "../../contracts/errors.ts";
import type { SessionEntry, SessionLog } from "../../contracts/session.ts";
import { createLogWriter, UnwritableEntry } from "./log-writer.ts";
import { createSyncSoon } from "./sync-soon.ts";

export type EventLogOptions = {
  readonly id: string;
  /** Folder of this project's sessions; made when missing. */
  readonly folder: string;
  /** Told once a trouble, and once when it is over, in words for the person. The session goes on. */
  readonly onTrouble: (problem: string) => void;
  /** "strict": when `append` returns, the record is on the disk and not only with the operating system. */
  readonly durability?: "background" | "strict";
};

const syncWithinMs = 50;

/**
 * One file a session, one line a record (log-record.ts). A record is one write(2), done when `append` returns, so a killed process loses
 * nothing that was acknowledged; at most 50 ms later it is on the disk. A log that exists is continued behind what it holds.
 * What cannot be written waits in memory, in order, and is tried again with every later call. A log that is deleted or replaced while it
 * is in use is written anew from the file that is still open.
 */
export function createEventLog({ id, folder, onTrouble, durability = "background" }: EventLogOptions): SessionLog {
  const waiting: { readonly entry: SessionEntry; readonly time: number }[] = [];
  const writer = createLogWriter(`${folder}/${id}`, onTrouble);
  const trouble = createTrouble(folder, onTrouble);
  const disk = createSyncSoon({
    withinMs: syncWithinMs,
    sync: (done) => (writer.file === undefined ? done() : writer.file.syncInBackground(done)),
    onDone: (error) => trouble.set("sync", error),
  });

  function writeWaiting(): void {
    for (let first = waiting[0]; first !== undefined; first = waiting[0]) {
      try {
        writer.write(first.entry, first.time);
        disk.touch();
      } catch (error) {
        if (!(error instanceof UnwritableEntry)) throw error;
        onTrouble(
          `An entry (${first.entry.type}) of the session log in ${folder} cannot be written (${error.message}); the log goes on without it.`,
        );
      }
      waiting.shift();
    }
  }

  function catchUp(): void {
    // a fault may pass at once; when it stays, each call tries only one more time
    for (let triesLeft = trouble.has("write") ? 1 : 2; triesLeft > 0; triesLeft--) {
      try {
        if (waiting.length > 0) writeWaiting();
        else writer.stayInPlace();
        trouble.set("write", undefined);
        return;
      } catch (error) {
        if (triesLeft === 1) trouble.set("write", error);
      }
    }
  }

  function syncNow(): void {
    if (disk.isClean) return;
    disk.clear();
    try {
      writer.file?.sync();
      trouble.set("sync", undefined);
    } catch (error) {
      trouble.set("sync", error);
    }
  }

  return {
    id,
    append(entry) {
      waiting.push({ entry, time: Date.now() });
      catchUp();
      if (durability === "strict") syncNow();
    },
    async flush() {
      catchUp();
      await disk.settle();
    },
    close() {
      catchUp();
      syncNow();
      writer.close();
    },
  };
}

/** Two things can fail, and come back, on their own: writing and syncing. The person hears when the first fails and when both work again. */
function createTrouble(folder: string, tell: (text: string) => void) {
  const present = new Set<"write" | "sync">();
  return {
    has: (kind: "write" | "sync") => present.has(kind),
    set(kind: "write" | "sync", error: unknown): void {
      const before = present.size;
      if (error === undefined) present.delete(kind);
      else present.add(kind);
      if (before === 0 && present.size > 0)
        tell(
          `The session log in ${folder} cannot be written (${messageOf(error)}). The session goes on; what is missing is written as soon as that works.`,
        );
      if (before > 0 && present.size === 0) tell(`The session log in ${folder} is written again, nothing is missing.`);
    },
  };
}

/** Sorts by time, unique without asking anybody. */
export function newSessionId(now: Date, random: string): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${random}`;
}
