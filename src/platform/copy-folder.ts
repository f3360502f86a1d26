import { cpSync, existsSync } from "node:fs";

/** Everything in a folder of ours, with its modes; nothing when there is no such folder. */
export function copyFolder(from: string, to: string): void {
  if (existsSync(from)) cpSync(from, to, { recursive: true, preserveTimestamps: true });
}
