import { readFileSync, statSync } from "node:fs";
import { dirname, resolve } from "node:path";

/** The branch that is checked out in a folder, or the beginning of a commit; undefined outside a repository. Two small files are read. */
export function currentBranch(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const head = headOf(`${at}/.git`);
    if (head !== undefined) return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, 8);
    if (at === dirname(at)) return undefined;
  }
}

/** `.git` is a folder, or in a worktree a file that names one. */
function headOf(path: string): string | undefined {
  try {
    const folder = statSync(path).isDirectory()
      ? path
      : resolve(
          dirname(path),
          readFileSync(path, "utf8")
            .replace(/^gitdir: /, "")
            .trim(),
        );
    return readFileSync(`${folder}/HEAD`, "utf8").trim();
  } catch {
    return undefined;
  }
}
