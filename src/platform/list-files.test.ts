import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { listByWalking, listFiles, newestFirst } from "./list-files.ts";
import { searchScope } from "./search-scope.ts";

let folder: string;
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "list-")));
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

function write(files: Readonly<Record<string, string>>, at = folder): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(at, name)), { recursive: true });
    writeFileSync(join(at, name), text);
  }
}

const gitEnv = { PATH: process.env.PATH, HOME: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1" };
const git = (...args: string[]) => execFileSync("git", args, { cwd: folder, env: gitEnv, encoding: "utf8" });

/** Both ways must agree; the answer of one is then the answer. */
async function list(base = folder, root = folder): Promise<readonly string[]> {
  const scope = await searchScope(base, root);
  const request = {
    scope,
    select: (paths: readonly string[]) => paths,
    signal: new AbortController().signal,
    timeLimitMs: 5_000,
  };
  const [quick, walked] = await Promise.all([listFiles(request), listByWalking(request)]);
  expect(quick.complete && walked.complete).toBe(true);
  expect([...walked.paths].sort()).toEqual([...quick.paths].sort());
  return [...quick.paths].sort();
}

describe("files that count", () => {
  test("are what git would add, also with nested rules, exceptions and info/exclude", async () => {
    git("init", "-q");
    write({
      ".gitignore": "*.log\n/out\n!keep.log\n",
      ".git/info/exclude": "private\n",
      "a.ts": "",
      "x.log": "",
      "keep.log": "",
      "out/y": "",
      "sub/out/z": "",
      "sub/.gitignore": "*.tmp\n!x.log\n",
      "sub/a.tmp": "",
      "sub/x.log": "",
      "private/p": "",
      ".github/ci.yml": "",
    });
    const expected = git("ls-files", "-co", "--exclude-standard").trim().split("\n").sort();
    expect(await list()).toEqual(expected);
  });

  test("are the same as git's for rules of every shape", async () => {
    git("init", "-q");
    const names = ["a", "b", "ab", "a.b", ".a", "A"];
    write(
      Object.fromEntries(
        names.flatMap((one) =>
          names.flatMap((two) => [
            [`${one}.d/${two}`, ""],
            [`${one}.d/deep/${two}`, ""],
          ]),
        ),
      ),
    );
    const atom = fc.constantFrom("a", "b", "*", "?", ".d", ".", "[ab]", "[!a]", "deep", "A", "\\a");
    const name = fc.array(atom, { minLength: 1, maxLength: 3 }).map((atoms) => atoms.join("").replace(/\*{2,}/g, "*"));
    const segment = fc.oneof({ weight: 4, arbitrary: name }, fc.constant("**"));
    const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join("/"));
    const rule = fc.tuple(fc.constantFrom("", "!", "/"), path, fc.constantFrom("", "/")).map((parts) => parts.join(""));
    await fc.assert(
      fc.asyncProperty(
        fc.array(rule, { minLength: 1, maxLength: 5 }),
        fc.array(rule, { maxLength: 2 }),
        async (top, nested) => {
          // A folder that ignores itself completely is searched all the same.
          fc.pre(!top.some((line) => /^\/?\*\*?$/.test(line)));
          write({ ".gitignore": top.join("\n"), "a.d/.gitignore": nested.join("\n") });
          const expected = git("ls-files", "-co", "--exclude-standard")
            .trim()
            .split("\n")
            .sort()
            .filter((name) => name !== "");
          const { paths } = await listByWalking({
            scope: await searchScope(folder, folder),
            select: (paths: readonly string[]) => paths,
            signal: new AbortController().signal,
            timeLimitMs: 5_000,
          });
          expect([...paths].sort()).toEqual(expected);
        },
      ),
      { numRuns: 50 },
    );
  });

  test("rules count without a repository, and junk never does", async () => {
    write({
      ".gitignore": "secret\n",
      "a.ts": "",
      secret: "",
      "node_modules/x/i.js": "",
      ".git/HEAD": "",
      "p/__pycache__/q": "",
    });
    expect(await list()).toEqual([".gitignore", "a.ts"]);
  });

  test("a folder's own rules above the start count, too", async () => {
    git("init", "-q");
    write({ ".gitignore": "dist/\n", "pkg/src/a.ts": "", "pkg/dist/b.js": "" });
    expect(await list(join(folder, "pkg"))).toEqual(["src/a.ts"]);
  });

  test("an ignored folder is searched when the search starts in it", async () => {
    git("init", "-q");
    write({
      ".gitignore": "build/**\nvendor\n",
      "build/a": "",
      "vendor/x/b": "",
      "node_modules/m/c": "",
      "venv/.gitignore": "*\n",
      "venv/d": "",
    });
    expect(await list(join(folder, "build"))).toEqual(["a"]);
    expect(await list(join(folder, "vendor/x"))).toEqual(["b"]);
    expect(await list(join(folder, "node_modules/m"))).toEqual(["c"]);
    expect(await list(join(folder, "venv"))).toEqual([".gitignore", "d"]);
  });

  test("a parent outside has no say: neither its rules nor its name", async () => {
    write({ ".gitignore": "*\n", "build/node_modules/proj/a.ts": "", "build/node_modules/proj/sub/b.ts": "" });
    const root = join(folder, "build/node_modules/proj");
    expect(await list(root, root)).toEqual(["a.ts", "sub/b.ts"]);
  });

  test("exceptions from a rule for everything are honoured", async () => {
    write({ ".gitignore": "/*\n!src\n", "src/a": "", other: "" });
    expect(await list()).toEqual(["src/a"]);
  });

  test("links are not followed", async () => {
    write({ "real/a": "" });
    symlinkSync(join(folder, "real"), join(folder, "linked"));
    symlinkSync("/etc/hosts", join(folder, "hosts"));
    expect(await list()).toEqual(["real/a"]);
  });

  test("an interruption ends the walk with what it has", async () => {
    write({ "a/b": "", "c/d": "" });
    const scope = await searchScope(folder, folder);
    const request = {
      scope,
      select: (paths: readonly string[]) => paths,
      signal: AbortSignal.abort(),
      timeLimitMs: 5_000,
    };
    expect((await listByWalking(request)).complete).toBe(false);
    expect((await listFiles(request)).complete).toBe(false);
  });

  test("the newest comes first, and equal times go by name", async () => {
    write({ old: "", b: "", a: "", fresh: "" });
    utimesSync(join(folder, "old"), 1, 1);
    for (const name of ["a", "b"]) utimesSync(join(folder, name), 2, 2);
    expect(await newestFirst(["a", "old", "gone", "b", "fresh"], folder)).toEqual(["fresh", "a", "b", "old", "gone"]);
  });
});
