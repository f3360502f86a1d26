import { mkdirSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { appendHandle, makePrivateFolder, readIfThere, replacePrivateFile } from "./private-files.ts";

let folder: string;
let umask: number;
beforeEach(() => {
  folder = makeTempFolder();
  umask = process.umask(0);
});
afterEach(() => {
  process.umask(umask);
  removeTempFolder(folder);
});
const modeOf = (path: string) => statSync(join(folder, path)).mode & 0o777;

describe("a private folder", () => {
  it("is made with its parents, all for the person alone, whatever the umask", () => {
    makePrivateFolder(join(folder, "a/b/c"));
    expect(["a", "a/b", "a/b/c"].map(modeOf)).toEqual([0o700, 0o700, 0o700]);
  });

  it("is usable under a umask that takes away the person's own rights", () => {
    process.umask(0o277);
    makePrivateFolder(join(folder, "a"));
    expect(modeOf("a")).toBe(0o700);
  });

  it("that exists is left as it is", () => {
    mkdirSync(join(folder, "a"), { mode: 0o755 });
    makePrivateFolder(join(folder, "a"));
    expect(modeOf("a")).toBe(0o755);
  });
});

describe("a private file", () => {
  it("appended to has 0600 and is complete after each write", () => {
    const path = join(folder, "log");
    const file = appendHandle(path);
    file.write("one\n");
    expect(readFileSync(path, "utf8")).toBe("one\n");
    file.write("zwei é 😀\n");
    expect(readFileSync(path, "utf8")).toBe("one\nzwei é 😀\n");
    file.close();
    expect(modeOf("log")).toBe(0o600);
  });

  it("appended to by two at once keeps the lines of both", () => {
    const path = join(folder, "log");
    const [one, two] = [appendHandle(path), appendHandle(path)];
    for (let n = 0; n < 50; n++)
      for (const [file, name] of [
        [one, "one"],
        [two, "two"],
      ] as const)
        file.write(`${name} ${n}\n`);
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines).toHaveLength(100);
    expect(new Set(lines).size).toBe(100);
  });

  it("replaced has 0600, its folder 0700, and leaves nothing else behind", () => {
    replacePrivateFile(join(folder, "state/x.json"), "old");
    replacePrivateFile(join(folder, "state/x.json"), "new");
    expect(readFileSync(join(folder, "state/x.json"), "utf8")).toBe("new");
    expect([modeOf("state"), modeOf("state/x.json")]).toEqual([0o700, 0o600]);
    expect(readdirSync(join(folder, "state"))).toEqual(["x.json"]);
  });

  it("replaced takes the place of a link instead of writing through it", () => {
    writeFileSync(join(folder, "other"), "precious");
    symlinkSync(join(folder, "other"), join(folder, "x.json"));
    replacePrivateFile(join(folder, "x.json"), "new");
    expect(readFileSync(join(folder, "other"), "utf8")).toBe("precious");
  });

  it("that cannot be replaced keeps its old content, and the error is thrown", () => {
    mkdirSync(join(folder, "x.json"));
    expect(() => replacePrivateFile(join(folder, "x.json"), "new")).toThrow(/EISDIR|ENOTEMPTY|EEXIST/);
    expect(statSync(join(folder, "x.json")).isDirectory()).toBe(true);
  });
});

describe("reading what may not be there", () => {
  it("gives the text, or nothing for what is missing, a folder, or below a file", () => {
    writeFileSync(join(folder, "x"), "text");
    expect(["x", "missing", ".", "x/y"].map((name) => readIfThere(join(folder, name)))).toEqual([
      "text",
      undefined,
      undefined,
      undefined,
    ]);
  });

  it("tells an empty file from none", () => {
    writeFileSync(join(folder, "empty"), "");
    expect(readIfThere(join(folder, "empty"))).toBe("");
  });
});
