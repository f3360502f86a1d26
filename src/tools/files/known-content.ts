import { ToolError } from "../../contracts/errors.ts";
import type { Workspace } from "../../contracts/workspace.ts";
import { type ContentHasher, fingerprintOf, hashLimitBytes } from "../../platform/content-hash.ts";
import { type OpenFile, readWhole } from "../../platform/open-file.ts";
import type { FileUpdate } from "../../platform/update-file.ts";

export type KnownFile = {
  readonly target: string;
  readonly shown: string;
  readonly workspace: Workspace;
  readonly hasher: ContentHasher;
};

/** The bytes as they are now; undefined for a file too big to hold, which is told apart by its fingerprint. */
export function currentBytes(current: OpenFile): Buffer | undefined {
  return current.stat.size > hashLimitBytes ? undefined : readWhole(current, hashLimitBytes);
}

/** Refuses a file that was never read in this conversation or has changed since: overwriting it would lose somebody's work. */
export function refuseUnknown(
  current: OpenFile,
  bytes: Buffer | undefined,
  { target, shown, workspace, hasher }: KnownFile,
): void {
  const seen = workspace.seen.get(target);
  if (seen === undefined) {
    throw new ToolError(
      `${shown} exists but was not read yet in this conversation; nothing was changed. Call read_file on it first, then repeat the call.`,
    );
  }
  const now = bytes ? hasher.of(bytes) : fingerprintOf(current.stat);
  if (now !== seen) {
    throw new ToolError(
      `${shown} changed on disk since it was read (stale); nothing was changed. Read it again with read_file, then repeat the call with the new content in mind.`,
    );
  }
}

/** What was just written counts as read. */
export function rememberWritten(
  { target, workspace, hasher }: KnownFile,
  bytes: Buffer,
  { outcome, stat }: FileUpdate,
): void {
  workspace.seen.set(target, bytes.length > hashLimitBytes ? fingerprintOf(stat) : hasher.of(bytes));
  if (outcome !== "unchanged") workspace.changed.add(target);
}
