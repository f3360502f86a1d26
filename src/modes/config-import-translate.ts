import { readHooks } from "../config/hook-settings.ts";
import { hookEventNames } from "../contracts/hook.ts";
import { ruleLists } from "../contracts/permission.ts";
import { translateRule } from "./config-import-rules.ts";

type Json = Readonly<Record<string, unknown>>;

/** One line of the report: what it was, and what became of it. */
export type Translated = {
  readonly hooks: Readonly<Record<string, readonly Json[]>>;
  readonly rules: Readonly<Record<(typeof ruleLists)[number], readonly string[]>>;
  readonly taken: readonly string[];
  readonly left: readonly string[];
};

/** Of the settings of Claude Code: what can be taken over, in our words, and what cannot. */
export function translateSettings(source: Json, { isOwn }: { readonly isOwn: boolean }): Translated {
  const taken: string[] = [];
  const left: string[] = [];
  const hooks = translateHooks(recordOr(source.hooks), { taken, left });
  const permissions = recordOr(source.permissions);
  const rules = Object.fromEntries(
    ruleLists.map((list) => [list, translateList(permissions[list], { list, isOwn, taken, left })]),
  ) as Translated["rules"];
  for (const key of Object.keys(permissions))
    if (!(ruleLists as readonly string[]).includes(key))
      left.push(`permissions.${key}: set it with an option or in your own settings`);
  for (const key of Object.keys(source))
    if (key !== "hooks" && key !== "permissions" && key !== "$schema")
      left.push(`${key}: not about hooks or permissions`);
  return { hooks, rules, taken, left };
}

type Report = { readonly taken: string[]; readonly left: string[] };

function translateList(
  given: unknown,
  { list, isOwn, taken, left }: Report & { readonly list: (typeof ruleLists)[number]; readonly isOwn: boolean },
): readonly string[] {
  return (Array.isArray(given) ? given : []).flatMap((text: unknown) => {
    const result = typeof text === "string" ? translateRule(text, { list, isOwn }) : { problem: "it is no text" };
    const shown = typeof text === "string" ? text : JSON.stringify(text);
    if ("problem" in result) {
      left.push(`${list} ${shown}: ${result.problem}`);
      return [];
    }
    taken.push(`${list} ${shown}${result.rules.join() === shown ? "" : ` → ${result.rules.join(", ")}`}`);
    return result.rules;
  });
}

function translateHooks(source: Json, report: Report): Translated["hooks"] {
  const events: Record<string, Json[]> = {};
  for (const [event, groups] of Object.entries(source)) {
    if (!(hookEventNames as readonly string[]).includes(event)) {
      report.left.push(`hooks.${event}: there is no such event here`);
      continue;
    }
    const kept = (Array.isArray(groups) ? groups : []).flatMap((group) => translateGroup(event, group, report));
    if (kept.length > 0) events[event] = kept;
  }
  return events;
}

function translateGroup(event: string, group: unknown, { taken, left }: Report): Json[] {
  const { matcher, hooks } = recordOr(group);
  const kept = (Array.isArray(hooks) ? hooks : []).flatMap((given: unknown) => {
    const { type, command, timeout, ...others } = recordOr(given);
    const hook = { type, command, ...(timeout === undefined ? {} : { timeout }) };
    const read = readHooks({ [event]: [{ ...(matcher === undefined ? {} : { matcher }), hooks: [hook] }] }, "");
    const name = `hooks.${event}${typeof matcher === "string" && matcher !== "" ? ` of ${matcher}` : ""}: ${typeof command === "string" ? command : JSON.stringify(given)}`;
    if ("problem" in read) {
      left.push(`${name}: it ${read.problem}`);
      return [];
    }
    const dropped = Object.keys(others);
    taken.push(dropped.length > 0 ? `${name} (without ${dropped.join(", ")})` : name);
    return [hook];
  });
  return kept.length > 0 ? [{ ...(matcher === undefined ? {} : { matcher }), hooks: kept }] : [];
}

function recordOr(value: unknown): Json {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Json) : {};
}

/** The settings with what was taken over added; what is there already is not added twice. */
export function mergeImported(target: Json, { hooks, rules }: Translated): Json {
  const had = recordOr(target.hooks);
  const permissions = recordOr(target.permissions);
  const joined = <T>(before: unknown, more: readonly T[]): readonly unknown[] => {
    const list: readonly unknown[] = Array.isArray(before) ? before : [];
    const known = new Set(list.map((item) => JSON.stringify(item)));
    return [...list, ...more.filter((item) => !known.has(JSON.stringify(item)))];
  };
  const mergedHooks = {
    ...had,
    ...Object.fromEntries(Object.entries(hooks).map(([event, groups]) => [event, joined(had[event], groups)])),
  };
  const lists = ruleLists.filter((list) => rules[list].length > 0);
  const mergedRules = {
    ...permissions,
    ...Object.fromEntries(lists.map((list) => [list, joined(permissions[list], [...new Set(rules[list])])])),
  };
  return {
    ...target,
    ...(Object.keys(mergedHooks).length > 0 ? { hooks: mergedHooks } : {}),
    ...(Object.keys(mergedRules).length > 0 ? { permissions: mergedRules } : {}),
  };
}
