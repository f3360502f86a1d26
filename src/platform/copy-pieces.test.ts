import { mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { copyPiecesBeside, replaceByPieces } from "./copy-pieces.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "a/b/log");
  mkdirSync(join(folder, "a/b"), { recursive: true });
  writeFileSync(path, "0123456789");
});
afterEach(() => removeTempFolder(folder));
const text = () => readFileSync(path, "utf8");

describe("pieces of a file", () => {
  it("are copied below their titles into the first file that is free", () => {
    const pieces = [
      { offset: 1, bytes: 2, title: "one" },
      { offset: 8, bytes: 2 },
    ];
    expect(copyPiecesBeside(path, pieces, `${path}.part-`)).toBe(`${path}.part-1`);
    expect(copyPiecesBeside(path, [], `${path}.part-`)).toBe(`${path}.part-2`);
    expect(readFileSync(`${path}.part-1`, "utf8")).toBe("# one\n12\n89\n");
    expect(statSync(`${path}.part-1`).mode & 0o777).toBe(0o600);
  });

  it("can be all that is left of it", () => {
    replaceByPieces(path, [
      { offset: 0, bytes: 1 },
      { offset: 9, bytes: 1 },
    ]);
    expect(text()).toBe("0\n9\n");
  });

  it("of a file that is not there are an error, and nothing is left behind", () => {
    expect(() => copyPiecesBeside(`${path}.none`, [], `${path}.part-`)).toThrow("ENOENT");
    expect(() => statSync(`${path}.part-1`)).toThrow("ENOENT");
    expect(() => replaceByPieces(`${path}.none`, [])).toThrow("ENOENT");
    expect(() => statSync(`${path}.none.${process.pid}.tmp`)).toThrow("ENOENT");
  });
});
