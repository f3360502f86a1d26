import { createHash } from "node:crypto";
import { lstatSync, readFileSync, readlinkSync } from "node:fs";
import { relative } from "node:path";
import { walk } from "./temp.ts";

/** Everything about a folder that undo promises to bring back: kinds, permissions, bytes, targets. Times are not among it. */
export function treeSnapshot(folder: string): Record<string, string> {
  const found: [string, string][] = [];
  for (const path of walk(folder)) found.push([relative(folder, path) || ".", describeEntry(path)]);
  return Object.fromEntries(found.sort(([a], [b]) => (a < b ? -1 : 1)));
}

function describeEntry(path: string): string {
  const stat = lstatSync(path);
  const mode = (stat.mode & 0o7777).toString(8);
  if (stat.isSymbolicLink()) return `link to ${readlinkSync(path)}`;
  if (stat.isDirectory()) return `folder ${mode}`;
  if (!stat.isFile()) return `special ${mode}`;
  return `file ${mode} sha256:${createHash("sha256").update(readFileSync(path)).digest("hex")}`;
}
