import { lstatSync, readdirSync, rmSync } from "node:fs";

/** Removes a file or a folder with all it holds; a link goes, what it points to stays. Answers whether it is gone. */
export function removeAll(path: string): boolean {
  try {
    rmSync(path, { recursive: true, force: true });
    return true;
  } catch {
    return false;
  }
}

/** The bytes of a file, or of all files below a folder; links are not followed, and what cannot be read counts nothing. */
export function treeBytes(path: string): number {
  try {
    const stat = lstatSync(path);
    if (!stat.isDirectory()) return stat.size;
    return readdirSync(path).reduce((sum, name) => sum + treeBytes(`${path}/${name}`), 0);
  } catch {
    return 0;
  }
}
