import { lstatSync, type Stats } from "node:fs";

function statOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}

export function pathExists(path: string): boolean {
  return statOf(path) !== undefined;
}

/** True for a plain file; false for links, folders, devices and nothing at all. */
export function isRegularFile(path: string): boolean {
  return statOf(path)?.isFile() ?? false;
}
