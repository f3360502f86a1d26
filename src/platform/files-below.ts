import { type Dirent, lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";

export type FileBelow = {
  /** Relative to the folder, with forward slashes. */
  readonly path: string;
  readonly size: number;
  readonly isExecutable: boolean;
};

/** Plain files below a folder by their names, hidden ones and links left out, nearest first; not more than `limit`. */
export function filesBelow(
  folder: string,
  limit: number,
): { readonly files: readonly FileBelow[]; readonly isComplete: boolean } {
  const files: FileBelow[] = [];
  const pending = [""];
  for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
    for (const entry of entriesOf(join(folder, next))) {
      if (entry.name.startsWith(".") || entry.name === "node_modules") continue;
      const path = next === "" ? entry.name : `${next}/${entry.name}`;
      if (entry.isDirectory() && pending.length < limit) pending.push(path);
      if (!entry.isFile()) continue;
      if (files.length === limit) return { files, isComplete: false };
      const stat = lstatSync(join(folder, path), { throwIfNoEntry: false });
      if (stat) files.push({ path, size: stat.size, isExecutable: (stat.mode & 0o111) !== 0 });
    }
  }
  return { files, isComplete: true };
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  } catch {
    return [];
  }
}
