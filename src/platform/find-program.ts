import { accessSync, constants, statSync } from "node:fs";
import { isAbsolute, join, resolve } from "node:path";
import { isInside, realOrSame } from "./paths.ts";

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

/** Is one of the folders, or something in them, where programs are looked for? A relative place may be anywhere. */
export function findsProgramsIn(folders: readonly string[], path = ""): boolean {
  const roots = folders.map((folder) => realOrSame(resolve(folder)));
  const places = path === "" ? [] : path.split(":");
  return places.some((place) => !isAbsolute(place) || roots.some((root) => isInside(realOrSame(place), root)));
}
