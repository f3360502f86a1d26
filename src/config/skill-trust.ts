import { join } from "node:path";
import { pathExists } from "../platform/file-kind.ts";
import { filesBelow } from "../platform/files-below.ts";
import { namesIn } from "../platform/list-folder.ts";
import { readIfThere } from "../platform/private-files.ts";
import { isScript } from "../platform/script-file.ts";

const places = [".corecoder/skills", ".claude/skills", ".agents/skills"];
/** As many, and as much of each, as are ever read of a skill. */
const mostFiles = 100;
const mostBytes = 256 * 1024;

/** A skill of a project that counts in full only with trust, and the files that trust in it covers. */
export type SkillWish = { readonly place: string; readonly wish: string; readonly files: readonly string[] };

/** Where there are no folders of skills this costs three looks at the disk. */
export function skillWishes(folder: string): readonly SkillWish[] {
  return places
    .filter((place) => pathExists(join(folder, place)))
    .flatMap((place) =>
      namesIn(join(folder, place))
        .sort()
        .map((name) => `${place}/${name}`),
    )
    .flatMap((place) => wishOf(folder, place) ?? []);
}

function wishOf(folder: string, place: string): SkillWish | undefined {
  const { files: found } = filesBelow(join(folder, place), mostFiles);
  const instructions = found.find(({ path, size }) => path === "SKILL.md" && size <= mostBytes);
  if (instructions === undefined) return undefined;
  const scripts = found.filter((file) => file !== instructions && isScript(file));
  const text = readIfThere(join(folder, place, instructions.path)) ?? "";
  const allowed = /^allowed-tools[ \t]*:[ \t]*(.*)$/m.exec(text)?.[1];
  if (scripts.length === 0 && allowed === undefined) return undefined;
  const wishes = [
    ...(scripts.length > 0 ? [`offer the model its scripts ${scripts.map(({ path }) => path).join(", ")}`] : []),
    ...(allowed === undefined ? [] : [`allow tools without a question while it is used: ${allowed || "a list"}`]),
  ];
  const files = [instructions, ...scripts].map(({ path }) => join(folder, place, path));
  return { place, wish: wishes.join("; "), files };
}
