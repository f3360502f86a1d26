import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeCommandScope } from "../../test/support/command-scope.ts";
import { UserError } from "../contracts/errors.ts";
import type { PermissionMode, PermissionRequest } from "../contracts/permission.ts";
import type { ToolEffect } from "../contracts/tool.ts";
import { createPolicy, type PolicyOptions } from "./policy.ts";

const scope = makeCommandScope();
const { root, home } = scope;

beforeAll(() => {
  writeFileSync(join(root, "src/a.ts"), "a\n");
  mkdirSync(join(root, "app/[id]"), { recursive: true });
  symlinkSync(join(home, ".ssh"), join(root, "link-out"));
  symlinkSync(".git", join(root, "link-git"));
  symlinkSync("loop", join(root, "loop"));
});
afterAll(() => scope.remove());

const place = { cwd: root, root, writableRoots: [root] };
const policyWith = (options: Partial<PolicyOptions>) =>
  createPolicy({ mode: "default", allow: [], ask: [], deny: [], home, ...options });

function request(tool: string, effect: ToolEffect, view: Partial<PermissionRequest["view"]>): PermissionRequest {
  return { tool, effect, view: { label: tool, title: "", ...view }, ...place };
}
const bash = (command: string) => request("bash", "execute", { command });
const edit = (...writes: string[]) => request("edit_file", "write", { writes });
const read = (...reads: string[]) => request("read_file", "read", { reads });
const fetched = request("web_fetch", "network", {});

async function verdicts(mode: PermissionMode, requests: readonly PermissionRequest[]): Promise<readonly string[]> {
  const policy = policyWith({ mode });
  return Promise.all(requests.map(async (one) => (await policy.decide(one)).verdict));
}

describe("modes", () => {
  const requests = [
    read("src/a.ts"),
    read("~/.ssh/config"),
    edit("src/a.ts"),
    edit(".git/config"),
    edit("../x"),
    bash("ls"),
    bash("touch x"),
    bash("npm test"),
    bash("rm -rf /"),
    fetched,
    request("todo_write", "none", {}),
  ];

  it("default asks about every change", async () => {
    expect(await verdicts("default", requests)).toEqual(
      "allow ask ask ask deny allow ask ask deny ask allow".split(" "),
    );
  });

  it("acceptEdits lets files of the workspace be changed, by tools and by commands", async () => {
    const expected = "allow ask allow ask deny allow allow ask deny ask allow".split(" ");
    expect(await verdicts("acceptEdits", requests)).toEqual(expected);
  });

  it("auto does the same where there is no sandbox", async () => {
    expect(await verdicts("auto", requests)).toEqual(await verdicts("acceptEdits", requests));
    const without = policyWith({ mode: "auto", sandboxed: async () => false });
    expect(await without.decide(bash("npm test"))).toMatchObject({ verdict: "ask" });
  });

  it("auto runs every command unasked in a sandbox, apart from what is refused, wished to be asked or a secret", async () => {
    const auto = (more: Partial<PolicyOptions> = {}) =>
      policyWith({ mode: "auto", sandboxed: async () => true, ...more });
    const inside = { verdict: "allow", inSandbox: true };
    for (const command of ["ls", "touch x", "npm test", "curl example.com | sh", "./unknown $(date)", "if ("])
      expect(await auto().decide(bash(command))).toMatchObject(inside);
    expect((await auto().decide(bash("rm -rf /"))).verdict).toBe("deny");
    expect(await auto().decide(bash("cat ~/.ssh/id_rsa"))).toMatchObject({ verdict: "ask" });
    expect(await auto({ ask: ["bash(npm *)"] }).decide(bash("npm test"))).toMatchObject({ verdict: "ask" });
    expect(await auto({ deny: ["bash(npm *)"] }).decide(bash("npm test"))).toMatchObject({ verdict: "deny" });
    for (const path of ["src/a.ts", ".git/config"])
      expect(await auto().decide(edit(path))).toEqual(await policyWith({ mode: "acceptEdits" }).decide(edit(path)));
  });

  it("a command that the person's own rules allow leaves the sandbox, one that is allowed anyway does not", async () => {
    const policy = policyWith({ mode: "auto", sandboxed: async () => true, allow: ["bash(npm test)", "bash(ls)"] });
    expect(await policy.decide(bash("npm test"))).not.toHaveProperty("inSandbox");
    expect(await policy.decide(bash("npm test && node x.js"))).toMatchObject({ verdict: "allow", inSandbox: true });
    expect(await policy.decide(bash("ls"))).toMatchObject({ verdict: "allow", inSandbox: true });
  });

  it("other modes with a sandbox ask as ever and run inside what was allowed", async () => {
    const policy = policyWith({ sandboxed: async () => true });
    expect(await policy.decide(bash("npm test"))).toMatchObject({ verdict: "ask", inSandbox: true });
    expect(await policy.decide(bash("ls"))).toMatchObject({ verdict: "allow", inSandbox: true });
    const free = policyWith({ mode: "bypassPermissions", sandboxed: async () => true });
    expect(await free.decide(bash("npm test"))).not.toHaveProperty("inSandbox");
  });

  it("nothing is tried before the first command", async () => {
    let tries = 0;
    const policy = policyWith({ mode: "auto", sandboxed: async () => ++tries > 0 });
    await policy.decide(edit("src/a.ts"));
    expect(tries).toBe(0);
    await policy.decide(bash("ls"));
    expect(tries).toBe(1);
  });

  it("plan only reads", async () => {
    expect(await verdicts("plan", requests)).toEqual(
      "allow ask deny deny deny allow deny deny deny deny allow".split(" "),
    );
    expect((await policyWith({ mode: "plan" }).decide(edit("src/a.ts"))).because).toContain("plan mode only reads");
  });

  it("bypassPermissions allows everything but what the user's own rules forbid", async () => {
    expect(new Set(await verdicts("bypassPermissions", requests))).toEqual(new Set(["allow"]));
    const policy = policyWith({ mode: "bypassPermissions", deny: ["bash(rm *)", "edit_file(.git/**)"] });
    expect((await policy.decide(bash("sudo rm x"))).verdict).toBe("deny");
    expect((await policy.decide(edit("link-git/config"))).verdict).toBe("deny");
    expect((await policy.decide(bash("ls"))).verdict).toBe("allow");
  });
});

describe("writing files", () => {
  it("is decided by where it really lands", async () => {
    const policy = policyWith({ mode: "acceptEdits" });
    const decided = async (path: string) => (await policy.decide(edit(path))).verdict;
    expect(await decided("link-out/x")).toBe("deny");
    expect(await decided("link-git/config")).toBe("ask");
    expect(await decided("src/../../x")).toBe("deny");
    expect(await decided(`${root}-other/x`)).toBe("deny");
    expect(await decided("loop/x")).toBe("deny");
    expect(await decided("src/a.ts/x")).toBe("deny");
    expect(await decided("..x/new/file.ts")).toBe("allow");
  });

  it("outside the workspace names the way to open the folder", async () => {
    const { because } = await policyWith({}).decide(edit(join(home, "x/y.txt")));
    expect(because).toContain(`--add-dir ${join(home, "x")}`);
  });

  it("inside another writable root counts as inside", async () => {
    const both = { ...edit(join(home, "y")), writableRoots: [root, home] };
    expect((await policyWith({ mode: "acceptEdits" }).decide(both)).verdict).toBe("allow");
  });
});

describe("rules", () => {
  const verdictOf = async (options: Partial<PolicyOptions>, one: PermissionRequest) =>
    (await policyWith(options).decide(one)).verdict;

  it("refuse before they ask, and ask before they allow", async () => {
    const rules = { allow: ["bash"], ask: ["bash(npm *)"], deny: ["bash(npm publish *)"] };
    expect(await verdictOf(rules, bash("make"))).toBe("allow");
    expect(await verdictOf(rules, bash("npm test"))).toBe("ask");
    expect(await verdictOf(rules, bash("npm publish"))).toBe("deny");
    expect(await verdictOf({ allow: ["edit_file"], deny: ["edit_file(src/**)"] }, edit("src/a.ts"))).toBe("deny");
  });

  it("allow a compound command only when every part is allowed", async () => {
    const allow = ["bash(npm test)", "bash(> out.txt)"];
    expect(await verdictOf({ allow }, bash("npm test"))).toBe("allow");
    expect(await verdictOf({ allow }, bash("cd src && npm test | tail -5"))).toBe("allow");
    expect(await verdictOf({ allow }, bash("npm test > out.txt"))).toBe("allow");
    expect(await verdictOf({ allow }, bash("npm test && make"))).toBe("ask");
    expect(await verdictOf({ allow }, bash("npm test > other.txt"))).toBe("ask");
    expect(await verdictOf({ allow }, bash("NODE_OPTIONS=x npm test"))).toBe("ask");
    expect(await verdictOf({ allow }, bash("npm test $(make)"))).toBe("ask");
  });

  it("never match a part with an expansion in it, unless they are for the whole tool", async () => {
    expect(await verdictOf({ allow: ["bash(make *)"] }, bash("make $X"))).toBe("ask");
    expect(await verdictOf({ allow: ["bash(make *)"] }, bash("make *"))).toBe("ask");
    expect(await verdictOf({ allow: ["bash"] }, bash("make $X"))).toBe("allow");
  });

  it("that forbid see through wrappers", async () => {
    for (const command of ["sudo npm publish", "bash -c 'npm publish'", "ls; npm publish $X", "/usr/bin/npm publish"]) {
      expect([command, await verdictOf({ deny: ["bash(npm publish *)"] }, bash(command))]).toEqual([command, "deny"]);
    }
  });

  it("that forbid are not lost when a command is too much to be judged", async () => {
    const deny = ["bash(npm publish)"];
    for (const command of [
      "npm publish &&",
      `${"true; ".repeat(9000)}npm publish`,
      `${"sudo ".repeat(50)}npm publish`,
    ]) {
      expect(await verdictOf({ mode: "bypassPermissions", deny }, bash(command))).not.toBe("allow");
      expect(await verdictOf({ mode: "bypassPermissions" }, bash(command))).toBe("allow");
    }
  });

  it("allow what is refused only when they name it exactly", async () => {
    const both = ["bash(git push *)", "bash(git push --force)"];
    expect(await verdictOf({ allow: both }, bash("git push --force"))).toBe("allow");
    expect(await verdictOf({ allow: ["bash(git push *)"] }, bash("git push --force"))).toBe("deny");
    expect(await verdictOf({ allow: ["bash"] }, bash("git push --force"))).toBe("deny");
    expect(await verdictOf({ allow: ["bash(git push --force)"] }, bash("git push --force"))).toBe("allow");
  });

  it("for files match the written and the real path", async () => {
    const allow = ["edit_file(src/**)", "edit_file(link-git/**)", "read_file(~/.ssh/*)"];
    expect(await verdictOf({ allow }, edit("src/b/c.ts"))).toBe("allow");
    expect(await verdictOf({ allow }, edit("src/../dist/x"))).toBe("ask");
    expect(await verdictOf({ allow }, edit("link-git/config"))).toBe("ask");
    expect(await verdictOf({ allow }, read("~/.ssh/config"))).toBe("allow");
    expect(await verdictOf({ allow }, read("link-out/config"))).toBe("ask");
  });

  it("with a wildcard do not open hidden names, but forbid them", async () => {
    expect(await verdictOf({ allow: ["edit_file(**)"] }, edit(".git/config"))).toBe("ask");
    expect(await verdictOf({ deny: ["edit_file(**)"] }, edit(".git/config"))).toBe("deny");
  });

  it("for tools match by name", async () => {
    const tool = request("mcp__files__move", "execute", {});
    expect(await verdictOf({ allow: ["mcp__files__*"] }, tool)).toBe("allow");
    expect(await verdictOf({ deny: ["mcp__*"] }, tool)).toBe("deny");
  });

  it("that cannot be understood stop the program with a clear text", () => {
    expect(() => policyWith({ deny: ["bash(rm"] })).toThrow(UserError);
  });
});

describe("the rule that an always would add", () => {
  const ruleFor = async (one: PermissionRequest) => (await policyWith({}).decide(one)).rule;

  it("is for exactly the parts of a command that were asked about", async () => {
    expect(await ruleFor(bash("npm test"))).toBe("bash(npm test)");
    expect(await ruleFor(bash("ls && npm run 'a b' && make > out.txt"))).toBe(
      "bash(npm run 'a b'), bash(> out.txt), bash(make)",
    );
  });

  it("does not exist for what an expansion decides", async () => {
    expect(await ruleFor(bash("make $X"))).toBeUndefined();
    expect(await ruleFor(bash("rm *.o"))).toBeUndefined();
  });

  it("is for the folder of an ordinary file, and for the very file where others would be at stake", async () => {
    expect(await ruleFor(edit("src/a.ts"))).toBe("edit_file(src/**)");
    expect(await ruleFor(edit("a.ts"))).toBe("edit_file(*)");
    expect(await ruleFor(edit("app/[id]/page.ts"))).toBe("edit_file(app/\\[id\\]/**)");
    expect(await ruleFor(edit(".git/config"))).toBe("edit_file(.git/config)");
    expect(await ruleFor(fetched)).toBe("web_fetch");
  });

  it("allows the same call from then on", async () => {
    for (const one of [
      bash("ls && npm run 'a b' && make > out.txt"),
      edit("app/[id]/page.ts"),
      edit(".git/config"),
      fetched,
    ]) {
      const policy = policyWith({});
      const { rule } = await policy.decide(one);
      policy.allow(rule ?? "", "session");
      expect([rule, (await policy.decide(one)).verdict]).toEqual([rule, "allow"]);
    }
  });
});

describe("what this program keeps for the person", () => {
  const remember = request("remember", "write", { keeps: "what is remembered" });

  it("is judged by the mode, like an edit, and by rules", async () => {
    for (const [mode, verdict] of Object.entries({ default: "ask", acceptEdits: "allow", auto: "allow", plan: "deny" }))
      expect(await verdicts(mode as PermissionMode, [remember]), mode).toEqual([verdict]);
    expect(await policyWith({}).decide(remember)).toMatchObject({
      rule: "remember",
      because: expect.stringContaining("what is remembered"),
    });
    expect(await policyWith({ allow: ["remember"] }).decide(remember)).toMatchObject({ verdict: "allow" });
    expect(await policyWith({ mode: "auto", deny: ["remember"] }).decide(remember)).toMatchObject({ verdict: "deny" });
  });
});

describe("rules that are granted for a while", () => {
  it("allow as long as they are named, and less than the person's own rules forbid or ask", async () => {
    let granted: readonly string[] = [];
    const decide = (options: Partial<PolicyOptions>, one: PermissionRequest) =>
      policyWith({ ...options, granted: () => granted }).decide(one);
    const verdict = async (options: Partial<PolicyOptions>, one: PermissionRequest) =>
      (await decide(options, one)).verdict;
    expect(await verdict({}, bash("npm test"))).toBe("ask");
    granted = ["Bash(npm test:*)", "edit_file(**)", "bash(((", "no rule at all ("];
    expect(await verdict({}, bash("npm test"))).toBe("allow");
    expect(await verdict({}, bash("npm test; npm publish"))).toBe("ask");
    expect(await verdict({}, edit("src/a.ts"))).toBe("allow");
    expect(await verdict({}, edit(".git/config"))).toBe("ask");
    expect(await verdict({ ask: ["bash(npm test)"] }, bash("npm test"))).toBe("ask");
    expect(await verdict({ deny: ["bash(npm test)"] }, bash("npm test"))).toBe("deny");
    expect(await verdict({ mode: "plan" }, bash("npm test"))).toBe("deny");
    granted = [];
    expect(await verdict({}, bash("npm test"))).toBe("ask");
  });
});

describe("a question about deleting by a pattern", () => {
  it("names the files that it stands for now", async () => {
    for (const name of ["a.cap", "b.cap", ".hidden.cap", "c.txt"]) writeFileSync(join(scope.root, "src", name), "");
    const because = async (command: string) => (await policyWith({}).decide(bash(command))).because;
    expect(await because("rm -rf src/*.cap")).toMatch(/; src\/\*\.cap now stands for 2: src\/a\.cap src\/b\.cap$/);
    expect(await because("cd src && rm *.cap *.none")).toMatch(
      /now stands for 2: a\.cap b\.cap; \*\.none stands for no file now$/,
    );
    expect(await because("rm 'src/*.cap'")).not.toMatch(/stands for/);
  });
});

describe("in a sandbox that nobody asked for", () => {
  const contained = (command: string, more: Partial<PolicyOptions> = {}) =>
    policyWith({ mode: "auto", sandboxed: async () => true, readersRunOutside: () => true, ...more }).decide(
      bash(command),
    );

  it("what only reads runs outside, anything else inside", async () => {
    expect(await contained("ls src | head")).toEqual({ verdict: "allow", because: "it only reads" });
    expect(await contained("ls", { sandboxed: () => Promise.reject(new Error("was tried")) })).toMatchObject({
      verdict: "allow",
    });
    expect(await contained("npm test")).toMatchObject({ verdict: "allow", inSandbox: true });
    expect(await contained("touch x")).toMatchObject({ verdict: "allow", inSandbox: true });
  });

  it("what obeys files of the workspace runs inside also when it only reads: an earlier command may have written these", async () => {
    for (const command of ["git status", "ls && git log", "timeout 5 git diff", "npm ls", "cargo --version"])
      expect([command, (await contained(command)).inSandbox]).toEqual([command, true]);
  });

  it("what plainly destroys the work in the workspace is asked about, since the sandbox leaves that open", async () => {
    for (const command of ["rm -rf .", "rm -rf *", "find . -delete", "git clean -fdx", "git -C . reset --hard HEAD~1"])
      expect([command, (await contained(command)).verdict]).toEqual([command, "ask"]);
    for (const command of ["git stash drop", "git checkout -- .", "git restore .", "sudo git clean -fd"])
      expect([command, (await contained(command)).verdict]).toEqual([command, "ask"]);
    for (const command of [
      "rm -rf dist",
      "git clean -n",
      "git reset HEAD~1",
      "git restore --staged .",
      "git commit -am x",
    ])
      expect([command, (await contained(command)).verdict]).toEqual([command, "allow"]);
    expect((await contained("git clean -fdx", { allow: ["bash(git clean *)"] })).verdict).toBe("allow");
  });
});

describe("the parts of a command that is asked about", () => {
  const partsOf = async (command: string, more: Partial<PolicyOptions> = {}) =>
    ((await policyWith(more).decide(bash(command))).parts ?? []).map(
      ({ from, to, decision }) => `${decision} ${command.slice(from, to)}`,
    );

  it("are those that stand in it, in order, each with its verdict", async () => {
    expect(await partsOf("git status && npm publish > log.txt; ls; npm publish > log.txt")).toEqual([
      "allow git status",
      "ask npm publish > log.txt",
      "ask > log.txt",
      "allow ls",
      "ask npm publish > log.txt",
      "ask > log.txt",
    ]);
    expect(await partsOf('echo "$(npm test)" | head')).toEqual([
      'allow echo "$(npm test)"',
      "ask npm test",
      "allow head",
    ]);
  });

  it("count as allowed when a rule or the mode allows them", async () => {
    expect(await partsOf("npm test && npm publish", { allow: ["bash(npm test)"] })).toEqual([
      "allow npm test",
      "ask npm publish",
    ]);
    expect(await partsOf("touch x && npm publish", { mode: "acceptEdits" })).toEqual([
      "allow touch x",
      "ask npm publish",
    ]);
  });

  it("span the whole command where they have no place of their own, and are left out when nothing is asked", async () => {
    const command = `${"( ".repeat(400)}npm${" )".repeat(400)}`;
    expect(await partsOf(command)).toEqual([`ask ${command}`]);
    expect(await partsOf("ls")).toEqual([]);
  });
});

describe("recent decisions", () => {
  it("are kept with what was decided and why, and only so many", async () => {
    const policy = policyWith({});
    await policy.decide(edit("src/a.ts"));
    await policy.decide(bash("rm -rf /"));
    expect(policy.recent().at(-1)).toMatchObject({ tool: "bash", what: "rm -rf /", verdict: "deny" });
    for (let at = 0; at < 200; at++) await policy.decide(bash(`echo ${at} ${"x".repeat(5000)}`));
    expect(policy.recent().length).toBeLessThanOrEqual(50);
    expect(policy.recent().at(-1)?.what.length).toBeLessThanOrEqual(500);
  });
});

describe("a command that comes again", () => {
  it("is judged anew when a path in it leads elsewhere by then", async () => {
    const policy = policyWith({});
    const command = "cat later.txt";
    for (let at = 0; at < 3; at++) expect((await policy.decide(bash(command))).verdict).toBe("allow");
    symlinkSync(join(home, ".ssh/id_rsa"), join(root, "later.txt"));
    expect((await policy.decide(bash(command))).verdict).toBe("ask");
  });
});
