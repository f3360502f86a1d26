import { isUtf8 } from "node:buffer";
import { lstatSync, readdirSync, statfsSync } from "node:fs";
import { join } from "node:path";
import { rowAt, typeOf } from "./file-row.ts";

export type FolderNames = {
  readonly names: readonly string[];
  /** Changes whenever something happens to entries whose names are no UTF-8; empty when there are none. */
  readonly undecodable: string;
};

/** Names that are no UTF-8 cannot be told from each other once decoded: they are left out of `names`. */
export function namesInFolder(path: string): FolderNames | undefined {
  try {
    const names = readdirSync(path);
    if (!names.some((name) => name.includes("\ufffd"))) return { names, undecodable: "" };
    const raw = readdirSync(path, "buffer");
    const undecodable = raw.filter((name) => !isUtf8(name)).map((name) => describeRaw(path, name));
    return { names: raw.filter((name) => isUtf8(name)).map(String), undecodable: undecodable.sort().join("\n") };
  } catch {
    return undefined;
  }
}

function describeRaw(folder: string, name: Buffer): string {
  const stat = lstatSync(Buffer.concat([Buffer.from(`${folder}/`), name]), { throwIfNoEntry: false });
  return `${name.toString("hex")} ${stat?.mode} ${stat?.size} ${stat?.mtimeMs} ${stat?.ctimeMs}`;
}

/** Entries that are no folders, at the most `limit` + 1: then there are more. */
export function countFiles(folder: string, limit: number): number {
  const pending = [folder];
  let count = 0;
  for (let next = pending.pop(); next !== undefined && count <= limit; next = pending.pop()) {
    for (const entry of entriesOf(next)) {
      if (entry.isDirectory()) pending.push(join(next, entry.name));
      else if (++count > limit) break;
    }
  }
  return count;
}

function entriesOf(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return [];
  }
}

const fingerprintEntries = 256;

/** Tells cheaply whether much happened in a folder: it knows the entries nearest to its top. */
export function shallowFingerprint(folder: string): string {
  const pending = [folder];
  const seen: string[] = [];
  for (let next = pending.shift(); next !== undefined && seen.length < fingerprintEntries; next = pending.shift()) {
    const row = rowAt(next);
    if (typeof row === "string") continue;
    seen.push(`${next} ${row.mtimeMs} ${row.ctimeMs} ${row.size}`);
    const room = fingerprintEntries - seen.length - pending.length;
    if (room > 0 && typeOf(row) === "folder") pending.push(...pathsIn(next).slice(0, room));
  }
  return seen.join("\n");
}

function pathsIn(path: string): string[] {
  try {
    return readdirSync(path)
      .sort()
      .map((name) => join(path, name));
  } catch {
    return [];
  }
}

/** ext, btrfs, xfs, tmpfs, overlay, zfs, f2fs, bcachefs: here a folder's time changes with every name in it. */
const dependable = [
  0xef53, 0x9123683e, 0x58465342, 0x01021994, 0x794c7630, 0x2fc12fc1, 0xf2f52010, 0xca451a4e,
] as const;

/** False on network and foreign file systems, whose folders have to be listed to know what is in them. */
export function hasDependableFolderTimes(path: string): boolean {
  if (process.platform === "darwin") return true;
  try {
    const { type } = statfsSync(path);
    return dependable.some((known) => known === type);
  } catch {
    return false;
  }
}
