import { ownToolName } from "../contracts/foreign-tool-names.ts";
import type { Effort } from "../contracts/provider.ts";
import type { AgentKind } from "../contracts/subagent.ts";
import type { MarkdownFile } from "../platform/markdown-file.ts";

const nameForm = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const efforts: readonly unknown[] = ["off", "low", "medium", "high", "max"] satisfies readonly Effort[];
const roundLimit = 200;
/** Names of Claude Code's for the newest model of a family: another vendor has nothing of the kind. */
const inheritingModels = new Set(["inherit", "sonnet", "opus", "haiku"]);

export type KindFile = {
  readonly path: string;
  /** A project's own files choose a model, and with it who is sent the code, only where the person trusts them. */
  readonly mayChooseModel: boolean;
};

export type ReadKind =
  | { readonly kind: AgentKind; readonly warnings: readonly string[] }
  | { readonly problem: string };

/** A kind of sub-agent from its file. What is wrong with it is told in one line that names the file. */
export function readKind({ fields, body }: MarkdownFile, { path, mayChooseModel }: KindFile): ReadKind {
  const fileName = path.replace(/^.*\//, "").replace(/\.md$/i, "");
  const name = fields.name ?? fileName;
  if (typeof name !== "string" || !nameForm.test(name))
    return { problem: `${path}: name must be letters, digits, - and _, at most 64 of them. The agent is left out.` };
  const { description } = fields;
  if (typeof description !== "string" || description.trim() === "")
    return { problem: `${path}: description is missing; it tells the model when to use it. The agent is left out.` };
  const prompt = body.trim();
  if (prompt === "") return { problem: `${path} has no text below its front matter. The agent is left out.` };
  const tools = namesOf(fields.tools);
  if (tools === "wrong")
    return { problem: `${path}: tools must be a list of names, such as [Read, Grep]. The agent is left out.` };
  const warnings: string[] = [];
  const refuse = (field: string, expected: string) => {
    warnings.push(`${path}: ${field} must be ${expected}; it is ignored.`);
    return undefined;
  };
  const kind: AgentKind = {
    name,
    description: description.replace(/\s+/g, " ").trim(),
    prompt,
    ...given(
      "tools",
      tools?.map(ownToolName).filter((tool) => tool !== "agent"),
    ),
    ...given("model", modelOf(fields.model, refuse)),
    ...given("effort", oneOf(fields.effort, efforts) as Effort | undefined),
    ...given("maxRounds", roundsOf(fields["max-rounds"] ?? fields.maxTurns, refuse)),
    ...given("isolation", oneOf(fields.isolation, ["worktree"]) as "worktree" | undefined),
    ...(fields.permissionMode === "plan" || fields["permission-mode"] === "plan" ? { isReadOnly: true } : {}),
  };
  if (fields.effort !== undefined && kind.effort === undefined) refuse("effort", `one of ${efforts.join(", ")}`);
  if (fields.isolation !== undefined && kind.isolation === undefined) refuse("isolation", '"worktree"');
  if (kind.model === undefined || mayChooseModel) return { kind, warnings };
  const { model, ...others } = kind;
  warnings.push(`${path}: model ${model} is ignored, since the project is not trusted. See \`corecoder trust\`.`);
  return { kind: others, warnings };
}

function given<Key extends string, Value>(key: Key, value: Value | undefined): { readonly [K in Key]?: Value } {
  return value === undefined ? {} : ({ [key]: value } as { readonly [K in Key]?: Value });
}

/** `Read, Grep` or a list; left out, and `*`, mean all. */
function namesOf(value: unknown): readonly string[] | undefined | "wrong" {
  if (value === undefined || value === null || value === "*") return undefined;
  const list = typeof value === "string" ? value.split(",") : value;
  if (!Array.isArray(list) || !list.every((name) => typeof name === "string")) return "wrong";
  return list.map((name: string) => name.trim()).filter((name) => name !== "");
}

type Refuse = (field: string, expected: string) => undefined;

function modelOf(value: unknown, refuse: Refuse): string | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== "string" || value.trim() === "") return refuse("model", "the name of a model");
  return inheritingModels.has(value.trim()) ? undefined : value.trim();
}

function oneOf(value: unknown, values: readonly unknown[]): unknown {
  return values.includes(value) ? value : undefined;
}

function roundsOf(value: unknown, refuse: Refuse): number | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === "number" && Number.isInteger(value) && value >= 1 && value <= roundLimit) return value;
  return refuse("max-rounds", `a whole number from 1 to ${roundLimit}`);
}
