import { lstatSync, readdirSync, readlinkSync, renameSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { createRepositoryPrograms } from "../repository-programs.ts";
import { missingPlaces, namesTrustedByOthers } from "./places.ts";

/** `from` is what a command made, `to` where it lies now. */
export type SetAside = { readonly from: string; readonly to: string };

/**
 * Names that other programs run or trust and that are not there, or are links, cannot be mounted over without making them. So a command can make them;
 * when it ends, what it made gets a name that nobody trusts. Answers with the way to do that, which may be called again.
 */
export function watchTrustedNames(roots: readonly string[]): () => readonly SetAside[] {
  const missing = roots.flatMap(missingPlaces);
  const links = roots.flatMap(namesTrustedByOthers).flatMap((path) => {
    const target = linkAt(path);
    return target === undefined ? [] : [{ path, target }];
  });
  const withoutRepository = roots.filter((root) => kindOf(join(root, ".git")) === "nothing");
  return () => [
    ...withoutRepository.flatMap((root) =>
      kindOf(join(root, ".git")) === "other" ? setAside(join(root, ".git")) : [],
    ),
    ...missing.filter((path) => kindOf(path) !== "nothing" && !isHarmless(path)).flatMap(setAside),
    ...links.flatMap(({ path, target }) => {
      if (linkAt(path) === target) return [];
      const moved = kindOf(path) === "nothing" ? [] : setAside(path);
      attempt(() => symlinkSync(target, path));
      return moved;
    }),
  ];
}

function kindOf(path: string): "nothing" | "folder" | "other" {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    return stat === undefined ? "nothing" : stat.isDirectory() ? "folder" : "other";
  } catch {
    return "nothing";
  }
}

function linkAt(path: string): string | undefined {
  try {
    return readlinkSync(path);
  } catch {
    return undefined;
  }
}

/** What `git init` makes, as long as nothing in it runs. */
function isHarmless(path: string): boolean {
  if (path.endsWith("/.git/config"))
    return createRepositoryPrograms()(path.slice(0, -"/.git/config".length)) === undefined;
  return (
    path.endsWith("/.git/hooks") &&
    kindOf(path) === "folder" &&
    readdirSync(path).every((name) => name.endsWith(".sample"))
  );
}

const mostNames = 100;

function setAside(from: string): readonly SetAside[] {
  for (let count = 1; count <= mostNames; count++) {
    const to = `${from}.from-sandbox${count === 1 ? "" : `-${count}`}`;
    if (kindOf(to) !== "nothing") continue;
    return attempt(() => renameSync(from, to)) ? [{ from, to }] : [];
  }
  return [];
}

/** Somebody else may have been faster. */
function attempt(change: () => void): boolean {
  try {
    change();
    return true;
  } catch {
    return false;
  }
}
