import { type RuleLists, ruleLists, type SettingsRule } from "../contracts/permission.ts";

type Read<T> = { readonly value: T } | { readonly problem: string };

/** The shape of `permissions`. What the rules say is looked at by those who know rules. */
export function readRules(given: unknown, file: string): Read<RuleLists> {
  const shape = 'must be an object such as {"allow": ["bash(npm test)"], "ask": [], "deny": ["bash(git push *)"]}';
  if (given === null || typeof given !== "object" || Array.isArray(given)) return { problem: shape };
  const stranger = Object.keys(given).find((key) => !(ruleLists as readonly string[]).includes(key));
  if (stranger !== undefined)
    return { problem: `has an unknown list ${JSON.stringify(stranger)}; the lists are ${ruleLists.join(", ")}` };
  const lists: Record<string, readonly SettingsRule[]> = {};
  for (const list of ruleLists) {
    const items: unknown = (given as Record<string, unknown>)[list] ?? [];
    if (!Array.isArray(items)) return { problem: `must hold a list of rules under "${list}"` };
    const rules = items.map((item) => readRule(item, file));
    const at = rules.indexOf(undefined);
    if (at >= 0) {
      const example = '{"rule": "bash(git log *)", "match": ["git log -3"], "notMatch": ["git logout"]}';
      return { problem: `needs a text or ${example} as ${list}[${at}]` };
    }
    lists[list] = rules as SettingsRule[];
  }
  return { value: lists as RuleLists };
}

function readRule(item: unknown, file: string): SettingsRule | undefined {
  if (typeof item === "string") return { rule: item, match: [], notMatch: [], file };
  if (item === null || typeof item !== "object") return undefined;
  const { rule, match = [], notMatch = [], ...rest } = item as Record<string, unknown>;
  if (typeof rule !== "string" || Object.keys(rest).length > 0) return undefined;
  return areTexts(match) && areTexts(notMatch) ? { rule, match, notMatch, file } : undefined;
}

function areTexts(value: unknown): value is readonly string[] {
  return Array.isArray(value) && value.every((item) => typeof item === "string");
}
