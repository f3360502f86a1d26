import "../../../test/support/property-seed.ts";
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { describe, expect, it, onTestFinished } from "vitest";
import { createFileFinder } from "./file-finder.ts";
import { fuzzyFilter } from "./fuzzy.ts";

const best = (items: readonly string[], query: string) => fuzzyFilter(items, query, (item) => item);

describe("fuzzy search", () => {
  it.each([
    ["main", ["src/domain/x.ts", "src/main.ts"], "src/main.ts"],
    ["agent", ["src/agents/list.ts", "src/agent.ts"], "src/agent.ts"],
    ["tl", ["src/total.ts", "src/tool-line.ts"], "src/tool-line.ts"],
    ["cc", ["accent.ts", "CodeCache.ts"], "CodeCache.ts"],
    ["src/ui", ["lib/src-of-ui.ts", "src/ui/print.ts"], "src/ui/print.ts"],
    ["read", ["spread.ts", "read-file.ts"], "read-file.ts"],
    ["READme", ["docs/readers.md", "README.md"], "README.md"],
  ])("%s finds the one that is meant first", (query, items, first) => {
    expect(best(items, query)[0]).toBe(first);
    expect(best(items.toReversed(), query)[0]).toBe(first);
  });

  it("finds exactly what has the characters in order, and a whole name before all others", () => {
    const name = fc.string({ unit: fc.constantFrom(..."abcAB/-_."), minLength: 1, maxLength: 12 });
    const query = fc.string({ unit: fc.constantFrom(..."abc/"), minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), query, (items, wanted) => {
        const form = new RegExp([...wanted].join(".*"), "i");
        expect(best(items, wanted).toSorted()).toEqual(items.filter((item) => form.test(item)).toSorted());
      }),
      { numRuns: 150 },
    );
  });
});

function project(paths: readonly string[]): string {
  const root = mkdtempSync(join(tmpdir(), "finder-"));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  execFileSync("git", ["init", "-q"], { cwd: root });
  for (const path of paths) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), path === ".gitignore" ? "out/\n" : "");
  }
  return root;
}

describe("the file finder", () => {
  it("knows files and folders that git does not ignore, and hidden ones when asked for them", async () => {
    const root = project(["src/main.ts", "src/ui/print.ts", "out/main.js", ".gitignore", ".github/ci.yml", "a b.txt"]);
    const finder = createFileFinder(root);
    expect(await finder.find("", 10)).toEqual(["a b.txt", "src/", "src/main.ts", "src/ui/"]);
    expect(await finder.find("main", 10)).toEqual(["src/main.ts"]);
    expect(await finder.find("mainx", 10)).toEqual([]);
    expect(await finder.find("ui", 1)).toEqual(["src/ui/"]);
    expect(await finder.find(".gi", 10)).toEqual([".github/", ".gitignore", ".github/ci.yml"]);
    expect(await finder.find("yml", 10)).toEqual([]);
  });

  it("learns of new files", async () => {
    const root = project(["old.ts"]);
    let time = 0;
    const finder = createFileFinder(root, () => time);
    expect(await finder.find("ts", 5)).toEqual(["old.ts"]);
    writeFileSync(join(root, "new.ts"), "");
    time = 10_000;
    await expect.poll(() => finder.find("ts", 5)).toEqual(["new.ts", "old.ts"]);
  });

  it("answers the last question only, when they come faster than answers", async () => {
    const finder = createFileFinder(project(["alpha.ts", "beta.ts"]));
    const [first, second] = await Promise.all([finder.find("a", 5), finder.find("al", 5)]);
    expect([first, second]).toEqual([[], ["alpha.ts"]]);
  });
});
