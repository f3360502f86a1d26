import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { describe, expect, it } from "vitest";
import { makeScratchFolder } from "./scratch-folder.ts";

describe("a scratch folder", () => {
  it("holds the files it was made with, for the person alone, until it is removed", () => {
    const scratch = makeScratchFolder("scratch-test-", { "a.txt": "one", "src/deep/b.txt": "two\n" });
    try {
      expect(readFileSync(join(scratch.path, "a.txt"), "utf8")).toBe("one");
      expect(readFileSync(join(scratch.path, "src/deep/b.txt"), "utf8")).toBe("two\n");
      expect(statSync(scratch.path).mode & 0o777).toBe(0o700);
    } finally {
      scratch.remove();
    }
    expect(existsSync(scratch.path)).toBe(false);
    scratch.remove();
  });

  it("is a new one each time, under its real path", () => {
    const [one, two] = [makeScratchFolder("scratch-test-", {}), makeScratchFolder("scratch-test-", {})];
    try {
      expect(one.path).not.toBe(two.path);
      expect(one.path).toBe(realpathSync(one.path));
      expect(one.path.startsWith(realpathSync(tmpdir()))).toBe(true);
      expect(basename(one.path)).toMatch(/^scratch-test-/);
    } finally {
      one.remove();
      two.remove();
    }
  });
});
