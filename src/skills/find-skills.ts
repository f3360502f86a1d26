import { join } from "node:path";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { pathExists } from "../platform/file-kind.ts";
import { realOrSame } from "../platform/paths.ts";
import { repositoryFolders } from "../platform/repository-folders.ts";

export type SkillRoot = {
  /** A folder of folders with a SKILL.md each. */
  readonly path: string;
  readonly owner: "person" | "project";
};

const places = [".corecoder/skills", ".claude/skills", ".agents/skills"];

/** Without a folder of skills this costs a few looks at the disk and loads nothing. */
export async function findSkills(context: ExtensionContext): Promise<Extension | undefined> {
  const { folders, root = context.cwd } = repositoryFolders(context.cwd);
  const roots = skillRoots(folders, context);
  if (roots.length === 0) return undefined;
  const { openSkills } = await import("./open-skills.ts");
  return openSkills({ roots, repository: realOrSame(root), context });
}

/** Nearest first: the folder, those above it, then the person's own. */
function skillRoots(folders: readonly string[], { home, stateFolder }: ExtensionContext): readonly SkillRoot[] {
  const own = [join(stateFolder, "skills"), ...places.map((place) => join(home, place))];
  const inProject = folders.toReversed().flatMap((folder) => places.map((place) => join(folder, place)));
  const roots: SkillRoot[] = [
    ...inProject.filter((path) => !own.includes(path)).map((path) => ({ path, owner: "project" as const })),
    ...own.map((path) => ({ path, owner: "person" as const })),
  ];
  return roots.filter(({ path }) => pathExists(path));
}
