import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createWhole } from "./create-whole.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "a/b/log");
});
afterEach(() => removeTempFolder(folder));
const text = () => readFileSync(path, "utf8");

describe("a file that is made whole", () => {
  it("is made once, and never replaces another", () => {
    expect([createWhole(path, "first"), createWhole(path, "second")]).toEqual([true, false]);
    expect(text()).toBe("first");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(statSync(path).nlink).toBe(1);
  });
});
