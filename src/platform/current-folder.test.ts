import { mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { UserError } from "../contracts/errors.ts";
import { enterFolder, problemWithFolder } from "./current-folder.ts";

const before = process.cwd();
const realHome = process.env.HOME;
let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
  mkdirSync(join(folder, "sub"));
  writeFileSync(join(folder, "file"), "");
  process.chdir(folder);
});
afterEach(() => {
  process.env.HOME = realHome;
  process.chdir(before);
  removeTempFolder(folder);
});

function problemOf(named: string | undefined): UserError {
  try {
    enterFolder(named);
  } catch (error) {
    if (error instanceof UserError) return error;
    throw error;
  }
  throw new Error("The folder should have been refused.");
}

describe("the folder to work in", () => {
  it("is where we are", () => {
    expect(enterFolder(undefined)).toBe(folder);
  });

  it("is the one named, which becomes where we are", () => {
    expect(enterFolder("sub")).toBe(join(folder, "sub"));
    expect(process.cwd()).toBe(join(folder, "sub"));
    expect(enterFolder(folder)).toBe(folder);
  });

  it.each([
    ["one that is missing", "nowhere", /ENOENT/],
    ["a file", "file", /not a folder/],
    ["something below a file", "file/sub", /ENOTDIR/],
  ])("cannot be %s: exit 42, which one and why, and we stay", (_name, named, why) => {
    const { exit, message } = problemOf(named);
    expect(exit).toBe(42);
    expect(message).toContain(join(folder, named));
    expect(message).toMatch(why);
    expect(process.cwd()).toBe(folder);
  });

  it("that was deleted under us ends with exit 42 and words", () => {
    process.chdir(join(folder, "sub"));
    rmdirSync(join(folder, "sub"));
    const { exit, message } = problemOf(undefined);
    expect([exit, message]).toEqual([42, expect.stringContaining("no longer exists")]);
  });
});

describe("a folder somebody named", () => {
  it("is fine when it is one, by any spelling", () => {
    process.env.HOME = folder;
    expect(["sub", "./sub/", join(folder, "sub"), "~/sub", "~", "."].map(problemWithFolder)).toEqual(
      Array(6).fill(undefined),
    );
  });

  it.each(["nowhere", "file"])("is complained about by its name otherwise: %s", (named) => {
    expect(problemWithFolder(named)).toContain(`names ${named}, which is no folder`);
  });

  it("below a file is complained about too", () => {
    expect(problemWithFolder("file/sub")).toContain("names file/sub");
  });
});
