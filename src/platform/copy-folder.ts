import { cpSync, existsSync, lstatSync } from "node:fs";

/** The files in a folder of ours, with their modes; nothing when there is no such folder. */
export function copyFiles(from: string, to: string): void {
  if (!existsSync(from)) return;
  const isInFolder = (path: string) => path !== from && lstatSync(path).isDirectory();
  cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: (path) => !isInFolder(path) });
}
