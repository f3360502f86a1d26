import { lstatSync, type Stats } from "node:fs";

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function pathExists(path: string): boolean {
  return statOf(path) !== undefined;
}

/** Undefined for links, folders, devices and nothing at all. */
export function sizeOfFile(path: string): number | undefined {
  const stat = statOf(path);
  return stat?.isFile() ? stat.size : undefined;
}
