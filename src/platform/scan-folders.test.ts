import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { openRandomAccess } from "./random-access.ts";
import { removeAll, treeBytes } from "./remove-files.ts";
import { scanFolders } from "./scan-folders.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

describe("the files in all folders below one", () => {
  it("are found by their ending, with what lies beside them", () => {
    mkdirSync(join(folder, "a/deeper"), { recursive: true });
    mkdirSync(join(folder, "b/dir.log"), { recursive: true });
    writeFileSync(join(folder, "a/one.log"), "12345");
    writeFileSync(join(folder, "a/one.txt"), "");
    writeFileSync(join(folder, "a/deeper/two.log"), "");
    writeFileSync(join(folder, "plain.log"), "");
    symlinkSync(join(folder, "gone"), join(folder, "b/dangling.log"));
    const { files, beside, unreadable } = scanFolders(folder, ".log");
    expect(files).toMatchObject([{ path: join(folder, "a/one.log"), stem: "one", folder: join(folder, "a"), size: 5 }]);
    expect([...beside].toSorted()).toEqual([join(folder, "a/deeper"), join(folder, "a/one.txt")]);
    expect(unreadable).toEqual([]);
    expect(scanFolders(join(folder, "none"), ".log").files).toEqual([]);
  });

  it("are missed in a folder that cannot be read, and it is named", () => {
    symlinkSync(join(folder, "a"), join(folder, "a"));
    expect(scanFolders(folder, ".log").unreadable).toEqual([join(folder, "a")]);
  });
});

describe("reading anywhere in a file", () => {
  it("gives what is there, and less at its end", () => {
    const path = join(folder, "x");
    writeFileSync(path, "0123456789");
    const file = openRandomAccess(path);
    expect(file.read(3, 4).toString()).toBe("3456");
    expect(file.read(8, 100).toString()).toBe("89");
    expect(file.read(50, 5).length).toBe(0);
    expect(file.size).toBe(10);
    file.close();
  });
});

describe("removing", () => {
  it("takes a folder with all it holds; measuring it before does not follow links", () => {
    mkdirSync(join(folder, "a/b"), { recursive: true });
    writeFileSync(join(folder, "a/b/c"), "1234");
    writeFileSync(join(folder, "d"), "12345678");
    symlinkSync(join(folder, "d"), join(folder, "a/link"));
    expect(treeBytes(join(folder, "a"))).toBeLessThan(4 + 200);
    expect(treeBytes(join(folder, "a/b"))).toBe(4);
    expect(removeAll(join(folder, "a"))).toBe(true);
    expect(treeBytes(join(folder, "a"))).toBe(0);
    expect(treeBytes(join(folder, "d"))).toBe(8);
    expect(removeAll(join(folder, "never-there"))).toBe(true);
  });
});
