import { basename, join } from "node:path";
import { pathExists } from "../platform/file-kind.ts";
import { namesIn } from "../platform/list-folder.ts";
import { readMarkdownFile } from "../platform/markdown-file.ts";
import { isInside, realOrSame } from "../platform/paths.ts";
import type { SkillRoot } from "./find-skills.ts";
import { type Skill, type SkillPlace, skillFrom } from "./skill.ts";

/** Nobody has so many; a folder of thousands is something else. */
const mostSkills = 500;

export type ReadSkills = { readonly skills: readonly Skill[]; readonly problems: readonly string[] };

/** Every skill that can be read, nearest first; what is wrong with the others, one line each. */
export async function readSkills(roots: readonly SkillRoot[], repository: string): Promise<ReadSkills> {
  const problems: string[] = [];
  const places = placesIn(roots, repository, problems);
  const read = await Promise.all(
    places.slice(0, mostSkills).map(async (place) => {
      const file = await readMarkdownFile(place.file);
      return "problem" in file ? { problem: `${file.problem} The skill is left out.` } : skillFrom(file, place);
    }),
  );
  if (places.length > mostSkills)
    problems.push(`There are ${places.length} skills; the nearest ${mostSkills} are read.`);
  const byName = new Map<string, Skill>();
  const hidden: string[] = [];
  for (const { skill, problem } of read) {
    if (problem !== undefined) problems.push(problem);
    if (skill === undefined) continue;
    const nearer = byName.get(skill.name.toLowerCase());
    if (nearer === undefined) byName.set(skill.name.toLowerCase(), skill);
    else if (nearer.description !== skill.description)
      hidden.push(`${skill.name} (${nearer.folder}, not ${skill.folder})`);
  }
  if (hidden.length > 0) problems.push(`Some skills have the same name; the nearest counts: ${hidden.join("; ")}.`);
  return { skills: [...byName.values()], problems };
}

/** A project's links must not lead out of it: what lies there is not the project's to offer. */
function placesIn(roots: readonly SkillRoot[], repository: string, problems: string[]): readonly SkillPlace[] {
  const places = new Map<string, SkillPlace>();
  for (const { path, owner } of roots) {
    for (const name of namesIn(path).sort()) {
      const folder = realOrSame(join(path, name));
      const file = join(folder, "SKILL.md");
      if (places.has(folder) || !pathExists(file)) continue;
      if (owner === "project" && !isInside(folder, repository))
        problems.push(`${join(path, name)} leads out of the repository; the skill is left out.`);
      else places.set(folder, { folder, file, owner, folderName: basename(name) });
    }
  }
  return [...places.values()];
}
