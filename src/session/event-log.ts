import type { SessionLog } from "../contracts/session.ts";
import { appendHandle, makePrivateFolder } from "../platform/private-files.ts";

export type EventLogOptions = {
  readonly id: string;
  /** Folder of this project's sessions; made when missing. */
  readonly folder: string;
  /** Told once, in words for the person. The session goes on without its log. */
  readonly onTrouble: (problem: string) => void;
};

/**
 * One file a session, one JSON line an entry. An entry is one write(2), done when `append` returns, so a killed process loses nothing
 * that was acknowledged. A disk that cannot be written costs the log, never the session.
 */
export function createEventLog({ id, folder, onTrouble }: EventLogOptions): SessionLog {
  let file: ReturnType<typeof appendHandle> | undefined;
  let sequence = 0;
  let broken = false;
  return {
    id,
    append(entry) {
      if (broken) return;
      try {
        if (file === undefined) {
          makePrivateFolder(folder);
          file = appendHandle(`${folder}/${id}.jsonl`);
        }
        file.write(`${JSON.stringify({ seq: sequence++, time: Date.now(), ...entry }, describeErrors)}\n`);
      } catch (error) {
        broken = true;
        onTrouble(`The session log in ${folder} cannot be written (${(error as Error).message}); going on without it.`);
      }
    },
    close() {
      file?.close();
      file = undefined;
    },
  };
}

/** An Error has no enumerable fields; its message is what a reader of the log needs. */
function describeErrors(_key: string, value: unknown): unknown {
  return value instanceof Error ? { name: value.name, message: value.message } : value;
}

/** Sorts by time, unique without asking anybody. */
export function newSessionId(now: Date, random: string): string {
  const stamp = now.toISOString().replace(/[-:]/g, "").replace("T", "-").slice(0, 15);
  return `${stamp}-${random}`;
}

/** A project's folder name: its path, readable, without separators. The number tells apart paths that read the same: they share no rules. */
export function projectSlug(root: string): string {
  const readable = root
    .replace(/[^A-Za-z0-9._-]+/g, "-")
    .replace(/^-+/, "")
    .slice(-100);
  // FNV-1a: no secret is kept, and a real hash would cost milliseconds at every start
  let sum = 0x811c9dc5;
  for (let at = 0; at < root.length; at++) sum = Math.imul(sum ^ root.charCodeAt(at), 0x01000193) >>> 0;
  return `${readable || "root"}-${sum.toString(16).padStart(8, "0")}`;
}
