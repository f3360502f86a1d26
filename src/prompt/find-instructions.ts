import { join } from "node:path";
import { repositoryFolders } from "../platform/repository-folders.ts";
import { type ImportScope, withImports } from "./imported-files.ts";
import { readInstructions } from "./read-instructions.ts";
import type { InstructionFile } from "./sections/instructions.ts";

export const instructionNames = ["AGENTS.md", "CLAUDE.md"];

export type InstructionOptions = {
  /** Where the person's own lie, in order of preference: the first that exists counts. */
  readonly own?: readonly string[];
  /** May what the project's files import lie outside of it? */
  readonly isTrusted?: boolean;
  readonly isSecret?: (path: string) => boolean;
};

export type FoundInstructions = {
  readonly files: readonly InstructionFile[];
  readonly isGitRepository: boolean;
  readonly warnings: readonly string[];
};

/**
 * The person's own come first. Then it looks upwards from the folder to the root of its git repository; outside a repository only in the folder
 * itself. Farthest first.
 */
export function findInstructions(cwd: string, options: InstructionOptions = {}): FoundInstructions {
  const { folders, root } = repositoryFolders(cwd);
  const warnings: string[] = [];
  const warn = (text: string) => void warnings.push(text);
  const scope: ImportScope = {
    within: options.isTrusted ? undefined : (root ?? cwd),
    isSecret: options.isSecret ?? (() => false),
    warn,
  };
  const own = firstOf(options.own ?? [], warn).flatMap((file) =>
    withImports({ ...file, isOwn: true }, { ...scope, within: undefined }),
  );
  const paths = folders.flatMap((folder) => instructionNames.map((name) => join(folder, name)));
  const project = paths.flatMap((path) => {
    const file = readInstructions(path, warn);
    return file ? withImports(file, scope) : [];
  });
  return { files: withoutTwins([...own, ...project]), isGitRepository: root !== undefined, warnings };
}

function firstOf(paths: readonly string[], warn: (text: string) => void): InstructionFile[] {
  for (const path of paths) {
    const file = readInstructions(path, warn);
    if (file) return [file];
  }
  return [];
}

/** CLAUDE.md is often a copy of AGENTS.md. */
function withoutTwins(files: readonly InstructionFile[]): InstructionFile[] {
  return files.filter((file, index) => files.findIndex((other) => other.text.trim() === file.text.trim()) === index);
}
