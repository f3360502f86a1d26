import type { LoadedSettings } from "../config/load.ts";
import type { PermissionMode, RecentDecision, RuleLists } from "../contracts/permission.ts";
import { displayPath } from "../platform/paths.ts";
import { visibleText } from "../ui/visible-text.ts";

export type PermissionState = {
  readonly loaded: {
    readonly settings: Pick<LoadedSettings["settings"], "permissions" | "allowedTools" | "disallowedTools">;
    readonly origins: LoadedSettings["origins"];
  };
  readonly mode: PermissionMode;
  readonly root: string;
  /** Rules of "always" answers, and those of "for this session". */
  readonly answered: Readonly<Record<"project" | "session", readonly string[]>>;
  readonly recent: readonly RecentDecision[];
};

const shownDecisions = 15;
const longestCommand = 60;

/** For `/permissions`: the mode, every rule with where it comes from, and what was decided of late. */
export function permissionReport({ loaded, mode, root, answered, recent }: PermissionState): string {
  const { permissions, allowedTools = [], disallowedTools = [] } = loaded.settings;
  const origin = (key: "allowedTools" | "disallowedTools") => loaded.origins.get(key)?.name ?? "option";
  const list = (name: string, key: keyof RuleLists, more: readonly string[]) => {
    const own = permissions?.[key].map(({ rule, file }) => `${rule}  (${displayPath(file, root)})`) ?? [];
    const rules = [...more, ...own];
    return `${name}: ${rules.length > 0 ? "" : "none"}\n${rules.map((rule) => `  ${rule}\n`).join("")}`;
  };
  const from = (rules: readonly string[], where: string) => rules.map((rule) => `${rule}  (${where})`);
  const lists = [
    list("Allowed", "allow", [
      ...from(allowedTools, origin("allowedTools")),
      ...from(answered.project, 'your answer "always" in this project'),
      ...from(answered.session, "your answer for this session"),
    ]),
    list("Asked", "ask", []),
    list("Refused", "deny", from(disallowedTools, origin("disallowedTools"))),
  ];
  return visibleText(`Mode: ${mode}\n${lists.join("")}${decisionLines(recent)}`);
}

function decisionLines(recent: readonly RecentDecision[]): string {
  if (recent.length === 0) return "Nothing was decided in this session yet.\n";
  const lines = recent.slice(-shownDecisions).map(({ verdict, tool, what, because, inSandbox }) => {
    const oneLine = what.replaceAll("\n", " ⏎ ");
    const short = oneLine.length > longestCommand ? `${oneLine.slice(0, longestCommand - 1)}…` : oneLine;
    return `  ${verdict.padEnd(5)}  ${tool}: ${short}  (${because}${inSandbox ? ", in the sandbox" : ""})\n`;
  });
  return `Decided last:\n${lines.join("")}`;
}
