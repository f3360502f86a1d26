import { dirname, join } from "node:path";
import { isRegularFile, pathExists } from "../platform/file-kind.ts";
import { readIfThere } from "../platform/private-files.ts";
import type { InstructionFile } from "./sections/instructions.ts";

const names = ["AGENTS.md", "CLAUDE.md"];

/** Characters no reader sees and some models obey: tag block, variation selectors beyond it, zero-width, bidirectional marks. */
const invisible = /[\u{E0000}-\u{E0FFF}\u061C\u200B-\u200F\u202A-\u202E\u2060-\u2064\u2066-\u2069\uFEFF]/gu;

export type FoundInstructions = {
  readonly files: readonly InstructionFile[];
  readonly isGitRepository: boolean;
  readonly warnings: readonly string[];
};

/** Looks upwards from the folder to the root of its git repository; outside a repository only in the folder itself. Farthest first. */
export function findInstructions(cwd: string): FoundInstructions {
  const folders: string[] = [];
  let root: string | undefined;
  for (let folder = cwd; ; folder = dirname(folder)) {
    folders.unshift(folder);
    if (pathExists(join(folder, ".git"))) root = folder;
    if (root !== undefined || folder === dirname(folder)) break;
  }
  const warnings: string[] = [];
  const searched = root === undefined ? [cwd] : folders;
  const files = searched.flatMap((folder) => names.flatMap((name) => readInstructions(join(folder, name), warnings)));
  return { files: withoutTwins(files), isGitRepository: root !== undefined, warnings };
}

/** Links are not followed: a link in a repository must not send some other file of the person's to the model. */
function readInstructions(path: string, warnings: string[]): InstructionFile[] {
  if (!isRegularFile(path)) return [];
  const text = readIfThere(path);
  if (text === undefined || text.trim() === "") return [];
  const visible = text.replace(invisible, "");
  if (visible.length < text.replace(/^\uFEFF/, "").length)
    warnings.push(`${path} holds invisible characters; they were left out.`);
  return [{ path, text: visible }];
}

/** CLAUDE.md is often a copy of AGENTS.md. */
function withoutTwins(files: readonly InstructionFile[]): InstructionFile[] {
  return files.filter((file, index) => files.findIndex((other) => other.text.trim() === file.text.trim()) === index);
}
