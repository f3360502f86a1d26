import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";
import { call, startScriptedModel, text } from "../../src/testing/index.ts";
import { builtCli, repoRoot } from "../support/repo-root.ts";
import { makeTempFolder, removeTempFolder } from "../support/temp.ts";

const run = promisify(execFile);
const read = (path: string) => readFileSync(join(repoRoot, path), "utf8");

/** The bodies of a page's code blocks in one language. */
function blocksOf(page: string, language: string): string[] {
  return [...page.matchAll(new RegExp(`^\`\`\`${language}\n([\\s\\S]*?)^\`\`\`$`, "gm"))].map(([, body]) => body ?? "");
}

describe("the settings page", () => {
  it("is what the tables say", async () => {
    await run(process.execPath, ["scripts/write-settings-doc.mjs", "--check"], { cwd: repoRoot });
  });

  it("or the README names every option of --help", async () => {
    const { stdout } = await run(process.execPath, [builtCli, "--help"]);
    const options = [...new Set(stdout.match(/(?<![\w-])--[a-z][a-z-]+/g))];
    expect(options.length).toBeGreaterThan(20);
    const pages = read("docs/settings.md") + read("README.md");
    const missing = options.filter((option) => !new RegExp(`${option}(?![\\w-])`).test(pages));
    expect(missing).toEqual([]);
  });
});

describe("the README", () => {
  it("shows lines of the example in their order, and the example runs on the built package", async () => {
    const shown = blocksOf(read("README.md"), "js").join("\n").split("\n");
    const example = read("examples/custom-tool.mjs");
    let from = 0;
    for (const line of shown.map((text) => text.trimEnd()).filter((text) => text !== "" && !text.includes("…"))) {
      const at = example.indexOf(`${line}\n`, from);
      expect(at, `not in the example, or not in this order: ${line}`).toBeGreaterThanOrEqual(0);
      from = at + line.length;
    }
    expect(from).toBeGreaterThan(0);
    const { stdout } = await run(process.execPath, ["examples/custom-tool.mjs"], { cwd: repoRoot });
    expect(stdout).toBe("[weather] Bern: 21 degrees, dry\nIt is dry: no umbrella.\n");
  });

  it.each(["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "AGENTS.md", "CHANGELOG.md", "docs/dependencies.md"])(
    "and its neighbours link only to what exists: %s",
    (page) => {
      const targets = [...read(page).matchAll(/\]\(([^)#:]+)(?:#[^)]*)?\)/g)].map(([, target]) => target ?? "");
      for (const target of targets) expect(() => read(join(dirname(page), target)), target).not.toThrow();
    },
  );
});

describe("the library page", () => {
  it("begins with the example that runs, but for its model", () => {
    const example = read("examples/custom-tool.mjs");
    const shown = (blocksOf(read("docs/library.md"), "js")[0] ?? "").split("\n").filter((line) => line !== "");
    const missing = shown.filter((line) => !example.includes(line));
    expect(missing).toEqual(['const agent = createAgent({ model: "gpt-5.5", tools: [weather] });']);
  });

  it("names a test that is green", async () => {
    const { stdout } = await run(process.execPath, ["--test", "examples/scripted-model.test.mjs"], { cwd: repoRoot });
    expect(stdout).toMatch(/pass 1/);
  });

  it("names a reviewer that reads, changes nothing and says what it found", async () => {
    const model = await startScriptedModel([
      call("bash", { command: "git diff HEAD" }),
      call("write_file", { file_path: "README.md", content: "x" }),
      text("fine"),
    ]);
    const env = { PATH: process.env.PATH, HOME: repoRoot, MODEL: "any", BASE_URL: model.url, API_KEY: "any" };
    const { stdout } = await run(process.execPath, ["examples/reviewer.mjs"], { cwd: repoRoot, env });
    await model.close();
    expect(stdout).toBe("fine\n");
    expect(JSON.stringify(model.requests[2]?.conversation.at(-1))).toContain("plan mode only reads");
  });
});

describe("the recipes of CONTRIBUTING.md", () => {
  const copy = makeTempFolder();
  afterAll(() => removeTempFolder(copy));

  /** `// path`, `// path, below …`, `// path, above …` or `// path, instead of …`: a whole file, or lines at a named place of one. */
  function apply(block: string): string {
    const [, path = "", how, anchor = ""] = /^\/\/ (\S+?)(?:, (below|above|instead of) `(.+)`)?\n/.exec(block) ?? [];
    const body = block.slice(block.indexOf("\n") + 1);
    const target = join(copy, path);
    mkdirSync(dirname(target), { recursive: true });
    if (how === undefined) writeFileSync(target, body);
    else {
      const before = readFileSync(target, "utf8");
      const lines = body.trimEnd();
      const place = how === "instead of" ? anchor : `\n${anchor}\n`;
      const placed = { below: `${place}${lines}\n`, above: `\n${lines}${place}`, "instead of": lines }[how] ?? "";
      expect(before.split(place), `${path} must hold this once: ${anchor}`).toHaveLength(2);
      writeFileSync(
        target,
        before.replace(place, () => placed),
      );
    }
    return path;
  }

  it("fit the sources, pass the type check, and their tests are green", async () => {
    for (const path of ["src", "test/support", "tsconfig.json", "vitest.config.ts", "package.json"])
      cpSync(join(repoRoot, path), join(copy, path), { recursive: true });
    symlinkSync(join(repoRoot, "node_modules"), join(copy, "node_modules"));
    const paths = blocksOf(read("CONTRIBUTING.md"), "ts").map(apply);
    const tests = [...new Set(paths.filter((path) => path.endsWith(".test.ts")))];
    expect(tests).toHaveLength(5);
    const env = { PATH: process.env.PATH, HOME: copy, NO_COLOR: "1" };
    const printed = async (tool: string, args: readonly string[]) => {
      const ended = run(join(repoRoot, "node_modules/.bin", tool), args, { cwd: copy, env });
      return (await ended.catch((failed: { stdout: string }) => failed)).stdout;
    };
    const [types, testRun] = await Promise.all([
      printed("tsc", ["-p", "."]),
      printed("vitest", ["run", "--project", "unit", ...tests]),
    ]);
    const faults = types.split("\n").filter((line) => paths.some((path) => line.startsWith(path)));
    expect(faults).toEqual([]);
    expect(testRun).toMatch(/Test Files {2}5 passed/);
  }, 60_000);
});
