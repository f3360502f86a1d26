import { dirname } from "node:path";

/** Logs of sub-agents lie in a folder of this name, in the folder of the session that started them. */
const folderName = "agents";

/** Those of a sub-agent's own lie beside it: nothing lies deeper. */
export function subagentFolder(parentPath: string): string {
  return isSubagentLog(parentPath) ? dirname(parentPath) : `${parentPath.replace(/\.jsonl$/, "")}/${folderName}`;
}

export function isSubagentLog(path: string): boolean {
  return path.split("/").at(-2) === folderName;
}

/** The folder of the project that a session belongs to: there lies what its sessions share. */
export function projectFolderOf(path: string): string {
  return isSubagentLog(path) ? dirname(dirname(dirname(path))) : dirname(path);
}
