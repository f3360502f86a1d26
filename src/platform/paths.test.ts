import { mkdirSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { displayPath, expandPath, isInside, realOrSame, realTarget } from "./paths.ts";

const realHome = process.env.HOME;
let root: string;

/** What the kernel makes of a path: its real path, or the code of the error. */
function kernel(path: string): string {
  try {
    return realpathSync.native(path);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}
function ours(path: string, cwd = root): string {
  try {
    return realTarget(path, cwd);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? "";
  }
}

beforeAll(() => {
  root = makeTempFolder();
  for (const folder of ["a/b/c", "home/sub", "x", "new"]) mkdirSync(join(root, folder), { recursive: true });
  for (const file of ["a/file", "a/b/file", "x/file", "home/file"]) writeFileSync(join(root, file), "");
  const links: [string, string][] = [
    ["a/b/c", "deep"],
    [join(root, "a/b"), "absolute"],
    ["../a/b", "x/up"],
    ["deep", "chain"],
    ["a/file", "filelink"],
    ["loop2", "loop1"],
    ["loop1", "loop2"],
    ["self", "self"],
    ["new/missing/file", "dangling"],
    ["/nowhere/at/all", "outside"],
    [".", "here"],
    ["..", "a/parent"],
    ["../x/./../a/b/", "a/crooked"],
    ["../a/b/c", "home/link"],
  ];
  for (const [target, name] of links) symlinkSync(target, join(root, name));
  for (let n = 0; n < 45; n++) symlinkSync(n === 0 ? "a" : `hop${n - 1}`, join(root, `hop${n}`));
  process.env.HOME = join(root, "home");
});
afterAll(() => {
  process.env.HOME = realHome;
  removeTempFolder(root);
});

describe("isInside", () => {
  it.each([
    ["/app", "/app", true],
    ["/app/x", "/app", true],
    ["/app/x/../y", "/app", true],
    ["/app/..x", "/app", true],
    ["/app/...", "/app", true],
    ["/app-secret", "/app", false],
    ["/app-secret/x", "/app", false],
    ["/", "/app", false],
    ["/other", "/app", false],
    ["/app/../other", "/app", false],
    ["/app/..", "/app", false],
    ["/anything", "/", true],
    ["/app/x", "/app/", true],
  ])("%s in %s: %s", (path, folder, inside) => {
    expect(isInside(path, folder)).toBe(inside);
  });

  it("compares whole names", () => {
    const name = fc.stringMatching(/^[a-z.-]{1,5}$/).filter((text) => text !== "." && text !== "..");
    const path = fc.array(name, { maxLength: 4 });
    fc.assert(
      fc.property(path, path, (inner, folder) => {
        const expected = folder.every((part, index) => inner[index] === part);
        expect(isInside(`/${inner.join("/")}`, `/${folder.join("/")}`)).toBe(expected);
      }),
    );
  });
});

describe("where a path really leads", () => {
  it.each([
    "a/b/c",
    "a/file",
    "deep",
    "chain",
    "chain/../file",
    "deep/..",
    "deep/../..",
    "absolute/c",
    "absolute/../file",
    "x/up/c",
    "x/up/../file",
    "x/up/../../x/up",
    "filelink",
    "here/here/a/./b",
    "a/parent/a/parent/x",
    "a/crooked/c",
    "a//b///c",
    "././a",
    "../../../../../../../../",
    ".",
    "hop30/b",
    "hop39/b",
  ])("is what the kernel says: %s", (path) => {
    const real = kernel(`${root}/${path}`);
    expect(real).toMatch(/^\//);
    expect(ours(path)).toBe(real);
    expect(ours(`${root}/${path}`, "/elsewhere")).toBe(real);
  });

  it.each([
    ["loop1", "ELOOP"],
    ["loop1/x", "ELOOP"],
    ["self", "ELOOP"],
    ["hop40", "ELOOP"],
    ["a/file/x", "ENOTDIR"],
    ["a/file/..", "ENOTDIR"],
    ["filelink/x", "ENOTDIR"],
    ["filelink/../x", "ENOTDIR"],
  ])("is an error where the kernel has one: %s, %s", (path, code) => {
    expect([kernel(`${root}/${path}`), ours(path)]).toEqual([code, code]);
  });

  it.each([
    ["new/file", "new/file"],
    ["not/yet/there", "not/yet/there"],
    ["deep/new", "a/b/c/new"],
    ["deep/../new", "a/b/new"],
    ["absolute/new/deeper", "a/b/new/deeper"],
    ["dangling", "new/missing/file"],
    ["dangling/more", "new/missing/file/more"],
    ["missing/../deep/new", "a/b/c/new"],
    ["a/parent/new", "new"],
  ])("is said also for what does not exist yet: %s is %s", (path, real) => {
    expect(ours(path)).toBe(join(root, real));
  });

  it("is outside when a dangling link leads outside", () => {
    expect(ours("outside")).toBe("/nowhere/at/all");
  });

  it("of a missing file is where a file written through the link appears", () => {
    mkdirSync(join(root, "new/missing"));
    writeFileSync(join(root, "dangling"), "");
    expect(ours("dangling")).toBe(kernel(join(root, "new/missing/file")));
  });

  it("follows links below ~", () => {
    expect(ours("~")).toBe(join(root, "home"));
    expect(ours("~/link")).toBe(join(root, "a/b/c"));
    expect(ours("~nobody")).toBe(join(root, "~nobody"));
  });

  it("agrees with the kernel on any walk through this tree", () => {
    const step = fc.constantFrom(
      "a",
      "b",
      "c",
      "x",
      "up",
      "file",
      "..",
      ".",
      "",
      "deep",
      "chain",
      "absolute",
      "filelink",
      "here",
      "parent",
      "crooked",
      "loop1",
      "hop20",
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
        const path = `${root}/${steps.join("/")}`;
        const real = kernel(path);
        // what is missing has no real path to compare with, and a folder's slash after a file is of no matter to a write
        if (real === "ENOENT" || real === "ENOTDIR") return;
        expect(ours(path)).toBe(real);
      }),
      { numRuns: 3_000 },
    );
  });
});

describe("expandPath", () => {
  it.each([
    ["x", "/w/x"],
    ["./x/../y", "/w/y"],
    ["/x/../y", "/y"],
    ["..", "/"],
    ["~x", "/w/~x"],
    ["a/~", "/w/a/~"],
  ])("makes %s absolute", (given, absolute) => {
    expect(expandPath(given, "/w")).toBe(absolute);
  });

  it("knows the home folder by its sign", () => {
    expect([expandPath("~", "/w"), expandPath("~/sub/x", "/w")]).toEqual([
      join(root, "home"),
      join(root, "home/sub/x"),
    ]);
  });
});

describe("realOrSame", () => {
  it("is the real path of what exists and the path itself otherwise", () => {
    expect([realOrSame(join(root, "chain")), realOrSame(join(root, "gone")), realOrSame(join(root, "loop1"))]).toEqual([
      join(root, "a/b/c"),
      join(root, "gone"),
      join(root, "loop1"),
    ]);
  });
});

describe("a path for the eye", () => {
  it("is short inside the folder and inside the home folder, and whole elsewhere", () => {
    const home = join(root, "home");
    expect(displayPath("/w/a/b", "/w")).toBe("a/b");
    expect(displayPath("/w", "/w")).toBe(".");
    expect(displayPath(join(home, "sub"), "/w")).toBe("~/sub");
    expect(displayPath(home, "/w")).toBe("~");
    expect(displayPath("/w-other/a", "/w")).toBe("/w-other/a");
    expect(displayPath(`${home}-other/a`, "/w")).toBe(`${home}-other/a`);
  });
});
