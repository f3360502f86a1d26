import { dirname, isAbsolute, resolve } from "node:path";
import { sizeOfFile } from "../platform/file-kind.ts";
import { expandPath, isInside, realOrSame } from "../platform/paths.ts";
import { readInstructions } from "./read-instructions.ts";
import type { InstructionFile } from "./sections/instructions.ts";

const deepest = 5;
const mostFiles = 50;

export type ImportScope = {
  /** Imports must lie in here; undefined: anywhere. */
  readonly within: string | undefined;
  readonly isSecret: (path: string) => boolean;
  readonly warn: (text: string) => void;
};

/**
 * The file with what its `@path` names, each once and before the file that names it, so that the one that imports has the last word. What does not
 * exist is no import but a word, such as somebody's name.
 */
export function withImports(file: InstructionFile, scope: ImportScope): readonly InstructionFile[] {
  const seen = new Set([file.path]);
  const collect = (from: InstructionFile, depth: number): InstructionFile[] => {
    const imported = namesIn(from.text).flatMap((name) => {
      const path =
        name.startsWith("~/") || isAbsolute(name) ? expandPath(name, "/") : resolve(dirname(from.path), name);
      if (seen.has(path) || seen.size > mostFiles) return [];
      if (depth === deepest) {
        if (readInstructions(path, () => {}))
          scope.warn(`${from.path} imports ${name} at a depth of more than ${deepest}; it was left out.`);
        return [];
      }
      const found = readImport(path, { ...scope, importer: from.path });
      if (found === undefined) return [];
      seen.add(path);
      return collect(found, depth + 1);
    });
    return [...imported, from];
  };
  return collect(file, 0);
}

type ImportedFrom = ImportScope & { readonly importer: string };

function readImport(path: string, { within, isSecret, warn, importer }: ImportedFrom): InstructionFile | undefined {
  const real = realOrSame(path);
  if (sizeOfFile(real) === undefined) return undefined;
  const isOutside = within !== undefined && !isInside(real, realOrSame(within));
  if (isOutside || isSecret(path) || isSecret(real)) {
    const why = isOutside ? "lies outside the repository" : "likely holds a secret";
    warn(`${importer} imports ${path}, which ${why}; it was left out.`);
    return undefined;
  }
  return readInstructions(path, warn);
}

/** `@docs/style.md`, at the beginning of a word and outside of code. */
function namesIn(text: string): string[] {
  if (!text.includes("@")) return [];
  const prose = text
    .replace(/^( {0,3})(`{3,}|~{3,})[\s\S]*?(?:^ {0,3}\2[`~]*[ \t]*$|(?![\s\S]))/gm, "")
    .replace(/(`+)[^`\n]*\1/g, "");
  const names = [...prose.matchAll(/(?<![^\s(])@((?:~\/|\.{0,2}\/)?[\w.][\w./@+-]*)/g)].map(([, name = ""]) =>
    name.replace(/[.,;:]+$/, ""),
  );
  return [...new Set(names)].filter((name) => name !== "");
}
