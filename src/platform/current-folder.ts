import { statSync } from "node:fs";
import { resolve } from "node:path";
import { exitCode, UserError } from "../contracts/errors.ts";
import { expandPath } from "./paths.ts";

/** The folder to work in: where we are, or the one named, which becomes where we are. */
export function enterFolder(named: string | undefined): string {
  if (named === undefined) return currentFolder();
  const folder = resolve(named);
  try {
    if (!statSync(folder).isDirectory()) throw new Error("not a folder");
    process.chdir(folder);
  } catch (cause) {
    throw new UserError(exitCode.usage, `Cannot work in ${folder}: ${(cause as Error).message}.`, { cause });
  }
  return folder;
}

/** What is wrong with a folder somebody named, if anything. */
export function problemWithFolder(named: string): string | undefined {
  return isFolder(expandPath(named, process.cwd()))
    ? undefined
    : `names ${named}, which is no folder. Make it first, or leave it out.`;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new UserError(exitCode.usage, "The current folder no longer exists. Change to another one and start again.", {
      cause,
    });
  }
}
