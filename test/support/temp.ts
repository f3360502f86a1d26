import { chmodSync, lstatSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A fresh folder by its real path, so that tests can compare paths as text. */
export function makeTempFolder(): string {
  return realpathSync(mkdtempSync(join(tmpdir(), "corecoder-test-")));
}

/** Removes a folder whatever the tests did to its permissions. */
export function removeTempFolder(folder: string): void {
  try {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  } catch {
    for (const path of walk(folder)) if (lstatSync(path).isDirectory()) chmodSync(path, 0o700);
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** Every path below a folder, the folder first; links are not followed. */
export function* walk(folder: string): Generator<string> {
  yield folder;
  if (lstatSync(folder).isDirectory()) for (const name of readdirSync(folder)) yield* walk(join(folder, name));
}

/** The regular files below a folder whose bytes hold the text. */
export function filesContaining(folder: string, needle: string): string[] {
  return [...walk(folder)].filter((path) => lstatSync(path).isFile() && readFileSync(path).includes(needle));
}
