import { relative } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import { readMarkdownFile } from "../platform/markdown-file.ts";
import { isInside } from "../platform/paths.ts";
import { isScript } from "../platform/script-file.ts";
import { catalogue } from "./catalogue.ts";
import type { SkillRoot } from "./find-skills.ts";
import { grantableRules } from "./granted-rules.ts";
import { createLoadSkill } from "./load-skill.ts";
import { readSkills } from "./read-skills.ts";
import type { Skill } from "./skill.ts";
import { skillCommand } from "./skill-command.ts";
import { filesOf, type LoadedSkill } from "./skill-files.ts";

type Opening = {
  readonly roots: readonly SkillRoot[];
  readonly repository: string;
  readonly context: ExtensionContext;
};

export async function openSkills({ roots, repository, context }: Opening): Promise<Extension | undefined> {
  const { skills, problems } = await readSkills(roots, repository);
  for (const problem of problems) context.onNotice(problem);
  if (skills.length === 0) return undefined;
  const matchers = await pathMatchers(skills, repository);
  return skillsExtension({ skills, matchers, context });
}

type Matcher = { readonly skill: Skill; readonly fits: (path: string) => boolean };

type Found = {
  readonly skills: readonly Skill[];
  readonly matchers: readonly Matcher[];
  readonly context: ExtensionContext;
};

function skillsExtension({ skills, matchers, context }: Found): Extension {
  const warned = new Set<string>();
  let loaded = new Set<Skill>();
  let announced = new Set<Skill>();
  let pending: string[] = [];
  let isFolded = false;

  const isTrusted = ({ owner }: Skill) => owner === "person" || context.isTrusted;

  function warnOnce(text: string): void {
    if (warned.has(text)) return;
    warned.add(text);
    context.onNotice(text);
  }

  /** Its folder may have changed since the start, so it is read again. */
  async function load(skill: Skill): Promise<LoadedSkill> {
    const read = await readMarkdownFile(skill.file);
    if ("problem" in read) throw new ToolError(`The skill ${skill.name} cannot be read any more: ${read.problem}`);
    const files = filesOf(skill);
    loaded.add(skill);
    announced.add(skill);
    if (!isTrusted(skill) && (files.files.some(isScript) || skill.allowedTools.length > 0))
      warnOnce(
        `The skill ${skill.name} of this project brings scripts or wants tools allowed; only its text is used. \`corecoder trust\` shows what it wants and trusts it.`,
      );
    const { refused } = grantableRules(skill.allowedTools);
    if (isTrusted(skill) && refused.length > 0)
      warnOnce(
        `The skill ${skill.name} wants ${refused.join(", ")} allowed, which is more than a skill may have; it is asked as always.`,
      );
    return { body: read.body, files };
  }

  const tool = createLoadSkill({ skills, mayRun: isTrusted, load });
  const section = catalogue(skills, context.windowTokens);
  return {
    ...(section === "" ? {} : { tools: [tool], section }),
    commands: skills.flatMap((skill) => skillCommand(skill, load) ?? []),
    grantedRules: () => [...loaded].filter(isTrusted).flatMap(({ allowedTools }) => grantableRules(allowedTools).rules),
    onTouched(paths) {
      for (const { skill, fits } of matchers) {
        if (announced.has(skill) || !paths.some(fits)) continue;
        announced.add(skill);
        pending.push(
          `[The skill ${skill.name} is about files such as the one just touched: ${skill.description} load_skill reads it.]`,
        );
      }
    },
    pendingNotices() {
      const notices = pending;
      pending = [];
      return notices;
    },
    onFolded() {
      isFolded = true;
    },
    onView() {
      const names = [...loaded].filter(({ isForModel }) => isForModel).map(({ name }) => name);
      pending =
        isFolded && names.length > 0
          ? [`[Skills loaded before: ${names.join(", ")}. If one is still needed, load_skill brings it back.]`]
          : [];
      if (!isFolded) announced = new Set();
      isFolded = false;
      loaded = new Set();
    },
    forSubagent: () => skillsExtension({ skills, matchers, context }),
  };
}

/** Patterns are relative to the repository; the library is loaded only for skills that have some. */
async function pathMatchers(skills: readonly Skill[], repository: string): Promise<readonly Matcher[]> {
  const withPaths = skills.filter(({ paths, isForModel }) => paths.length > 0 && isForModel);
  if (withPaths.length === 0) return [];
  const { default: picomatch } = await import("picomatch");
  return withPaths.map((skill) => {
    const matches = picomatch([...skill.paths], { dot: true });
    return { skill, fits: (path) => isInside(path, repository) && matches(relative(repository, path)) };
  });
}
