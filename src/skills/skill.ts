/** Instructions for one kind of task, in a folder of their own with what they need. */
export type Skill = {
  readonly name: string;
  readonly description: string;
  /** By its real path. */
  readonly folder: string;
  readonly file: string;
  readonly owner: "person" | "project";
  /** Rules that the skill would like to have allowed while it is loaded. */
  readonly allowedTools: readonly string[];
  readonly model: string | undefined;
  /** Glob patterns of the files it is about. */
  readonly paths: readonly string[];
  readonly argumentHint: string | undefined;
  readonly isForModel: boolean;
  readonly isForPerson: boolean;
};

export type SkillPlace = Pick<Skill, "folder" | "file" | "owner"> & { readonly folderName: string };

const namePattern = /^[\p{L}\p{N}][\p{L}\p{N}._:-]{0,63}$/u;
const descriptionLimit = 1_024;

/** From the fields of its front matter; what is of the wrong kind counts as left out. `problem`: what the person should know, the skill loads all the same. */
export function skillFrom(
  { fields, body }: { readonly fields: Readonly<Record<string, unknown>>; readonly body: string },
  place: SkillPlace,
): { readonly skill?: Skill; readonly problem?: string } {
  const { folderName, ...where } = place;
  const given = textOf(fields.name);
  const isGood = given !== undefined && namePattern.test(given);
  const name = isGood ? given : folderName;
  if (!namePattern.test(name))
    return {
      problem: `${where.file} has no usable name: letters, digits, - and _ in front matter or folder. It is left out.`,
    };
  const description = textOf(fields.description) ?? body.split("\n").find((line) => /\w/.test(line)) ?? "";
  const skill: Skill = {
    ...where,
    name,
    description: oneLine(description).slice(0, descriptionLimit),
    allowedTools: listOf(fields["allowed-tools"]).flatMap((rules) => rules.match(/[^\s,()]+(?:\([^)]*\))?/g) ?? []),
    model: textOf(fields.model),
    paths: listOf(fields.paths)
      .flatMap((patterns) => patterns.split(",").map((pattern) => pattern.trim()))
      .filter(Boolean),
    argumentHint: textOf(fields["argument-hint"]),
    isForModel: fields["disable-model-invocation"] !== true,
    isForPerson: fields["user-invocable"] !== false,
  };
  if (given === undefined || isGood) return { skill };
  return {
    skill,
    problem: `${where.file} names itself ${JSON.stringify(given.slice(0, 80))}, which cannot be a name; it is called ${name}.`,
  };
}

function textOf(value: unknown): string | undefined {
  if (typeof value === "number") return String(value);
  return typeof value === "string" && value.trim() !== "" ? value.trim() : undefined;
}

function listOf(value: unknown): readonly string[] {
  return (Array.isArray(value) ? value : [value]).filter((item): item is string => typeof item === "string");
}

function oneLine(text: string): string {
  return text
    .replace(/^#+\s*/, "")
    .replace(/[\s\p{Cc}]+/gu, " ")
    .trim();
}
