import { readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { describe, expect, it } from "vitest";
import { commands } from "../../src/commands/index.ts";
import { createTools } from "../../src/tools/index.ts";
import { repoRoot } from "../support/repo-root.ts";

/** TypeScript files below a folder of the repository, by their path in it. */
function filesIn(folder: string): string[] {
  const names = readdirSync(join(repoRoot, folder), { recursive: true, encoding: "utf8" });
  return names.filter((name) => name.endsWith(".ts")).map((name) => join(folder, name));
}
const read = (path: string) => readFileSync(join(repoRoot, path), "utf8");
const isTest = (path: string) => path.endsWith(".test.ts");

type Family = { readonly what: string; readonly folder: string; readonly index: string; readonly defines: RegExp };
const tools: Family = {
  what: "tool",
  folder: "src/tools",
  index: "src/tools/index.ts",
  defines: /\bdefineTool\b/,
};
const slashCommands: Family = {
  what: "command",
  folder: "src/commands",
  index: "src/commands/index.ts",
  defines: /^export const \w+: SlashCommand = |^export const \w+ = report\(/m,
};
const protocols: Family = {
  what: "protocol",
  folder: "src/providers/protocols",
  index: "src/providers/connect.ts",
  defines: /^export (?:function \w+\([^)]*\)|const \w+): Protocol\b/m,
};

/** The files that define one of the family. */
function definitions({ folder, index, defines }: Family): string[] {
  return filesIn(folder).filter((path) => path !== index && !isTest(path) && defines.test(read(path)));
}

const importLine = /^import \{([^}]*)\} from "([^"]+)";$/gm;

/** Imported by the index, and used there. */
function isRegistered(path: string, index: string): boolean {
  const text = read(index);
  const from = relative(dirname(index), path);
  const names = [...text.matchAll(importLine)].find(([, , file]) => join(file ?? "") === from)?.[1] ?? "";
  const body = text.replace(importLine, "");
  return names.split(",").some((name) => /^\w+$/.test(name.trim()) && new RegExp(`\\b${name.trim()}\\b`).test(body));
}

describe.each([tools, slashCommands, protocols])("every $what", (family) => {
  const files = definitions(family);

  it.each(files)(`in %s is registered in ${family.index}`, (path) => {
    expect(isRegistered(path, family.index), `${path} is not used in ${family.index}`).toBe(true);
  });

  it("has a file of its own that this test recognises", () => {
    expect(files.length).toBeGreaterThanOrEqual(2);
  });
});

const registeredTools = createTools({
  parallelSafe: () => false,
  environment: () => ({}),
  runSubagent: async () => ({ text: "" }),
});

it("there are as many registered tools and commands as files that define one", () => {
  expect(definitions(tools)).toHaveLength(registeredTools.length);
  expect(definitions(slashCommands)).toHaveLength(commands.length);
});

describe("a test mentions", () => {
  const tests = [...filesIn("src"), ...filesIn("test")].filter(
    (path) => isTest(path) && path !== join("test/conformance", basename(import.meta.url)),
  );
  const texts = tests.map(read);
  const isMentioned = (pattern: RegExp) => texts.some((text) => pattern.test(text));

  it.each(registeredTools.map(({ name }) => name))("the tool %s by its name", (name) => {
    expect(isMentioned(new RegExp(`["'\`]${name}\\b`))).toBe(true);
  });

  it.each(commands.map(({ name }) => name))("the command /%s", (name) => {
    expect(isMentioned(new RegExp(`["'\`]/${name}\\b`))).toBe(true);
  });

  it("nothing that does not exist, so that the search means something", () => {
    expect(isMentioned(/["'`]no_such_tool_anywhere\b/)).toBe(false);
  });
});
