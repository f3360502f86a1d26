import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import type { ExtensionContext } from "../contracts/extension.ts";
import { findAgentKinds } from "./find-kinds.ts";

let base: string;
let notices: string[];
beforeEach(() => {
  base = makeTempFolder();
  notices = [];
});
afterEach(() => removeTempFolder(base));

function write(path: string, text: string): void {
  const target = join(base, path);
  mkdirSync(dirname(target), { recursive: true });
  writeFileSync(target, text);
}
const kindFile = (fields: string, body = "You review.") => `---\n${fields}\n---\n${body}\n`;

async function find(more: Partial<ExtensionContext> = {}) {
  const context = { cwd: join(base, "project"), home: join(base, "home"), isTrusted: false, ...more };
  const found = await findAgentKinds({ ...context, onNotice: (text) => notices.push(text) } as ExtensionContext);
  return found?.agentKinds;
}

describe("kinds of sub-agents", () => {
  it("are none where there are no files", async () => {
    expect(await find()).toBeUndefined();
  });

  it("come from Claude Code's files as they stand, under our names of the tools", async () => {
    write(
      "project/.claude/agents/reviewer.md",
      kindFile(
        "name: reviewer\ndescription: Use this: after   changes\ntools: Read, Grep, Task, mcp__x__y\nmodel: sonnet",
      ),
    );
    expect(await find()).toEqual([
      {
        name: "reviewer",
        description: "Use this: after changes",
        prompt: "You review.",
        tools: ["read_file", "grep", "mcp__x__y"],
      },
    ]);
    expect(notices).toEqual([]);
  });

  it("take every field, and tell of those that make no sense", async () => {
    const good =
      "description: d\ntools: [bash]\neffort: low\nmax-rounds: 5\nisolation: worktree\npermission-mode: plan";
    write("home/.corecoder/agents/good.md", kindFile(`${good}\nmodel: gpt-4o`));
    write(
      "home/.corecoder/agents/odd.md",
      kindFile(
        "description: d\neffort: huge\nmax-rounds: -1\nisolation: cloud\nmodel: [x]\npermissionMode: bypassPermissions",
      ),
    );
    expect(await find()).toEqual([
      {
        ...{ name: "good", description: "d", prompt: "You review.", tools: ["bash"], effort: "low", maxRounds: 5 },
        ...{ isolation: "worktree", isReadOnly: true, model: "gpt-4o" },
      },
      { name: "odd", description: "d", prompt: "You review." },
    ]);
    expect(notices.map((text) => /: (\S+) must/.exec(text)?.[1]).sort()).toEqual([
      "effort",
      "isolation",
      "max-rounds",
      "model",
    ]);
  });

  it("of the project come before those of the home folder, ours before others', and nothing takes a built-in name", async () => {
    write("home/.corecoder/agents/a.md", kindFile("description: home"));
    write("project/.claude/agents/a.md", kindFile("description: claude"));
    write("project/.corecoder/agents/a.md", kindFile("description: ours"));
    write("project/.corecoder/agents/explore.md", kindFile("description: mine"));
    expect((await find())?.map(({ description }) => description)).toEqual(["ours"]);
    expect(notices).toEqual([expect.stringContaining("explore is built in")]);
  });

  it.each([
    ["a name that is a path", "name: ../x\ndescription: d", "x", /name must be/],
    ["no description", "name: a", "x", /description is missing/],
    ["no prompt", "description: d", " ", /no text/],
    ["tools that are no list", "description: d\ntools: {a: 1}", "x", /tools must be/],
    ["front matter that is no YAML", "description: [", "x", /front matter/],
  ])("with %s are reported once, and the others load", async (_title, fields, body, problem) => {
    write("project/.corecoder/agents/bad.md", kindFile(fields, body));
    write("project/.corecoder/agents/good.md", kindFile("description: d"));
    expect((await find())?.map(({ name }) => name)).toEqual(["good"]);
    expect(notices).toEqual([expect.stringMatching(problem)]);
    expect(notices[0]).toContain("bad.md");
  });

  it("of a project choose a model only where the person trusts it", async () => {
    write("project/.corecoder/agents/a.md", kindFile("description: d\nmodel: other-model"));
    expect((await find())?.[0]?.model).toBeUndefined();
    expect(notices).toEqual([expect.stringMatching(/other-model is ignored.*not trusted/)]);
    expect((await find({ isTrusted: true }))?.[0]?.model).toBe("other-model");
  });
});
