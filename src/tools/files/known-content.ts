import { isUtf8 } from "node:buffer";
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

/** Somebody else has written to the file since this conversation saw it. */
export class StaleFile extends Error {
  readonly bytes: Buffer | undefined;
  readonly identity: string;

  constructor(bytes: Buffer | undefined, identity: string) {
    super("the file changed since it was read");
    this.bytes = bytes;
    this.identity = identity;
  }
}

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
  if (now !== seen) throw new StaleFile(bytes, now);
}

/** What was just written counts as read. */
export function rememberWritten(
  { target, workspace, hasher }: KnownFile,
  bytes: Buffer,
  { outcome, stat }: FileUpdate,
): void {
  workspace.seen.set(target, bytes.length > hashLimitBytes ? fingerprintOf(stat) : hasher.of(bytes));
  rememberText(workspace, target, isUtf8(bytes) ? bytes.toString("utf8") : undefined);
  if (outcome !== "unchanged") workspace.changed.add(target);
}

const longestText = 200_000;
const mostCharacters = 4_000_000;

/** The oldest make room; undefined forgets the file. */
export function rememberText({ seenTexts }: Workspace, target: string, text: string | undefined): void {
  seenTexts.delete(target);
  if (text === undefined || text.length > longestText) return;
  seenTexts.set(target, text);
  let characters = 0;
  for (const known of seenTexts.values()) characters += known.length;
  for (const [path, known] of seenTexts) {
    if (characters <= mostCharacters) return;
    seenTexts.delete(path);
    characters -= known.length;
  }
}
