import { foreignToolsOf, parseRule, splitRules } from "../permissions/rules.ts";

export type TranslatedRule = { readonly rules: readonly string[] } | { readonly problem: string };

type Setting = {
  /** A rule that forbids must not forbid less than before; one that allows not allow more. */
  readonly list: "allow" | "ask" | "deny";
  /** Paths that begin with / are relative to the project, except in the person's own settings. */
  readonly isOwn: boolean;
};

/** Tools whose rules have no pattern. */
const patternless: ReadonlySet<string> = new Set(["Task", "Agent", "TodoWrite"]);

/** A rule of Claude Code as rules of ours that mean the same, or why there is none. */
export function translateRule(text: string, setting: Setting): TranslatedRule {
  const found = /^\s*([\w-]+)(?:\(([\s\S]*)\))?\s*$/.exec(text);
  if (!found) return { problem: "it is not a tool name with a pattern in brackets" };
  const [, tool = "", argument] = found;
  const pattern = argument?.trim();
  const isEvery = pattern === undefined || pattern === "" || pattern === "*";
  if (tool === "Bash") return isEvery ? { rules: ["bash"] } : checked([`bash(${commandOf(pattern)})`], pattern);
  if (tool.startsWith("mcp__")) return { rules: tool.split("__").length > 2 ? [tool] : [`${tool}__*`] };
  const tools = foreignToolsOf(tool);
  if (tools === undefined) return { problem: `there is no tool like ${tool} here` };
  if (isEvery) return { rules: tools };
  if (patternless.has(tool)) return { problem: `${tool} takes no pattern here` };
  const paths = pathsOf(pattern, setting);
  if (paths === undefined) return { problem: "its path is relative to a folder that is not the project's" };
  return checked(
    tools.flatMap((name) => paths.map((path) => `${name}(${path})`)),
    "",
  );
}

const commandOf = (pattern: string) => pattern.replace(/:\*$/, " *");

/** A star in the middle or at the end of a word means any text there; rules here are matched word by word. */
function checked(rules: readonly string[], command: string): TranslatedRule {
  if (/[^\s:]\*|\*\S/.test(command.replace(/:\*$/, " *")))
    return { problem: "a * inside a word has no counterpart; only a whole last word may be one" };
  for (const rule of rules) {
    if (splitRules(rule).length !== 1) return { problem: "its brackets or quotes are not closed" };
    const parsed = parseRule(rule);
    if ("problem" in parsed)
      return { problem: parsed.problem.replace(/^The permission rule .*?" |\. Examples.*$/gs, "") };
  }
  return { rules };
}

/** Paths there are patterns like those of gitignore: `//x` is absolute, `/x` relative to the settings, a bare name matches anywhere. */
function pathsOf(pattern: string, { list, isOwn }: Setting): readonly string[] | undefined {
  if (pattern.startsWith("~")) return [pattern];
  if (pattern.startsWith("//")) return [pattern.slice(1)];
  if (pattern.startsWith("/")) return isOwn ? undefined : [pattern.slice(1)];
  const plain = pattern.replace(/^\.\//, "");
  if (plain !== pattern || plain.replace(/\/$/, "").includes("/")) return [plain];
  const name = plain.replace(/\/$/, "");
  // what is inside a folder of that name is meant as well
  return list === "allow" ? [`**/${name}`] : [`**/${name}`, `**/${name}/**`];
}
