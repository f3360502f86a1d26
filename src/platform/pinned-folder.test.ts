import { existsSync, mkdirSync, readdirSync, renameSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { pinFolder, pinOrCreateFolder } from "./pinned-folder.ts";

let root: string;

beforeEach(() => {
  root = makeTempFolder();
});
afterEach(() => removeTempFolder(root));

describe("pinFolder", () => {
  it("refuses a path that leads through a link", () => {
    mkdirSync(join(root, "real/inner"), { recursive: true });
    symlinkSync(join(root, "real"), join(root, "link"));
    expect(() => pinFolder(join(root, "link/inner"))).toThrow(expect.objectContaining({ code: "moved" }));
    expect(() => pinFolder(join(root, "link"))).toThrow();
  });

  it("notices that the folder was moved away", () => {
    mkdirSync(join(root, "folder"));
    const folder = pinFolder(join(root, "folder"));
    renameSync(join(root, "folder"), join(root, "elsewhere"));
    expect(() => folder.verify()).toThrow(expect.objectContaining({ code: "moved" }));
    folder.close();
  });

  it.runIf(process.platform === "linux")("names entries of the folder itself, not of what now has its path", () => {
    mkdirSync(join(root, "folder"));
    const folder = pinFolder(join(root, "folder"));
    renameSync(join(root, "folder"), join(root, "elsewhere"));
    mkdirSync(join(root, "folder"));
    writeFileSync(folder.entry("x"), "");
    expect(readdirSync(join(root, "elsewhere"))).toEqual(["x"]);
    folder.close();
  });
});

describe("pinOrCreateFolder", () => {
  it("creates what is missing and can take it back", () => {
    mkdirSync(join(root, "a"));
    const { folder, undo } = pinOrCreateFolder(join(root, "a/b/c"));
    expect(folder.path).toBe(join(root, "a/b/c"));
    folder.close();
    undo();
    expect(readdirSync(join(root, "a"))).toEqual([]);
  });

  it("takes back only what is empty", () => {
    const { folder, undo } = pinOrCreateFolder(join(root, "a/b"));
    writeFileSync(join(root, "a/other"), "");
    folder.close();
    undo();
    expect(existsSync(join(root, "a/other"))).toBe(true);
    expect(existsSync(join(root, "a/b"))).toBe(false);
  });

  it("fails when a file stands where a folder should be", () => {
    writeFileSync(join(root, "file"), "");
    expect(() => pinOrCreateFolder(join(root, "file/sub"))).toThrow(expect.objectContaining({ code: "ENOTDIR" }));
  });
});
