import { ToolError } from "../contracts/errors.ts";
import { type FileBelow, filesBelow } from "../platform/files-below.ts";
import { isInside, realTarget } from "../platform/paths.ts";
import { readWindow } from "../platform/read-window.ts";
import { isScript } from "../platform/script-file.ts";
import type { Skill } from "./skill.ts";

const mostListed = 100;
/** What read_file shows at once. */
const window = { offset: 1, limit: 2_000, maxBytes: 100_000, maxLineCharacters: 2_000, maxImageBytes: 0 };

type SkillFiles = { readonly files: readonly FileBelow[]; readonly isComplete: boolean };

export type LoadedSkill = { readonly body: string; readonly files: SkillFiles };

/** What lies beside SKILL.md. */
export function filesOf({ folder }: Skill): SkillFiles {
  const { files, isComplete } = filesBelow(folder, mostListed);
  return { files: files.filter(({ path }) => path !== "SKILL.md"), isComplete };
}

/** By the name the skill was found with; the file must really lie in the skill's folder. */
export async function readSkillFile(
  skill: Skill,
  name: string,
  { mayBeScript, signal }: { readonly mayBeScript: boolean; readonly signal: AbortSignal },
): Promise<string> {
  const known = filesOf(skill);
  const target = locate(skill, name);
  const path = target?.slice(skill.folder.length + 1);
  const listed = known.files.find((file) => file.path === path);
  if (target === undefined || path === undefined || (listed === undefined && known.isComplete && path !== "SKILL.md")) {
    const names = known.files.map((file) => file.path).join(", ") || "none";
    throw new ToolError(`The skill ${skill.name} has no file ${JSON.stringify(name)}. Its files: ${names}.`);
  }
  if (!mayBeScript && isScript(listed ?? { path, isExecutable: false }))
    throw new ToolError(`${path} is a script of a project that the user has not trusted. Go on without it.`);
  const { content, sizeBytes } = await readWindow(target, { ...window, signal });
  if (content.type !== "text") throw new ToolError(`${path} is no text (${content.type}, ${sizeBytes} bytes).`);
  const text = content.lines
    .map((line) => line.text + (line.cutCharacters > 0 ? ` [… ${line.cutCharacters} characters]` : ""))
    .join("\n");
  const isCut = content.lines.length < content.totalLines;
  return isCut
    ? `${text}\n[cut: ${content.lines.length} of ${content.totalLines} lines shown; read_file ${target} for the rest]`
    : text;
}

/** Undefined for whatever leads out of the folder, or through a link. */
function locate({ folder }: Skill, name: string): string | undefined {
  try {
    const target = realTarget(name, folder);
    return isInside(target, folder) && target !== folder ? target : undefined;
  } catch {
    return undefined;
  }
}
