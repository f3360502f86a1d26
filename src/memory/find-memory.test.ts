import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { extensionContext } from "../../test/support/extension-context.ts";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Extension, ExtensionContext } from "../contracts/extension.ts";
import type { AnyTool } from "../contracts/tool.ts";
import { projectSlug } from "../platform/project-slug.ts";
import { findMemory } from "./find-memory.ts";
import { rankEntries } from "./rank-entries.ts";

let folder: string;
let notices: string[];
beforeEach(() => {
  folder = makeTempFolder();
  notices = [];
  mkdirSync(join(folder, "repo/.git"), { recursive: true });
});
afterEach(() => removeTempFolder(folder));

function find(more: Partial<ExtensionContext> = {}): Promise<Extension | undefined> {
  const context = extensionContext(folder, {
    cwd: join(folder, "repo"),
    onNotice: (text) => notices.push(text),
    ...more,
  });
  return findMemory(context);
}

async function found(more: Partial<ExtensionContext> = {}): Promise<Extension> {
  const extension = await find(more);
  if (extension === undefined) throw new Error("there is no memory");
  return extension;
}

const projectFolder = () => join(folder, "state/memory", projectSlug(join(folder, "repo")));

function note(name: string, content: string | Buffer, scope: "project" | "user" = "project"): string {
  const path = join(scope === "user" ? join(folder, "state/memory/user") : projectFolder(), name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const namesOf = ({ tools = [] }: Extension) => tools.map(({ name }) => name);

function call(extension: Extension, tool: string, input: Record<string, unknown>) {
  const found = extension.tools?.find(({ name }) => name === tool) as AnyTool;
  return runTool(found, input, workspaceAt(folder));
}

async function command(extension: Extension, argument: string): Promise<string> {
  const printed: string[] = [];
  const host = { print: (text: string) => printed.push(text) } as unknown as CommandHost;
  expect(await extension.commands?.[0]?.run(argument, host)).toBe("continue");
  return printed.join("");
}

const ask = (extension: Extension, prompt: string) => extension.onPrompt?.(prompt, new AbortController().signal);

describe("memory", () => {
  it("is nothing at all for a run without a person and without notes", async () => {
    expect(await find()).toBeUndefined();
    mkdirSync(projectFolder(), { recursive: true });
    expect(await find()).toBeUndefined();
    expect(await find({ isInteractive: true, memory: "off" })).not.toHaveProperty("tools");
    note("a.md", "# A\n\ntext");
    expect(await find({ memory: "off" })).toBeUndefined();
    expect(readdirSync(folder).sort()).toEqual(["repo", "state"]);
  });

  it("offers one small tool to a person who has not used it, and keeps the tools of a session that is taken up again", async () => {
    const first = await found({ isInteractive: true });
    expect([namesOf(first), first.background]).toEqual([["remember"], undefined]);
    expect(JSON.stringify(first.tools?.[0]?.input.json).length).toBeLessThan(120);
    expect(await find({ isInteractive: true, resumedTools: ["bash"] })).not.toHaveProperty("tools");
    expect(namesOf(await found({ resumedTools: ["bash", "remember"] }))).toEqual(["remember"]);
    expect(namesOf(await found({ resumedTools: ["remember", "forget"] }))).toEqual(["remember", "forget"]);
  });

  it("keeps a note in a file of its own that nobody else can read, with an index; later sessions begin with its name alone", async () => {
    const first = await found({ isInteractive: true });
    const { text } = await call(first, "remember", {
      text: "Deploys go through make ship, never by hand.",
      title: "How to deploy!",
    });
    expect(text).toBe("Remembered as how-to-deploy: How to deploy!.");
    await call(first, "remember", { text: "Answers in French please.", scope: "user" });
    const path = join(projectFolder(), "how-to-deploy.md");
    expect(readFileSync(path, "utf8")).toBe("# How to deploy!\n\nDeploys go through make ship, never by hand.\n");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(projectFolder()).mode & 0o777).toBe(0o700);
    expect(readFileSync(join(projectFolder(), "index.md"), "utf8")).toContain("- [How to deploy!](how-to-deploy.md)");
    const later = await found();
    expect(namesOf(later)).toEqual(["remember", "forget"]);
    expect(later.background).toContain("- how-to-deploy: How to deploy!\n- user/answers-in-french-please");
    expect(later.background).not.toContain("make ship");
    expect(readdirSync(projectFolder()).sort()).toEqual(["how-to-deploy.md", "index.md"]);
  });

  it("masks secrets before anything is written", async () => {
    const extension = await found({ isInteractive: true });
    const secret = "sk-proj-4f9a1c7e2b8d4f9a1c7e2b8dAbC123";
    const { text } = await call(extension, "remember", { text: `The key is ${secret}`, title: `Key ${secret}` });
    expect(text).toMatch(/masked/);
    for (const name of readdirSync(projectFolder()))
      expect(readFileSync(join(projectFolder(), name), "utf8")).not.toContain("4f9a1c7e2b8d");
  });

  it("refuses what is empty or too long, keeps nothing twice and writes over nothing", async () => {
    const extension = await found({ isInteractive: true });
    expect(await errorOf(call(extension, "remember", { text: " \n" }))).toMatch(/nothing to remember/);
    expect(await errorOf(call(extension, "remember", { text: "x".repeat(5_000) }))).toMatch(/at most 4000/);
    await call(extension, "remember", { text: "one", title: "Same" });
    expect((await call(extension, "remember", { text: "one", title: "Same" })).text).toContain("as same:");
    expect((await call(extension, "remember", { text: "two", title: "Same" })).text).toContain("as same-2:");
    expect((await call(extension, "remember", { text: "three", title: "index" })).text).toContain("as index-2:");
  });

  it("forgets by id, never by a path", async () => {
    note("deploy.md", "# Deploy\n\ntext");
    const secret = note("../secret.md", "# Secret");
    const extension = await found();
    for (const id of ["../secret", secret, "user/deploy", "deploi", "index"])
      expect(await errorOf(call(extension, "forget", { id }))).toMatch(/There is no note .*deploy\.$/);
    expect((await call(extension, "forget", { id: "deploy" })).text).toBe("Forgotten: deploy.");
    expect(readdirSync(projectFolder())).toEqual(["index.md"]);
  });

  it("tells once of files that make no sense, and the others load; the index is made anew", async () => {
    note("good.md", "no heading, but words\nand more");
    note("index.md", "nonsense");
    note("binary.md", Buffer.from([0xff, 0xfe, 0, 1]));
    note("empty.md", " \n--- \n");
    note("huge.md", "word ".repeat(10_000));
    mkdirSync(join(projectFolder(), "folder.md"));
    const extension = await found();
    expect(extension.background?.split("\n").slice(1)).toEqual(["- good: no heading, but words"]);
    expect(readFileSync(join(projectFolder(), "index.md"), "utf8")).toMatch(
      /^# What is remembered in this project\n\n- \[[^\n]*good\.md\)\n$/,
    );
    await ask(extension, "anything");
    expect(notices.map((text) => /(\w+)\.md (.*)\. It is not/.exec(text)?.slice(1))).toEqual([
      ["binary", "is no text"],
      ["empty", "says nothing"],
      ["folder", "is a folder, not a file"],
      ["huge", "is too large: at most 16 KB are read. Make it shorter"],
    ]);
    await call(extension, "remember", { text: "new" });
    expect(readFileSync(join(projectFolder(), "index.md"), "utf8")).toMatch(/good\.md\)\n- \[new\]/);
  });

  it("brings the notes that a prompt is clearly about, each once in a session, also when it is taken up again", async () => {
    note("deploy.md", "# Deploying\n\nUse make ship; the registry needs a VPN.");
    note("french.md", "# Language\n\nAnswer in French.", "user");
    const extension = await found();
    expect(await ask(extension, "please look at this file and fix the code")).toBeUndefined();
    const told = await ask(extension, "deploy it to the registry");
    expect(told).toMatch(/^\[From memory[^\n]*\n<memory id="deploy">\nDeploying\nUse make ship/);
    expect(await ask(extension, "deploy it to the registry")).toBeUndefined();
    extension.onFolded?.();
    extension.onView?.([]);
    expect(await ask(extension, "deploy it to the registry")).toBeUndefined();
    const resumed = await found();
    resumed.onView?.([told ?? ""]);
    expect(await ask(resumed, "deploy it to the registry")).toBeUndefined();
    expect(await ask(resumed, "which language do you answer in, French?")).toContain('<memory id="user/french">');
    resumed.onView?.([]);
    expect(await ask(resumed, "deploy it to the registry")).toBe(told);
  });

  it("keeps the index and what it brings small", async () => {
    for (let at = 0; at < 60; at++)
      note(`n${at}.md`, `# About ${at < 5 ? "istio meshes" : "other things"} ${at}\n\n${"words ".repeat(600)}`);
    const extension = await found();
    expect(Buffer.byteLength(extension.background ?? "")).toBeLessThan(1_600);
    expect(extension.background).toMatch(/and \d+ more$/);
    expect((await ask(extension, "which istio mesh?"))?.length).toBeLessThan(3_000);
  });

  it("is seen, changed and switched off with /memory", async () => {
    const extension = await found({ isInteractive: true, environment: { EDITOR: "false" } });
    expect(await command(extension, "")).toContain("Nothing is remembered");
    expect(await command(extension, "add Tabs, not spaces")).toBe("Remembered as tabs-not-spaces.\n");
    expect(await command(extension, "")).toMatch(/tabs-not-spaces {2}Tabs, not spaces\n/);
    expect(await command(extension, "tabs-not-spaces")).toBe(`${join(projectFolder(), "tabs-not-spaces.md")}\n`);
    expect(await command(extension, "../x")).toMatch(/There is no note/);
    expect(await command(extension, "off")).toMatch(/off for this project/);
    expect(await ask(extension, "tabs or spaces?")).toBeUndefined();
    expect(await errorOf(call(extension, "remember", { text: "x" }))).toMatch(/switched memory off/);
    expect(await find()).toBeUndefined();
    expect(await command(extension, "on")).toMatch(/is on/);
    expect(await command(extension, "forget tabs-not-spaces")).toBe("Forgotten: tabs-not-spaces.\n");
    expect(await find()).toBeUndefined();
  });
});

describe("ranking", () => {
  const entries = [
    ["pnpm", "Package manager", "Install with pnpm, not npm."],
    ["db", "Database", "PostgreSQL 16 runs in docker; migrations live in db/migrate and are run by `make migrate`."],
    ["parser", "parseConfigFile", "parseConfigFile throws on tabs; see issue 12."],
  ].map(([id = "", title = "", text = ""]) => ({ id, title, text, path: id }));
  it.each([
    ["write a migration for the users table", []],
    ["run the migrations on the database", ["db"]],
    ["why does parse_config_file fail, or parseConfigFile?", ["parser"]],
    ["which package manager do we install with?", ["pnpm"]],
    ["hello", []],
    ["", []],
  ])("for %j finds %j", (prompt, ids) => {
    expect(rankEntries(prompt, entries).map(({ id }) => id)).toEqual(ids);
  });
});
