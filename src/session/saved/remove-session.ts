import { removeAll, treeBytes } from "../../platform/remove-files.ts";
import { acquireLock } from "../log/session-lock.ts";

/** What lies beside a log and belongs to it: the kept texts, the lock, what was cut out of it. */
function belongings(log: string, beside: ReadonlySet<string>): string[] {
  const stem = log.replace(/\.jsonl$/, "");
  return [...beside].filter((path) => path === stem || path.startsWith(`${stem}.`));
}

export function sessionBytes(log: string, beside: ReadonlySet<string>): number {
  return [log, ...belongings(log, beside)].reduce((sum, path) => sum + treeBytes(path), 0);
}

/** Removes a session with all that belongs to it, the log last: what was begun can be ended later. Answers whether it is gone. */
export function removeSession(log: string, beside: ReadonlySet<string>): "removed" | "open" | "failed" {
  const lock = acquireLock(log);
  if (!lock.held) return "open";
  try {
    const others = belongings(log, beside).filter((path) => !path.endsWith(".lock"));
    return [...others, log].every(removeAll) ? "removed" : "failed";
  } finally {
    lock.release();
  }
}
