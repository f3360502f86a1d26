import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { UserError } from "../contracts/errors.ts";
import { readJsonFile } from "./read-json-file.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

function problemWith(path: string, limitBytes?: number): string {
  try {
    readJsonFile(path, limitBytes === undefined ? {} : { limitBytes });
  } catch (error) {
    expect(error).toBeInstanceOf(UserError);
    expect((error as UserError).exit).toBe(42);
    return (error as UserError).message;
  }
  throw new Error(`${path} was read`);
}

describe("reading a JSON file", () => {
  it("gives the value, plain or gzipped, whatever the name says, also through a link and behind a byte order mark", () => {
    const value = { messages: [{ role: "user", content: "größer" }] };
    const plain = file("a.json.gz", `\uFEFF${JSON.stringify(value)}`);
    const packed = file("a.json", gzipSync(JSON.stringify(value)));
    symlinkSync(packed, join(folder, "link.json"));
    for (const path of [plain, packed, join(folder, "link.json")]) expect(readJsonFile(path)).toEqual(value);
  });

  it("says that a file is missing, empty or no file", () => {
    mkdirSync(join(folder, "sub"));
    expect(problemWith(join(folder, "none.json"))).toMatch(/no file .*none\.json/);
    expect(problemWith(file("empty.json", " \n"))).toMatch(/empty\.json is empty/);
    expect(problemWith(file("empty.json.gz", gzipSync("")))).toMatch(/is empty/);
    expect(problemWith(join(folder, "sub"))).toMatch(/sub is a folder, not a file/);
  });

  it("says what is wrong with JSON without quoting it", () => {
    const problem = problemWith(file("bad.json", '{"secret-marker": tru'));
    expect(problem).toMatch(/bad\.json is not valid JSON/);
    expect(problem).not.toContain("secret-marker");
  });

  it("says that a gzipped file is cut off", () => {
    const packed = gzipSync(JSON.stringify({ text: "x".repeat(10_000) }));
    expect(problemWith(file("cut.json.gz", packed.subarray(0, packed.length - 12)))).toMatch(/cannot be unpacked/);
  });

  it("refuses what is too large, packed or unpacked", () => {
    const limit = 2 * 1024 * 1024;
    const text = JSON.stringify("0".repeat(limit));
    expect(problemWith(file("big.json", text), limit)).toMatch(/too large: .* 2 MB/);
    expect(problemWith(file("bomb.json.gz", gzipSync(text)), limit)).toMatch(/too large: .* 2 MB/);
  });
});
