import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export type ScratchFolder = { readonly path: string; remove(): void };

/** A new private folder with these files in it. */
export function makeScratchFolder(prefix: string, files: Readonly<Record<string, string>>): ScratchFolder {
  const path = realpathSync(mkdtempSync(join(tmpdir(), prefix)));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(path, name)), { recursive: true });
    writeFileSync(join(path, name), text);
  }
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}
