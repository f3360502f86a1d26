import { mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { openAppendFile, readRange } from "./append-file.ts";

let folder: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  path = join(folder, "a/b/log");
});
afterEach(() => removeTempFolder(folder));
const text = () => readFileSync(path, "utf8");

describe("a file that only grows", () => {
  it("is made with its folders, private, and written line by line", () => {
    const file = openAppendFile(path);
    for (const line of ["one\n", "zwei é\n"]) {
      file.append(Buffer.from(line));
      expect(text().endsWith(line)).toBe(true);
    }
    expect([file.size(), file.lineStart(5), file.lineStart(4), file.lineStart(3)]).toEqual([
      text().length + 1,
      4,
      4,
      0,
    ]);
    file.sync();
    file.close();
    expect([statSync(join(folder, "a")).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("begins a new line behind one that was not finished", () => {
    mkdirSync(join(folder, "a/b"), { recursive: true });
    writeFileSync(path, "torn");
    const file = openAppendFile(path);
    file.append(Buffer.from("one\n"));
    file.cut(2);
    file.append(Buffer.from("two\n"));
    file.cut(0);
    file.append(Buffer.from("three\n"));
    expect(text()).toBe("three\n");
    file.close();
  });

  it("knows when its name means another file or none", () => {
    const file = openAppendFile(path);
    expect(file.isInPlace()).toBe(true);
    renameSync(path, `${path}.old`);
    expect(file.isInPlace()).toBe(false);
    writeFileSync(path, "");
    expect(file.isInPlace()).toBe(false);
    renameSync(`${path}.old`, path);
    expect(file.isInPlace()).toBe(true);
    rmSync(join(folder, "a"), { recursive: true });
    expect(file.isInPlace()).toBe(false);
    file.close();
  });

  it("may be closed while it is synced", async () => {
    const file = openAppendFile(path);
    file.append(Buffer.from("one\n"));
    const synced = new Promise((resolve) => file.syncInBackground(resolve));
    file.close();
    expect(await synced).toBeUndefined();
    expect(() => readRange(file.fd, 0, 1)).toThrow("EBADF");
  });

  it("finds the start of a line however long it is", () => {
    const file = openAppendFile(path);
    file.append(Buffer.from(`${"x".repeat(100)}\n${"y".repeat(300_000)}\n`));
    expect([file.lineStart(file.size() - 1), file.lineStart(100), file.lineStart(0)]).toEqual([101, 0, 0]);
    file.close();
  });
});
