import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join } from "node:path";

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return statSync(path).isFile();
  } catch {
    return false;
  }
}

/**
 * The absolute path of a program on a PATH. Entries that a project fills are skipped: relative ones, and those that npm adds while it
 * runs a script.
 */
export function findProgram(name: string, path: string | undefined): string | undefined {
  const folders = (path ?? "/usr/local/bin:/usr/bin:/bin")
    .split(":")
    .filter((folder) => isAbsolute(folder) && !folder.split("/").includes("node_modules"));
  return folders.map((folder) => join(folder, name)).find(isProgram);
}
