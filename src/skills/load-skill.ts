import { resolve } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { type Infer, object, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool } from "../contracts/tool.ts";
import { isScript } from "../platform/script-file.ts";
import { similarNames } from "../platform/similar-names.ts";
import type { Skill } from "./skill.ts";
import { type LoadedSkill, readSkillFile } from "./skill-files.ts";

const input = object({
  name: string(),
  file: optional(string("One of the skill's own files instead of its instructions")),
});

type LoadSkillOptions = {
  readonly skills: readonly Skill[];
  /** May scripts of this skill be offered? */
  readonly mayRun: (skill: Skill) => boolean;
  /** Throws ToolError when it cannot be read any more. */
  readonly load: (skill: Skill) => Promise<LoadedSkill>;
};

/** Skills are found by their names alone, never by a path. */
export function createLoadSkill({ skills, mayRun, load }: LoadSkillOptions): AnyTool {
  const offered = skills.filter(({ isForModel }) => isForModel);
  return defineTool<Infer<typeof input>>({
    name: "load_skill",
    description: "Read a skill's instructions by its name.",
    input,
    effect: "read",
    describe({ name, file }) {
      if (file === undefined) return { label: "skill", title: name };
      const skill = named(offered, name);
      return { label: "skill", title: `${name}: ${file}`, ...(skill ? { reads: [resolve(skill.folder, file)] } : {}) };
    },
    async run({ name, file }, { signal }) {
      const skill = find(offered, name);
      if (file !== undefined) return { text: await readSkillFile(skill, file, { mayBeScript: mayRun(skill), signal }) };
      const { body, files } = await load(skill);
      return {
        text: [`<skill name="${skill.name}">`, body.trim(), "</skill>", ...about(skill, files, mayRun(skill))].join(
          "\n",
        ),
      };
    },
  });
}

function about(
  { name, folder }: Skill,
  { files, isComplete }: LoadedSkill["files"],
  mayRun: boolean,
): readonly string[] {
  const shown = files.filter((file) => mayRun || !isScript(file));
  const left = files.length - shown.length;
  if (files.length === 0) return [];
  const list = shown.map(({ path, size }) => `${path} (${sizeText(size)})`).join(", ");
  return [
    ...(shown.length > 0
      ? [`[its files: ${list}${isComplete ? "" : " and more"}; read one with load_skill{"name": "${name}", "file": …}]`]
      : []),
    ...(mayRun && files.some(isScript) ? [`[its scripts are run from ${folder}]`] : []),
    ...(left > 0 ? [`[${left} script${left === 1 ? "" : "s"} left out: the user has not trusted this project]`] : []),
  ];
}

function sizeText(bytes: number): string {
  return bytes < 1_024 ? `${bytes} bytes` : `${Math.round(bytes / 1_024)} KB`;
}

function named(skills: readonly Skill[], wanted: string): Skill | undefined {
  return (
    skills.find(({ name }) => name === wanted) ?? skills.find(({ name }) => name.toLowerCase() === wanted.toLowerCase())
  );
}

function find(skills: readonly Skill[], wanted: string): Skill {
  const exact = named(skills, wanted);
  if (exact) return exact;
  const names = skills.map(({ name }) => name);
  const word = wanted.toLowerCase();
  const about =
    word.length < 3
      ? []
      : skills.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(word));
  const near = [...new Set([...similarNames(wanted, names), ...about.map(({ name }) => name)])].slice(0, 10);
  const hint =
    near.length > 0
      ? `Nearest: ${near.join(", ")}.`
      : `The skills are: ${names.slice(0, 50).join(", ")}${names.length > 50 ? ", …" : ""}.`;
  throw new ToolError(`There is no skill named ${JSON.stringify(wanted.slice(0, 100))}. ${hint}`);
}
