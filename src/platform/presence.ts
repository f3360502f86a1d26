import { join } from "node:path";
import { namesIn } from "./list-folder.ts";
import { readIfThere, removeIfThere, replacePrivateFile } from "./private-files.ts";
import { ownIdentity, type ProcessIdentity, whereabouts } from "./process-identity.ts";
import { randomName } from "./random-name.ts";

/** Says that this process uses what lies in a folder, until the answer is called or the process is gone. */
export function announcePresence(folder: string): () => void {
  const path = join(folder, `${process.pid}-${randomName(6)}.json`);
  try {
    replacePrivateFile(path, JSON.stringify(ownIdentity()));
  } catch {
    // Where nothing can be written there is nothing to protect either.
  }
  return () => removeIfThere(path);
}

/** Is anybody there who may still be running? What others left behind when they died is removed. */
export function isAnybodyPresent(folder: string): boolean {
  return namesIn(folder).some((name) => {
    const path = join(folder, name);
    const identity = parseIdentity(readIfThere(path));
    if (identity && whereabouts(identity) !== "gone") return true;
    removeIfThere(path);
    return false;
  });
}

function parseIdentity(text: string | undefined): ProcessIdentity | undefined {
  try {
    return JSON.parse(text ?? "null") ?? undefined;
  } catch {
    return undefined;
  }
}
