import { existsSync, readFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import type { Ignore } from "ignore";
import { isInside } from "./paths.ts";

/** The ignore rules that one folder states for everything below it. */
export type FolderRules = { readonly folder: string; readonly rules: Ignore };

/** A folder to search, and what in it does not count. */
export type SearchScope = {
  readonly base: string;
  /** False when the folder itself is ignored: whoever names it wants to see inside. */
  readonly honoursIgnores: boolean;
  /** Rules of the folders above, outermost first. */
  readonly above: readonly FolderRules[];
};

/** Skipped although no rule may say so, unless the search starts inside: nobody means them. */
export const junkFolders = [".git", ".hg", ".svn", "node_modules", "__pycache__", ".venv", ".tox"] as const;

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

/** Undefined when the folder states none. */
export async function rulesIn(folder: string): Promise<FolderRules | undefined> {
  const text = [join(folder, ".git", "info", "exclude"), join(folder, ".gitignore"), join(folder, ".ignore")]
    .map(textOf)
    .join("\n");
  if (text.trim() === "") return undefined;
  const { default: ignore } = await import("ignore");
  return { folder, rules: ignore({ ignorecase: false }).add(text) };
}

/** The innermost rule that knows the path decides. `kind` matters: a rule with a slash at its end means folders only. */
export function isIgnored(path: string, kind: "file" | "folder", chain: readonly FolderRules[]): boolean {
  for (const { folder, rules } of chain.toReversed()) {
    const name = relative(folder, path).split(sep).join("/");
    const { ignored, unignored } = rules.test(kind === "folder" ? `${name}/` : name);
    if (ignored || unignored) return ignored;
  }
  return false;
}

/** From the repository's top (without one: from `root`) down to the folder above `base`. A parent further out has no say. */
function foldersAbove(base: string, root: string): string[] {
  const above: string[] = [];
  for (let folder = base; ; folder = dirname(folder)) {
    if (folder !== base) above.unshift(folder);
    if (existsSync(join(folder, ".git"))) return above;
    if (folder === dirname(folder)) break;
  }
  return isInside(base, root) ? above.filter((folder) => isInside(folder, root)) : [];
}

/** Caches and virtual environments do: they hold a rule for everything inside. */
function ignoresItself(folder: string): boolean {
  const lines = textOf(join(folder, ".gitignore"))
    .split("\n")
    .map((line) => line.trim());
  const exceptions = lines.filter((line) => line.startsWith("!") && !line.endsWith(".gitignore"));
  return exceptions.length === 0 && lines.some((line) => /^\/?\*\*?$/.test(line));
}

/** `base` and `root` are real paths. */
export async function searchScope(base: string, root: string): Promise<SearchScope> {
  const everything = { base, honoursIgnores: false, above: [] };
  const inJunk = relative(root, base)
    .split(sep)
    .some((name) => junkFolders.some((junk) => junk === name));
  if (inJunk && isInside(base, root)) return everything;
  const above: FolderRules[] = [];
  for (const folder of foldersAbove(base, root)) {
    if (isIgnored(folder, "folder", above)) return everything;
    const rules = await rulesIn(folder);
    if (rules) above.push(rules);
  }
  // `build/**` ignores not the folder but all it holds: a name that no other rule can mean tells.
  const names = [base, join(base, "0-any-name")];
  if (names.some((name) => isIgnored(name, "folder", above))) return everything;
  return ignoresItself(base) ? everything : { base, honoursIgnores: true, above };
}
