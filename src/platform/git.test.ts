import { execFileSync } from "node:child_process";
import { appendFileSync, chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createGit, gitDiff } from "./git.ts";

let folder: string;
let marker: string;
const environment = { PATH: process.env.PATH ?? "", HOME: "/nonexistent" };
const identity = ["-c", "user.name=test", "-c", "user.email=test@example.invalid"];

function plainGit(...args: string[]): void {
  const env = { ...environment, GIT_CONFIG_GLOBAL: "/dev/null", GIT_CONFIG_NOSYSTEM: "1" };
  execFileSync("git", [...identity, ...args], { cwd: folder, env, stdio: "pipe" });
}
const write = (name: string, text: string) => writeFileSync(join(folder, name), text);
const git = (more: Record<string, string> = {}) => createGit(folder, { ...environment, ...more });

beforeEach(() => {
  folder = makeTempFolder();
  marker = join(folder, ".git/marker");
  plainGit("init", "--quiet");
  write("a.txt", "one\n");
  write("b.txt", "one\n");
  plainGit("add", ".");
  plainGit("commit", "--quiet", "-m", "first");
});
afterEach(() => removeTempFolder(folder));

/** A program that leaves a mark when it is run. */
function trap(): string {
  const path = join(folder, ".git/trap");
  writeFileSync(path, `#!/bin/sh\necho "$0" >> '${marker}'\ncat "$1" 2>/dev/null\n`);
  chmodSync(path, 0o755);
  return path;
}

describe("what differs from the last commit", () => {
  it("is told for the named files alone", async () => {
    write("a.txt", "two\n");
    write("b.txt", "two\n");
    const diff = await gitDiff(git(), [join(folder, "a.txt")]);
    expect(diff).toContain("-one\n+two\n");
    expect(diff).not.toContain("b.txt");
  });

  it("is nothing when nothing changed", async () => {
    expect(await gitDiff(git(), [])).toBe("");
  });

  it("includes what is staged", async () => {
    write("a.txt", "two\n");
    plainGit("add", ".");
    expect(await gitDiff(git(), [])).toContain("+two");
  });

  it("takes a file that looks like an option for a file", async () => {
    write("--output=x", "new\n");
    plainGit("add", "--", "--output=x");
    expect(await gitDiff(git(), ["--output=x"])).toContain("+new");
    expect(existsSync(join(folder, "x"))).toBe(false);
  });

  it("is plain text whatever colours the repository wants", async () => {
    plainGit("config", "color.ui", "always");
    plainGit("config", "color.diff", "always");
    write("a.txt", "two\n");
    expect(await gitDiff(git(), [])).not.toContain("\u001b");
  });

  it("is undefined outside a repository", async () => {
    const plain = makeTempFolder();
    try {
      expect(await gitDiff(createGit(plain, environment), [])).toBeUndefined();
    } finally {
      removeTempFolder(plain);
    }
  });
});

describe("our git calls in a hostile repository", () => {
  const hostile: [string, () => void, readonly string[]][] = [
    ["a file system monitor", () => plainGit("config", "core.fsmonitor", trap()), ["status"]],
    ["an external diff", () => plainGit("config", "diff.external", trap()), ["diff"]],
    ["a pager", () => plainGit("config", "core.pager", trap()), ["diff"]],
    [
      "a text converter",
      () => {
        plainGit("config", "diff.evil.textconv", trap());
        appendFileSync(join(folder, ".git/info/attributes"), "*.txt diff=evil\n");
      },
      ["diff"],
    ],
    [
      "a diff driver",
      () => {
        plainGit("config", "diff.evil.command", trap());
        appendFileSync(join(folder, ".git/info/attributes"), "*.txt diff=evil\n");
      },
      ["diff"],
    ],
    [
      "a hook",
      () => {
        const hook = join(folder, ".git/hooks/pre-commit");
        mkdirSync(join(folder, ".git/hooks"), { recursive: true });
        writeFileSync(hook, `#!/bin/sh\ntouch '${marker}'\n`);
        chmodSync(hook, 0o755);
      },
      ["commit"],
    ],
    ["hooks in a folder of the project", () => plainGit("config", "core.hooksPath", ".git/my-hooks"), ["commit"]],
  ];

  it.each(hostile)("do not run %s", async (_name, arm, [command]) => {
    mkdirSync(join(folder, ".git/info"), { recursive: true });
    mkdirSync(join(folder, ".git/my-hooks"));
    arm();
    writeFileSync(join(folder, ".git/my-hooks/pre-commit"), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
    write("a.txt", "two\n");
    if (command === "diff")
      expect(await gitDiff(git({ GIT_EXTERNAL_DIFF: trap(), GIT_PAGER: trap() }), [])).toContain("+two");
    else
      expect(
        await git()(command === "commit" ? [...identity, "commit", "--quiet", "-am", "x"] : ["status", "--porcelain"]),
      ).toMatchObject({ ok: true });
    expect(existsSync(marker)).toBe(false);
  });

  it("would be caught: plain git runs the same trap", () => {
    plainGit("config", "diff.external", trap());
    write("a.txt", "two\n");
    plainGit("diff", "HEAD");
    expect(existsSync(marker)).toBe(true);
  });

  it("ignore the configuration of the person and of the machine", async () => {
    const home = makeTempFolder();
    try {
      writeFileSync(join(home, ".gitconfig"), "[alias]\n\tstatus = !false\n[user]\n\tname = somebody\n");
      expect((await git({ HOME: home })(["config", "user.name"])).ok).toBe(false);
    } finally {
      removeTempFolder(home);
    }
  });
});

describe("a git call that fails", () => {
  it("says what git said and throws nothing", async () => {
    expect(await git()(["no-such-command"])).toEqual({ ok: false, text: expect.stringContaining("no-such-command") });
  });

  it("is told when git is not installed", async () => {
    expect(await createGit(folder, { PATH: "/nonexistent" })(["status"])).toEqual({
      ok: false,
      text: expect.stringContaining("ENOENT"),
    });
  });
});
