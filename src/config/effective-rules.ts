import type { RuleLists } from "../contracts/permission.ts";
import type { Settings } from "./settings-table.ts";

export type RuleTexts = Readonly<Record<keyof RuleLists, readonly string[]>>;

/** The rules of settings files and of the command line as one list each. */
export function effectiveRules({ permissions, allowedTools, disallowedTools }: Settings): RuleTexts {
  const texts = (list: keyof RuleLists) => permissions?.[list].map(({ rule }) => rule) ?? [];
  return {
    allow: [...(allowedTools ?? []), ...texts("allow")],
    ask: texts("ask"),
    deny: [...(disallowedTools ?? []), ...texts("deny")],
  };
}
