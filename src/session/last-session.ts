import { scanFolders } from "../platform/scan-folders.ts";
import { readLog } from "./log/read-log.ts";

/** The log in a project's folder that was written to last and holds a conversation; undefined when there is none. */
export function lastSession(stateFolder: string, project: string): string | undefined {
  const root = `${stateFolder}/sessions`;
  const logs = scanFolders(root, ".jsonl")
    .files.filter(({ folder }) => folder === `${root}/${project}`)
    .sort((a, b) => b.mtimeMs - a.mtimeMs || (a.stem < b.stem ? 1 : -1));
  return logs.find(({ path }) => holdsMessages(path))?.path;
}

function holdsMessages(path: string): boolean {
  for (const found of readLog(path)) if ("entry" in found && found.entry.type === "message") return true;
  return false;
}
