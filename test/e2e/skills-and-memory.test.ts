import { execFileSync } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, type RecordedRequest, text } from "../../src/testing/index.ts";
import { repoRoot } from "../support/repo-root.ts";
import { contentText, lastToolText, messagesWithRole } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

/** Does what the first example of a page says, but for calling the program; answers with the prompt it would be called with. */
function follow(page: string, { cwd, home }: World): string {
  const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(readFileSync(join(repoRoot, "docs", page), "utf8")) ?? [];
  const [line = "", prompt = ""] = /^corecoder -p "(.*)"$/m.exec(block) ?? [];
  expect(prompt, page).not.toBe("");
  execFileSync("bash", ["-ec", block.replace(line, "")], { cwd, env: { PATH: process.env.PATH, HOME: home } });
  return prompt;
}

const toolNames = (request: RecordedRequest | undefined) =>
  ((request?.body.tools ?? []) as { function: { name: string } }[]).map((tool) => tool.function.name);
const systemOf = (request: RecordedRequest | undefined) => contentText(messagesWithRole(request, "system")[0]);
const userTexts = (request: RecordedRequest | undefined) => messagesWithRole(request, "user").map(contentText);

describe("the example of docs/skills.md", () => {
  it("works as it stands: name and description in the prompt, the rest by load_skill", async ({ world }) => {
    const prompt = follow("skills.md", world);
    const model = await world.model([
      call("load_skill", { name: "../release-notes" }),
      call("load_skill", { name: "release-notes" }),
      call("load_skill", { name: "release-notes", file: "template.md" }),
      text("done"),
    ]);
    const result = await world.run(["-p", prompt], { model });
    expect([result.code, result.stdout]).toEqual([0, "done\n"]);
    const [first, second, third, fourth] = model.requests;
    expect(systemOf(first)).toContain("- release-notes: Write release notes from the commits");
    expect(systemOf(first)).not.toContain("git log --oneline");
    expect(lastToolText(second)).toMatch(/There is no skill named "\.\.\/release-notes"\. Nearest: release-notes\./);
    expect(lastToolText(third)).toMatch(/git log --oneline[\s\S]*template\.md \(\d+ bytes\)/);
    expect(lastToolText(fourth)).toBe("## New\n## Changed\n## Fixed");
  });
});

describe("a skill's allowed tools", () => {
  it("run unasked from when it is loaded on, for the person's own skills; a project's needs trust", async ({
    world,
  }) => {
    const skill = (name: string, path: string) =>
      world.write(path, `---\nname: ${name}\nallowed-tools: Bash(touch ${name}:*), Bash\n---\nTouch it.\n`);
    skill("mine", "../.claude/skills/mine/SKILL.md");
    skill("theirs", ".claude/skills/theirs/SKILL.md");
    const touch = (file: string) => call("bash", { command: `touch ${file}` });
    const load = (name: string) => call("load_skill", { name });
    const model = await world.model([
      ...[touch("mine a"), load("mine"), touch("mine b"), touch("other")],
      ...[load("theirs"), touch("theirs c"), text("done")],
    ]);
    const result = await world.run(["-p", "go", "--permission-mode", "default"], { model });
    expect(readdirSync(world.cwd).sort()).toEqual([".claude", "b", "mine"]);
    expect(result.stderr).toMatch(/skill mine wants Bash allowed, which is more/);
    expect(result.stderr).toMatch(/skill theirs of this project .* only its text is used/);
  });
});

describe("the example of docs/memory.md", () => {
  it("works as it stands: the index at the start, the note with the prompt, and nothing of it where there are no notes", async ({
    world,
  }) => {
    const model = await world.model([text("none"), text("pnpm"), text("again")]);
    const env = { CORECODER_HOME: undefined };
    await world.run(["-p", "which package manager do I install packages with?"], { model, env });
    const prompt = follow("memory.md", world);
    expect((await world.run(["-p", prompt], { model, env })).stdout).toBe("pnpm\n");
    writeFileSync(join(world.home, ".corecoder/memory/user/later.md"), "# Later\n\nunrelated");
    const { stderr } = await world.run(["-c", "-p", prompt], { model, env });
    const [without, first, resumed] = model.requests;
    expect([systemOf(without), userTexts(without).length]).toEqual([expect.not.stringContaining("background"), 1]);
    expect(toolNames(without).filter((name) => /remember|forget|load_skill/.test(name))).toEqual([]);
    expect(systemOf(first)).toMatch(/\n- user\/package-manager\n<\/background>$/);
    expect(systemOf(first)).not.toContain("pnpm");
    expect(userTexts(first)[1]).toMatch(/^\[From memory[\s\S]*Install packages with pnpm/);
    // the session goes on as it was, and brings nothing twice
    expect([systemOf(resumed), stderr]).toEqual([systemOf(first), ""]);
    expect(userTexts(resumed)).toEqual([...userTexts(first), prompt]);
  });
});

describe("what the model wants to remember", () => {
  it("is kept when the person says so, and shown by /memory", async ({ world }) => {
    const model = await world.model([call("remember", { text: "Deploy with make ship." }), text("noted")]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("remember how we deploy");
    await terminal.waitFor(/Allow remember\?[\s\S]*Deploy with make ship\./);
    terminal.press("y");
    await terminal.waitForPrompt();
    terminal.type("/memory");
    await terminal.waitFor(/deploy-with-make-ship {2}Deploy with make ship\./);
    await terminal.waitForPrompt();
    terminal.type("/quit");
    expect(await terminal.exit).toBe(0);
    const [project = ""] = readdirSync(join(world.state, "memory"));
    expect(readFileSync(join(world.state, "memory", project, "deploy-with-make-ship.md"), "utf8")).toContain(
      "make ship",
    );
  });
});

describe("the example of docs/instructions.md", () => {
  it("works as it stands; nested ones survive a fold and are not repeated when the session is taken up again", async ({
    world,
  }) => {
    mkdirSync(join(world.cwd, ".git"));
    const prompt = follow("instructions.md", world);
    const file = call("read_file", { file_path: "packages/api/server.js" });
    const model = await world.model((request) => {
      if (JSON.stringify(request.body).includes("about to be folded")) return text("## Goal\nfind the port");
      const round = model.requests.filter(({ body }) => !JSON.stringify(body).includes("about to be folded")).length;
      return [file, file, call("compact", {}), text("8080"), file, text("still 8080")][round - 1] ?? text("over");
    });
    expect((await world.run(["-p", prompt], { model })).stdout).toBe("8080\n");
    expect((await world.run(["-c", "-p", "sure?"], { model })).stdout).toBe("still 8080\n");
    const told = model.requests.map((request) =>
      userTexts(request).filter((words) => words.includes("Every handler here")),
    );
    expect(systemOf(model.requests[0])).toMatch(/docs\/style\.md">\nTwo spaces[\s\S]*Tests: `npm test`/);
    expect(told.map((texts) => texts.length)).toEqual([0, 1, 1, ...told.slice(3).map(() => 1)]);
    expect(told.length).toBeGreaterThanOrEqual(6);
  });
});
