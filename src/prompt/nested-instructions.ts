import { basename, dirname, join } from "node:path";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { displayPath, isInside, realOrSame } from "../platform/paths.ts";
import { repositoryFolders } from "../platform/repository-folders.ts";
import { instructionNames } from "./find-instructions.ts";
import { withImports } from "./imported-files.ts";
import { readInstructions } from "./read-instructions.ts";
import { type InstructionFile, instructionBlocks } from "./sections/instructions.ts";

/** How such a message begins; by this it is found again in a conversation that is taken up. */
const opening = "[Instructions for ";

/**
 * AGENTS.md and CLAUDE.md below the folder, or beside it in the same repository: told when a file they are about is first touched, as a message, so
 * that everything sent before stays in the vendor's cache. Each is told once, and again when a fold has taken it away.
 */
export function nestedInstructions(context: ExtensionContext): Extension {
  let known: Known | undefined;
  let told = new Set<string>();
  let isFolded = false;
  const pending = new Set<string>();

  /** Nothing is looked up before the first file is touched. */
  const knowing = () => (known ??= knownAtStart(context));

  function touch(path: string): void {
    const { root, looked } = knowing();
    if (!isInside(path, root)) return;
    for (let folder = dirname(path); isInside(folder, root) && !looked.has(folder); folder = dirname(folder)) {
      looked.add(folder);
      for (const name of instructionNames) pending.add(join(folder, name));
    }
    // whoever reads such a file has been told
    if (instructionNames.includes(basename(path)) && pending.delete(path)) told.add(path);
  }

  return {
    onTouched: (paths) => paths.forEach(touch),
    pendingNotices() {
      if (pending.size === 0) return [];
      const paths = [...pending].sort((a, b) => a.length - b.length);
      pending.clear();
      return paths.flatMap((path) => {
        const files = read(path, context, knowing().root);
        if (files.length === 0) return [];
        told.add(path);
        return [noticeOf(path, files, context.cwd)];
      });
    },
    onFolded() {
      isFolded = true;
    },
    onView(texts) {
      const still = new Set(texts.flatMap(pathsIn));
      if (isFolded) for (const path of told) still.has(path) || pending.add(path);
      else {
        // another conversation: what it was not told waits until it is touched there
        pending.clear();
        known = undefined;
      }
      isFolded = false;
      told = still;
      for (const path of still) knowing().looked.add(dirname(path));
    },
    forSubagent: () => nestedInstructions(context),
  };
}

type Known = { readonly root: string; readonly looked: Set<string> };

/** The folders whose instructions are in the system prompt need no look. */
function knownAtStart({ cwd }: ExtensionContext): Known {
  const { folders, root } = repositoryFolders(realOrSame(cwd));
  return { root: root ?? realOrSame(cwd), looked: new Set(folders) };
}

function read(
  path: string,
  { isTrusted, isSecret, onNotice }: ExtensionContext,
  root: string,
): readonly InstructionFile[] {
  const file = readInstructions(path, onNotice);
  return file ? withImports(file, { within: isTrusted ? undefined : root, isSecret, warn: onNotice }) : [];
}

function noticeOf(path: string, files: readonly InstructionFile[], cwd: string): string {
  const folder = displayPath(dirname(path), realOrSame(cwd));
  return `${opening}files in ${folder}; where they differ from those above, these count there]\n${instructionBlocks(files)}`;
}

function pathsIn(text: string): string[] {
  if (!text.startsWith(opening)) return [];
  const paths = [...text.matchAll(/^<instructions file="([^"\n]+)">$/gm)].map(([, path = ""]) => path);
  return paths.slice(-1);
}
