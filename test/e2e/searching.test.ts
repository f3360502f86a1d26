import { mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

async function ask(
  world: World,
  tool: "glob" | "grep",
  input: Record<string, unknown>,
  cwd = world.cwd,
): Promise<string> {
  const model = await world.model([call(tool, input), text("ok")]);
  expect((await world.run(["-p", "search"], { model, cwd })).code).toBe(0);
  return lastToolText(model.requests[1]);
}

describe("glob", () => {
  it("lists the newest first", async ({ world }) => {
    for (const [name, age] of [
      ["old.ts", 300],
      ["newest.ts", 1],
      ["middle.ts", 100],
    ] as const) {
      const path = world.write(name, "");
      utimesSync(path, new Date(Date.now() - age * 1000), new Date(Date.now() - age * 1000));
    }
    const answer = await ask(world, "glob", { pattern: "*.ts" });
    const positions = ["newest.ts", "middle.ts", "old.ts"].map((name) => answer.indexOf(name));
    expect(positions.every((position) => position >= 0)).toBe(true);
    expect(positions).toEqual([...positions].sort((a, b) => a - b));
  });

  it("names 100 of 300 and says how many there are", async ({ world }) => {
    for (let i = 0; i < 300; i++) world.write(`many/file-${i}.txt`, "");
    const answer = await ask(world, "glob", { pattern: "**/*.txt" });
    expect(answer.match(/file-\d+\.txt/g)).toHaveLength(100);
    expect(answer).toContain("300");
  });

  it("skips node_modules, .git and what .gitignore names", async ({ world }) => {
    for (const path of ["node_modules/x/a.js", ".git/hooks/a.js", "ignored/a.js", "src/a.js"]) world.write(path, "");
    world.write(".gitignore", "ignored/\n");
    const answer = await ask(world, "glob", { pattern: "**/*.js" });
    expect(answer).toContain("src/a.js");
    expect(answer).not.toMatch(/node_modules|\.git\/|ignored/);
  });

  it("says that nothing matched", async ({ world }) => {
    expect(await ask(world, "glob", { pattern: "*.none" })).toMatch(/no /i);
  });
});

describe("grep", () => {
  it("finds lines with their numbers, in a project below a folder called build", async ({ world }) => {
    const cwd = join(world.home, "build/app");
    mkdirSync(join(cwd, "node_modules/x"), { recursive: true });
    writeFileSync(join(cwd, "main.ts"), "one\nneedle here\n");
    writeFileSync(join(cwd, "node_modules/x/y.ts"), "needle too\n");
    const answer = await ask(world, "grep", { pattern: "needle" }, cwd);
    expect(answer).toMatch(/main\.ts.*2.*needle here|main\.ts[\s\S]*\b2[:-].*needle here/);
    expect(answer).not.toContain("node_modules");
  });

  it("searches only files that fit include", async ({ world }) => {
    world.write("a.ts", "needle\n");
    world.write("a.md", "needle\n");
    const answer = await ask(world, "grep", { pattern: "needle", include: "*.ts" });
    expect(answer).toContain("a.ts");
    expect(answer).not.toContain("a.md");
  });

  it("limits what it returns, and says so", async ({ world }) => {
    world.write("many.txt", "needle in a line\n".repeat(3000));
    const answer = await ask(world, "grep", { pattern: "needle" });
    expect(answer.length).toBeLessThan(40_000);
    expect(answer).toMatch(/more|limit|first|of 3[,.]?000/i);
  });

  it("explains a pattern that is no regular expression", async ({ world }) => {
    expect(await ask(world, "grep", { pattern: "(unclosed" })).toMatch(/regex|pattern|unclosed|parse/i);
  });

  it("ends in time on a catastrophic pattern", async ({ world }) => {
    world.write("line.txt", `${"a".repeat(50_000)}!\n`);
    const startedAt = performance.now();
    await ask(world, "grep", { pattern: "(a+)+$" });
    expect(performance.now() - startedAt).toBeLessThan(8000);
  });

  it("says that nothing matched, and that a path does not exist", async ({ world }) => {
    expect(await ask(world, "grep", { pattern: "needle" })).toMatch(/no match/i);
    expect(await ask(world, "grep", { pattern: "needle", path: "nowhere" })).toMatch(/nowhere/);
  });
});
