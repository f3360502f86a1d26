import { closeSync, linkSync, openSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { errnoOf } from "./file-fault.ts";
import { makePrivateFolder, removeIfThere } from "./private-files.ts";
import { randomName } from "./random-name.ts";

/**
 * Makes a private file that others see with all its content or not at all. False when there is a file of that name, whoever made it: of
 * several processes that try, one succeeds.
 */
export function createWhole(path: string, text: string): boolean {
  makePrivateFolder(dirname(path));
  const temporary = `${path}.${randomName(8)}.tmp`;
  try {
    writeFileSync(temporary, text, { mode: 0o600, flag: "wx" });
    return place(temporary, path) ?? createHere(path, text);
  } finally {
    removeIfThere(temporary);
  }
}

/** Undefined where links cannot be made. */
function place(temporary: string, path: string): boolean | undefined {
  try {
    linkSync(temporary, path);
    return true;
  } catch (error) {
    return errnoOf(error) === "EEXIST" ? false : undefined;
  }
}

/** For a moment others may see the file empty. */
function createHere(path: string, text: string): boolean {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errnoOf(error) === "EEXIST") return false;
    throw error;
  }
  try {
    writeFileSync(path, text);
    return true;
  } catch (error) {
    removeIfThere(path);
    throw error;
  }
}
