import type { SlashCommand } from "../contracts/command.ts";
import type { Skill } from "./skill.ts";
import type { LoadedSkill } from "./skill-files.ts";

/** `/name words` sends the skill's instructions with these words; undefined for a name that cannot be typed. */
export function skillCommand(skill: Skill, load: (skill: Skill) => Promise<LoadedSkill>): SlashCommand | undefined {
  const name = skill.name.toLowerCase().replace(/[^\w-]+/g, "-");
  if (!skill.isForPerson || !/^[a-z][\w-]*$/.test(name)) return undefined;
  return {
    name,
    usage: skill.argumentHint ?? "[TEXT]",
    summary: `skill: ${skill.description.length > 80 ? `${skill.description.slice(0, 79)}…` : skill.description}`,
    async run(argument, host) {
      const { body } = await load(skill);
      if (skill.model !== undefined && skill.model !== "inherit")
        host.print(`This skill is meant for the model ${skill.model}; /model ${skill.model} switches to it.\n`);
      return { prompt: promptOf(skill, body.trim(), argument) };
    },
  };
}

function promptOf({ name }: Skill, body: string, argument: string): string {
  const isAsked = body.includes("$ARGUMENTS");
  const filled = isAsked ? body.replaceAll("$ARGUMENTS", () => argument) : body;
  const words = argument === "" || isAsked ? "" : `\n\n${argument}`;
  return `/${name}${argument === "" ? "" : ` ${argument}`}\n\n<skill name="${name}">\n${filled}\n</skill>${words}`;
}
