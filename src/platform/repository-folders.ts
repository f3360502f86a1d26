import { dirname, join } from "node:path";
import { pathExists } from "./file-kind.ts";

export type RepositoryFolders = {
  /** From the root of the git repository down to the folder; outside a repository the folder alone. */
  readonly folders: readonly string[];
  readonly root: string | undefined;
};

export function repositoryFolders(cwd: string): RepositoryFolders {
  const folders: string[] = [];
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (pathExists(join(folder, ".git"))) return { folders, root: folder };
    if (folder === dirname(folder)) return { folders: [cwd], root: undefined };
  }
}
