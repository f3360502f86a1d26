import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { filesNamedIn, hashOfFile } from "./named-files.ts";

let folder: string;
let root: string;
beforeEach(() => {
  folder = makeTempFolder();
  root = join(folder, "my project");
  mkdirSync(join(root, "hooks"), { recursive: true });
  for (const name of ["check.sh", "hooks/a b.py", "hooks/run.js"]) writeFileSync(join(root, name), name);
  writeFileSync(join(folder, "outside.sh"), "x");
});
afterEach(() => removeTempFolder(folder));

const named = (command: string) => filesNamedIn(command, root).map((path) => path.slice(root.length + 1));

describe("the files that a command names", () => {
  it.each([
    ["./check.sh", ["check.sh"]],
    ["bash check.sh --fast", ["check.sh"]],
    ['"$CLAUDE_PROJECT_DIR"/hooks/run.js', ["hooks/run.js"]],
    ["${CORECODER_PROJECT_DIR}/check.sh", ["check.sh"]],
    ["python3 'hooks/a b.py'", ["hooks/a b.py"]],
    ["python3 hooks/a\\ b.py", ["hooks/a b.py"]],
    ["X=1 bash -c './check.sh && node hooks/run.js'", ["check.sh", "hooks/run.js"]],
    ["cat<check.sh|node hooks/run.js;true", ["check.sh", "hooks/run.js"]],
    ["cd hooks/.. && ./hooks/../check.sh", ["check.sh"]],
    ["cd hooks && node ./run.js", ["hooks/run.js"]],
    ["echo check.txt hooks . ../outside.sh", []],
  ])("%s", (command, expected) => {
    expect(named(command)).toEqual(expected);
  });

  it("are found through links, by where they really lie", () => {
    symlinkSync("check.sh", join(root, "link.sh"));
    expect(named("./link.sh")).toEqual(["check.sh"]);
  });

  it("have another hash when a byte changes, and none when they are gone", () => {
    const path = join(root, "check.sh");
    const before = hashOfFile(path);
    writeFileSync(path, "check.sH");
    expect(hashOfFile(path)).not.toBe(before);
    expect(hashOfFile(join(root, "none"))).toBeUndefined();
  });
});
