import { exitCode, UserError } from "../contracts/errors.ts";
import { type RuleLists, ruleLists, type SettingsRule } from "../contracts/permission.ts";
import { createCommandJudge } from "./command-judge.ts";
import { createRuleBook } from "./rule-book.ts";
import { matchesTool, parseRule, type Rule, splitRules, toolsOf } from "./rules.ts";

export type ExamplePlace = { readonly root: string; readonly home: string; readonly stateFolder: string };

type List = keyof RuleLists;

/** Rules of settings files, with their examples. Throws UserError that names the file, the rule and the example that is not as it says. */
export async function checkRules(lists: RuleLists, place: ExamplePlace): Promise<void> {
  for (const list of ruleLists) {
    for (const given of lists[list]) {
      const parsed = splitRules(given.rule).length > 1 ? several(given.rule) : parseRule(given.rule);
      if ("problem" in parsed)
        throw new UserError(exitCode.config, `${given.file}: permissions.${list}: ${parsed.problem}`);
      await checkExamples(given, { rule: parsed.rule, list, place });
    }
  }
}

function several(text: string): { readonly problem: string } {
  return { problem: `${JSON.stringify(text)} holds several rules. Make each an item of the list.` };
}

type Checking = { readonly rule: Rule; readonly list: List; readonly place: ExamplePlace };

async function checkExamples({ match, notMatch, file }: SettingsRule, checking: Checking): Promise<void> {
  const { rule, list } = checking;
  for (const [examples, expected] of [[match, true] as const, [notMatch, false] as const]) {
    for (const example of examples) {
      if ((await covers(example, checking)) === expected) continue;
      const what = expected
        ? `does not cover its example ${JSON.stringify(example)} under "match"`
        : `covers its example ${JSON.stringify(example)} under "notMatch"`;
      throw new UserError(
        exitCode.config,
        `${file}: the ${list} rule ${JSON.stringify(rule.text)} ${what}.\nChange the rule, or the example if that is what you want.`,
      );
    }
  }
}

/**
 * A rule in brackets has commands or paths as examples, one without has names of tools. An allowing rule covers a command when it is enough to
 * let all of it run; a refusing or asking one when any part of it is meant, however wrapped.
 */
async function covers(example: string, { rule, list, place }: Checking): Promise<boolean> {
  if (rule.argument === undefined) return matchesTool(rule, example);
  if (matchesTool(rule, "bash")) return coversCommand(example, { rule, list, place });
  const book = createRuleBook([rule.text]);
  const { root, home } = place;
  const tool = toolsOf(rule)[0] ?? rule.tool;
  const view = { label: tool, title: example, reads: [example] };
  const request = { tool, effect: "read", view, cwd: root, root, writableRoots: [root] } as const;
  const found = list === "allow" ? await book.forAllPaths(request, home) : await book.forAnyPath(request, home);
  return found !== undefined;
}

async function coversCommand(command: string, { rule, list, place }: Checking): Promise<boolean> {
  const { root, home, stateFolder } = place;
  const scope = { cwd: root, root, writableRoots: [root], home, stateFolder };
  const judgement = await createCommandJudge().judge(command, scope);
  const book = createRuleBook([rule.text]);
  if (list !== "allow") return book.forAnyPart("bash", judgement) !== undefined;
  return judgement.segments.every((segment) => {
    const found = book.forSegment("bash", segment);
    return found === "exact" || (found === "open" && segment.decision !== "deny");
  });
}
