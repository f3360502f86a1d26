import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeCommandScope, type TemporaryScope } from "../../test/support/command-scope.ts";
import type { RuleLists } from "../contracts/permission.ts";
import { checkRules } from "./rule-examples.ts";

let scope: TemporaryScope;
beforeEach(() => {
  scope = makeCommandScope();
});
afterEach(() => scope.remove());

type Examples = { match?: readonly string[]; notMatch?: readonly string[] };

/** The complaint about one rule; undefined when it is as its examples say. */
async function complaint(list: keyof RuleLists, rule: string, { match = [], notMatch = [] }: Examples = {}) {
  const lists = { allow: [], ask: [], deny: [], [list]: [{ rule, match, notMatch, file: "/s/settings.json" }] };
  const { root, home } = scope;
  const problem = await checkRules(lists, { root, home, stateFolder: `${home}/.corecoder` }).catch((error) => error);
  return problem && { exit: problem.exit, message: problem.message };
}

describe("examples of rules", () => {
  it.each([
    ["allow", "bash(git status *)", ["git status -s", "git status"], ["git status; rm x", "git statusx", "ls"]],
    ["allow", "bash(npm test)", ["npm test"], ["npm test -- -u", "npm test > ../out", "npm test $X"]],
    ["allow", "bash(rm *)", ["rm x"], ["rm -rf /"]],
    ["deny", "bash(rm *)", ["rm x", "ls && rm x", "bash -c 'rm x'", "find . -exec rm {} +"], ["ls", "echo rm x"]],
    ["ask", "bash(git push *)", ["cd src; git push origin main"], ["git pull"]],
    ["allow", "edit_file(src/**)", ["src/a/b.ts", "./src/x"], ["src/../package.json", "dist/x", "/etc/passwd"]],
    ["deny", "read_file(**/.env)", [".env", "a/.env"], ["a/env"]],
    ["deny", "Read(~/.ssh/**)", ["~/.ssh/id_rsa"], ["src/x"]],
    ["allow", "mcp__files__*", ["mcp__files__read"], ["mcp__other__read"]],
  ] as const)("%s %s", async (list, rule, match, notMatch) => {
    expect(await complaint(list, rule, { match, notMatch })).toBeUndefined();
    for (const wrong of notMatch)
      expect(await complaint(list, rule, { match: [wrong] }), wrong).toMatchObject({ exit: 52 });
    for (const wrong of match)
      expect(await complaint(list, rule, { notMatch: [wrong] }), wrong).toMatchObject({ exit: 52 });
  });

  it("that are not as they say are named with file, rule and example, and what to do", async () => {
    expect(await complaint("deny", "bash(git push *)", { match: ["git pull"] })).toEqual({
      exit: 52,
      message:
        '/s/settings.json: the deny rule "bash(git push *)" does not cover its example "git pull" under "match".\nChange the rule, or the example if that is what you want.',
    });
  });

  it("or not, a rule that cannot be understood is named with its file", async () => {
    expect((await complaint("allow", "bash(git"))?.message).toMatch(
      /^\/s\/settings\.json: permissions\.allow: .*"bash\(git"/,
    );
    expect((await complaint("ask", "bash(a), bash(b)"))?.message).toContain("holds several rules");
  });
});
