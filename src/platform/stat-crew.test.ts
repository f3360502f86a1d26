import { appendFileSync, mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { rowAt } from "./file-row.ts";
import { createStatCrew, type StatCrew } from "./stat-crew.ts";

let folder: string;
let crew: StatCrew;

beforeEach(() => {
  folder = makeTempFolder();
  crew = createStatCrew();
});
afterEach(() => {
  crew.close();
  removeTempFolder(folder);
});

/** Few files under many paths: what is asked twice is looked at twice. */
function manyPaths(count: number): string[] {
  mkdirSync(join(folder, "sub"));
  for (let i = 0; i < 20; i++) writeFileSync(join(folder, `file${i}`), "x".repeat(i));
  symlinkSync("nowhere", join(folder, "link"));
  symlinkSync("loop", join(folder, "loop"));
  const names = ["sub", "link", "missing", "file1/in-a-file", "loop/in-a-loop"];
  for (let i = 0; i < 20; i++) names.push(`file${i}`);
  return Array.from({ length: count }, (_, index) => join(folder, names[index % names.length] as string));
}

it.each([100, 20_000])("sees the same as looking at one path after the other, for %i paths", async (count) => {
  const paths = manyPaths(count);
  const rows = await crew.rows(paths);
  for (const [index, path] of paths.entries()) {
    const row = rowAt(path);
    expect(rows.at(index)).toEqual(row);
    if (typeof row !== "string") expect(rows.isSame(index, row)).toBe(true);
  }
});

it("sees what changed since, what was added to the list, and another list", async () => {
  const paths = manyPaths(20_000);
  const before = rowAt(join(folder, "file3"));
  await crew.rows(paths);
  appendFileSync(join(folder, "file3"), "more");
  rmSync(join(folder, "file4"));
  renameSync(join(folder, "file5"), join(folder, "missing"));
  paths.push(join(folder, "file6"), join(folder, "file4"));
  const rows = await crew.rows(paths);
  for (const [index, path] of paths.entries()) expect(rows.at(index)).toEqual(rowAt(path));
  const changed = paths.findLastIndex((path) => path.endsWith("file3"));
  if (typeof before !== "string") expect(rows.isSame(changed, before)).toBe(false);
  const others = paths.toReversed();
  const again = await crew.rows(others);
  for (const [index, path] of others.entries()) expect(again.at(index)).toEqual(rowAt(path));
});
