import { type Dirent, readdirSync, readlinkSync } from "node:fs";
import { join } from "node:path";

/** Names in a folder, sorted: folders end in `/`, links show where they point. */
export function listFolder(path: string): string[] {
  const entries = readdirSync(path, { withFileTypes: true });
  entries.sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.map((entry) => describeEntry(path, entry));
}

/** Plain names; none when the folder cannot be read. */
export function namesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function describeEntry(folder: string, entry: Dirent): string {
  const name = /[\0-\x1f\x7f]/.test(entry.name) ? JSON.stringify(entry.name) : entry.name;
  if (entry.isDirectory()) return `${name}/`;
  if (entry.isSymbolicLink()) return `${name} -> ${targetOf(join(folder, entry.name))}`;
  if (entry.isFIFO()) return `${name} (FIFO)`;
  if (entry.isSocket()) return `${name} (socket)`;
  return entry.isBlockDevice() || entry.isCharacterDevice() ? `${name} (device)` : name;
}

function targetOf(link: string): string {
  try {
    return readlinkSync(link);
  } catch {
    return "?";
  }
}
