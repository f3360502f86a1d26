import { type FolderRules, isIgnored, junkFolders, rulesIn, searchScope } from "../platform/search-scope.ts";
import type { FolderEntry } from "./entry.ts";

/** Files that say what is ignored; a repository's own exclusions lie in `.git`. */
const ruleFiles: readonly string[] = [".gitignore", ".ignore", ".git"];

export function namesRules(names: readonly string[]): boolean {
  return ruleFiles.some((file) => names.includes(file));
}

export type IgnoreRules = {
  isIgnoredFolder(path: string, name: string, parent: FolderEntry): Promise<boolean>;
  isIgnoredFile(path: string, parent: FolderEntry): Promise<boolean>;
};

/** The rules as they are now: read anew for every look, and only where something new has to be judged. */
export function createIgnoreRules(): IgnoreRules {
  const chains = new Map<FolderEntry, Promise<readonly FolderRules[]>>();

  async function makeChain(folder: FolderEntry): Promise<readonly FolderRules[]> {
    const above = folder.parent ? await chainOf(folder.parent) : (await searchScope(folder.path, folder.path)).above;
    const own = folder.hasRules ? await rulesIn(folder.path) : undefined;
    return own ? [...above, own] : above;
  }

  function chainOf(folder: FolderEntry): Promise<readonly FolderRules[]> {
    const known = chains.get(folder);
    if (known) return known;
    const chain = makeChain(folder);
    chains.set(folder, chain);
    return chain;
  }

  return {
    isIgnoredFolder: async (path, name, parent) =>
      junkFolders.some((junk) => junk === name) || isIgnored(path, "folder", await chainOf(parent)),
    isIgnoredFile: async (path, parent) => isIgnored(path, "file", await chainOf(parent)),
  };
}
