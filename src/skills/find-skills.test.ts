import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extensionContext } from "../../test/support/extension-context.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import type { AnyTool, Tool } from "../contracts/tool.ts";
import { findSkills } from "./find-skills.ts";

let folder: string;
let notices: string[];
beforeEach(() => {
  folder = makeTempFolder();
  notices = [];
  mkdirSync(join(folder, "home/repo/.git"), { recursive: true });
  mkdirSync(join(folder, "home/repo/app"));
});
afterEach(() => removeTempFolder(folder));

function write(path: string, text: string): string {
  const absolute = join(folder, "home", path);
  mkdirSync(dirname(absolute), { recursive: true });
  writeFileSync(absolute, text);
  return absolute;
}

const skill = (name: string, description: string, more = "", body = `How to ${name}.`) =>
  `---\nname: ${name}\ndescription: ${description}\n${more}---\n${body}\n`;

function find(more: Partial<ExtensionContext> = {}): Promise<Extension | undefined> {
  const context = extensionContext(folder, {
    cwd: join(folder, "home/repo/app"),
    home: join(folder, "home"),
    onNotice: (text) => notices.push(text),
    ...more,
  });
  return findSkills(context);
}

async function found(more: Partial<ExtensionContext> = {}): Promise<Extension> {
  const extension = await find(more);
  if (extension === undefined) throw new Error("no skills were found");
  return extension;
}

const toolOf = ({ tools = [] }: Extension) => tools[0] as AnyTool;
const load = (extension: Extension, input: Record<string, unknown>) =>
  runTool(toolOf(extension), input, workspaceAt(folder));
const listed = ({ section = "" }: Extension) => section.split("\n").slice(1);

describe("skills", () => {
  it("are nothing at all where there are none", async () => {
    mkdirSync(join(folder, "home/repo/.claude/skills/empty"), { recursive: true });
    expect([await find(), notices]).toEqual([undefined, []]);
  });

  it("are found in every folder that agents use, from the folder up to the repository and in the home folder", async () => {
    write("repo/app/.corecoder/skills/a/SKILL.md", skill("a", "first"));
    write("repo/.agents/skills/b/SKILL.md", skill("b", "second"));
    write(".claude/skills/c/SKILL.md", skill("c", "third"));
    write("../state/skills/d/SKILL.md", skill("d", "fourth"));
    write(".git/keep", "");
    expect(listed(await found())).toEqual(["- a: first", "- b: second", "- d: fourth", "- c: third"]);
  });

  it("are in the prompt by name and description alone; load_skill gives the body and the files, each of which it reads", async () => {
    write(".claude/skills/pdf/SKILL.md", skill("pdf", "Fill PDF forms", "", "Look at reference.md first."));
    write(".claude/skills/pdf/reference.md", "page one\npage two\n");
    write(".claude/skills/pdf/scripts/fill.py", "print()");
    const extension = await found();
    expect(extension.section).toContain("- pdf: Fill PDF forms");
    expect(extension.section).not.toContain("reference.md");
    const { text } = await load(extension, { name: "PDF" });
    expect(text).toContain("Look at reference.md first.");
    expect(text).toMatch(/reference\.md \(18 bytes\), scripts\/fill\.py/);
    expect(text).toContain(join(folder, "home/.claude/skills/pdf"));
    expect((await load(extension, { name: "pdf", file: "reference.md" })).text).toBe("page one\npage two");
  });

  it("are found by name, never by a path, and a file of theirs only inside their folder", async () => {
    write(".claude/skills/pdf/SKILL.md", skill("pdf", "Fill PDF forms"));
    const secret = write(".claude/skills/secret.txt", "secret");
    symlinkSync(secret, join(folder, "home/.claude/skills/pdf/link.txt"));
    symlinkSync(join(folder, "home"), join(folder, "home/.claude/skills/pdf/deep"));
    const extension = await found();
    for (const name of ["../pdf", "/etc", "pdf/../pdf", "", "pdff", "forms"])
      expect(await errorOf(load(extension, { name }))).toMatch(
        /^There is no skill named .*(Nearest|The skills are): pdf\.$/,
      );
    for (const file of ["../secret.txt", secret, "link.txt", "deep/.claude/skills/secret.txt", "nothing", ".", "~/x"])
      expect(await errorOf(load(extension, { name: "pdf", file })), file).toMatch(/has no file/);
    for (let at = 0; at < 101; at++) write(`.claude/skills/pdf/a${at}.md`, "one of many");
    write(".claude/skills/pdf/z.md", "not listed");
    expect((await load(extension, { name: "pdf", file: "z.md" })).text).toBe("not listed");
    expect(await errorOf(load(extension, { name: "pdf", file: "../secret.txt" }))).toMatch(/has no file/);
    const { reads } = (toolOf(extension) as unknown as Tool<unknown>).describe({ name: "pdf", file: ".env" });
    expect(reads, "what the policy judges").toEqual([join(folder, "home/.claude/skills/pdf/.env")]);
  });

  it("that are broken are reported once each, and the others load", async () => {
    write(".claude/skills/good/SKILL.md", skill("good", "fine"));
    write(".claude/skills/broken/SKILL.md", "---\nname: [x\n---\nbody");
    write(".claude/skills/huge/SKILL.md", "x".repeat(10_000_000));
    write(".claude/skills/climber/SKILL.md", skill("../x", "climbs"));
    write(".claude/skills/nameless/SKILL.md", "# Do it well\n\nbody");
    write(".claude/skills/not a name/SKILL.md", "body");
    expect(listed(await found())).toEqual(["- climber: climbs", "- good: fine", "- nameless: Do it well"]);
    expect(notices.sort()).toEqual([
      expect.stringMatching(/broken\/SKILL\.md has bad front matter/),
      expect.stringMatching(/climber\/SKILL\.md names itself "\.\.\/x"/),
      expect.stringMatching(/huge\/SKILL\.md is too large/),
      expect.stringMatching(/not a name\/SKILL\.md has no usable name/),
    ]);
  });

  it("of one name: the nearest counts, and one line says so", async () => {
    write("repo/.claude/skills/x/SKILL.md", skill("x", "near"));
    write(".claude/skills/x/SKILL.md", skill("x", "far"));
    write("repo/.agents/skills/same/SKILL.md", skill("same", "twin"));
    write("repo/.claude/skills/same/SKILL.md", skill("same", "twin"));
    expect(listed(await found()).sort()).toEqual(["- same: twin", "- x: near"]);
    expect(notices).toEqual([expect.stringMatching(/same name; the nearest counts: x \(/)]);
  });

  it("of a project must not be links that lead out of it", async () => {
    write("elsewhere/SKILL.md", skill("elsewhere", "private"));
    mkdirSync(join(folder, "home/repo/.claude/skills"), { recursive: true });
    symlinkSync(join(folder, "home/elsewhere"), join(folder, "home/repo/.claude/skills/elsewhere"));
    expect(await find()).toBeUndefined();
    expect(notices).toEqual([expect.stringContaining("leads out of the repository")]);
  });

  it("of a project bring scripts and allowed tools only where it is trusted", async () => {
    write(
      "repo/.claude/skills/ship/SKILL.md",
      skill("ship", "ship it", "allowed-tools: Bash(git push:*), Bash, Edit\n"),
    );
    const script = write("repo/.claude/skills/ship/run", "#!/bin/sh\n");
    write("repo/.claude/skills/ship/notes.md", "notes");
    chmodSync(script, 0o755);
    const strange = await found();
    expect((await load(strange, { name: "ship" })).text).toMatch(/notes\.md[\s\S]*1 script left out/);
    expect(await errorOf(load(strange, { name: "ship", file: "run" }))).toMatch(/not trusted/);
    await load(strange, { name: "ship" });
    expect(strange.grantedRules?.()).toEqual([]);
    expect(notices).toEqual([expect.stringMatching(/skill ship of this project brings scripts .* `corecoder trust`/)]);

    const trusted = await found({ isTrusted: true });
    expect(trusted.grantedRules?.()).toEqual([]);
    expect((await load(trusted, { name: "ship" })).text).toContain("run (10 bytes)");
    expect(trusted.grantedRules?.()).toEqual(["Bash(git push:*)", "Edit(**)"]);
    expect(notices.at(-1)).toMatch(/wants Bash allowed, which is more/);
    trusted.onView?.([]);
    expect(trusted.grantedRules?.()).toEqual([]);
  });

  it("stay within a hundredth of the window: descriptions are shortened, then left out, then names; all can be loaded", async () => {
    for (let at = 0; at < 60; at++)
      write(`.claude/skills/s${at}/SKILL.md`, skill(`s${at}`, `${"word ".repeat(40)}about topic${at}`));
    for (const [windowTokens, pattern] of [
      [1_000_000, /- s0: (word ){40}about topic0\n/],
      [200_000, /- s0: (word )+\w*…\n/],
      [32_000, /\ns0, s1, /],
      [8_000, /and \d+ more/],
    ] as const) {
      const extension = await found({ windowTokens });
      expect(extension.section).toMatch(pattern);
      expect(Buffer.byteLength(extension.section ?? "")).toBeLessThanOrEqual(windowTokens * 0.03);
      expect((await load(extension, { name: "s59" })).text).toContain("How to s59.");
      expect(await errorOf(load(extension, { name: "topic47" }))).toContain("s47");
    }
  });

  it("with paths are announced once, when such a file is touched; those that were loaded are named after a fold", async () => {
    write("repo/.claude/skills/sql/SKILL.md", skill("sql", "Migrations.", "paths: ['db/**/*.sql', '*.ddl']\n"));
    const extension = await found();
    extension.onTouched?.([join(folder, "home/repo/app/x.ts"), join(folder, "home/other/a.ddl")]);
    expect(extension.pendingNotices?.()).toEqual([]);
    extension.onTouched?.([join(folder, "home/repo/db/2026/a.sql")]);
    extension.onTouched?.([join(folder, "home/repo/db/b.sql")]);
    expect(extension.pendingNotices?.()).toEqual([expect.stringMatching(/skill sql .*Migrations\./)]);
    expect(extension.pendingNotices?.()).toEqual([]);
    await load(extension, { name: "sql" });
    extension.onFolded?.();
    extension.onView?.([]);
    expect(extension.pendingNotices?.()).toEqual([expect.stringContaining("Skills loaded before: sql")]);
  });

  it("are slash commands that stand for a prompt", async () => {
    write(
      ".claude/skills/fix/SKILL.md",
      skill("fix", "fixes", "model: big\nargument-hint: NUMBER\n", "Fix issue $ARGUMENTS."),
    );
    write(".claude/skills/own/SKILL.md", skill("own", "only typed", "disable-model-invocation: true\n"));
    write(".claude/skills/auto/SKILL.md", skill("auto", "only called", "user-invocable: false\n"));
    const extension = await found();
    expect(listed(extension)).toEqual(["- auto: only called", "- fix: fixes"]);
    const printed: string[] = [];
    const host = { print: (text: string) => printed.push(text), model: () => "small" } as unknown as CommandHost;
    const commands = extension.commands ?? [];
    expect(commands.map(({ name, usage }) => [name, usage])).toEqual([
      ["fix", "NUMBER"],
      ["own", "[TEXT]"],
    ]);
    expect(await commands[0]?.run("12", host)).toEqual({
      prompt: '/fix 12\n\n<skill name="fix">\nFix issue 12.\n</skill>',
    });
    expect(await commands[1]?.run("now", host)).toEqual({
      prompt: '/own now\n\n<skill name="own">\nHow to own.\n</skill>\n\nnow',
    });
    expect(printed.join("")).toContain("/model big");
    expect(await errorOf(load(extension, { name: "own" }))).toMatch(/no skill named/);
  });
});
