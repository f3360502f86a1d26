import { mkdirSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { writeTarget } from "./write-target.ts";

let root: string;
let scope: { cwd: string; confined: boolean; writableRoots: string[] };

beforeEach(() => {
  root = makeTempFolder();
  mkdirSync(join(root, "ws/src"), { recursive: true });
  mkdirSync(join(root, "added"));
  scope = { cwd: join(root, "ws"), confined: true, writableRoots: [join(root, "ws"), join(root, "added")] };
});
afterEach(() => removeTempFolder(root));

describe("writeTarget", () => {
  it.each(["src/a", "./src/../b", "..foo/x", "new/deep/x"])(
    "answers with the real path of %s inside the workspace",
    (given) => {
      expect(writeTarget(given, scope)).toBe(join(root, "ws", given));
    },
  );

  it("allows every writable root", () => {
    expect(writeTarget("../added/x", scope)).toBe(join(root, "added/x"));
  });

  it.each(["../x", "src/../../x", "../ws-sibling/x", "/etc/passwd", "~/x"])("refuses %s outside", (given) => {
    expect(() => writeTarget(given, scope)).toThrow(expect.objectContaining({ code: "outside" }));
  });

  it("follows links before it judges, also dangling ones and those inside the workspace", () => {
    symlinkSync("../gone/x", join(root, "ws/dangling"));
    symlinkSync("src", join(root, "ws/inner"));
    expect(() => writeTarget("dangling", scope)).toThrow(expect.objectContaining({ code: "outside" }));
    expect(writeTarget("inner/a", scope)).toBe(join(root, "ws/src/a"));
  });

  it("allows everything when not confined", () => {
    expect(writeTarget("../x", { ...scope, confined: false })).toBe(join(root, "x"));
  });

  it("says that the current folder or the workspace is gone instead of making it anew", () => {
    rmSync(join(root, "ws"), { recursive: true });
    expect(() => writeTarget("x", scope)).toThrow(expect.objectContaining({ code: "folder-gone" }));
    expect(() => writeTarget(join(root, "ws/x"), scope)).toThrow(expect.objectContaining({ code: "folder-gone" }));
  });
});
