import { readdir } from "node:fs/promises";
import { join } from "node:path";
import { isIgnored, junkFolders, rulesIn, type SearchScope } from "./search-scope.ts";

/** The same files as `rg --files`, found by ourselves: plain files, links not followed, unreadable folders passed over. */
export async function* walkFiles(scope: SearchScope): AsyncGenerator<string> {
  const pending = [{ folder: scope.base, relative: "", chain: scope.above }];
  for (let next = pending.pop(); next !== undefined; next = pending.pop()) {
    const { folder, relative } = next;
    const own = scope.honoursIgnores ? await rulesIn(folder) : undefined;
    const chain = own ? [...next.chain, own] : next.chain;
    const skipped: readonly string[] = scope.honoursIgnores ? junkFolders : [".git"];
    const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
    for (const entry of entries) {
      const kind = entry.isDirectory() ? "folder" : entry.isFile() ? "file" : undefined;
      if (kind === undefined || skipped.includes(entry.name)) continue;
      const path = join(folder, entry.name);
      if (isIgnored(path, kind, chain)) continue;
      const name = relative === "" ? entry.name : `${relative}/${entry.name}`;
      if (kind === "file") yield name;
      else pending.push({ folder: path, relative: name, chain });
    }
  }
}
