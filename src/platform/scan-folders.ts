import { readdirSync, statSync } from "node:fs";
import { errnoOf } from "./file-fault.ts";

export type ScannedFile = {
  readonly path: string;
  /** Without its ending. */
  readonly stem: string;
  readonly folder: string;
  readonly size: number;
  readonly mtimeMs: number;
  readonly inode: number;
};

export type FolderScan = {
  readonly files: readonly ScannedFile[];
  /** Everything that lies beside the files: full paths. */
  readonly beside: ReadonlySet<string>;
  /** Folders that are there and cannot be read. */
  readonly unreadable: readonly string[];
};

/** The files with an ending in all folders right below one folder. Links count as what they point to; what vanishes meanwhile is left out. */
export function scanFolders(root: string, ending: string): FolderScan {
  const files: ScannedFile[] = [];
  const beside = new Set<string>();
  const unreadable: string[] = [];
  const namesOf = (folder: string) => {
    try {
      return readdirSync(folder);
    } catch (error) {
      const code = errnoOf(error);
      if (code !== "ENOENT" && code !== "ENOTDIR") unreadable.push(folder);
      return [];
    }
  };
  for (const project of namesOf(root)) {
    const folder = `${root}/${project}`;
    for (const name of namesOf(folder)) {
      const path = `${folder}/${name}`;
      if (!name.endsWith(ending)) {
        beside.add(path);
        continue;
      }
      const stat = statSync(path, { throwIfNoEntry: false });
      if (stat?.isFile())
        files.push({
          path,
          folder,
          stem: name.slice(0, -ending.length),
          size: stat.size,
          mtimeMs: stat.mtimeMs,
          inode: stat.ino,
        });
    }
  }
  return { files, beside, unreadable };
}
