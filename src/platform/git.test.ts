import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
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
  const commands = {
    status: ["status", "--porcelain"],
    diff: ["diff", "--no-color", "HEAD"],
    commit: [...identity, "commit", "--quiet", "-am", "x"],
  };
  const attributes = (text: string) => {
    mkdirSync(join(folder, ".git/info"), { recursive: true });
    writeFileSync(join(folder, ".git/info/attributes"), text);
  };
  const hook = (path: string) => {
    mkdirSync(join(folder, path), { recursive: true });
    writeFileSync(join(folder, path, "pre-commit"), `#!/bin/sh\ntouch '${marker}'\n`, { mode: 0o755 });
  };
  const hostile: [string, keyof typeof commands, () => void][] = [
    ["a file system monitor", "status", () => plainGit("config", "core.fsmonitor", trap())],
    ["an external diff", "diff", () => plainGit("config", "diff.external", trap())],
    [
      "a text converter",
      "diff",
      () => {
        plainGit("config", "diff.evil.textconv", trap());
        attributes("*.txt diff=evil\n");
      },
    ],
    [
      "a diff driver",
      "diff",
      () => {
        plainGit("config", "diff.evil.command", trap());
        attributes("*.txt diff=evil\n");
      },
    ],
    ["a hook", "commit", () => hook(".git/hooks")],
    [
      "a hook in a folder of the project",
      "commit",
      () => {
        plainGit("config", "core.hooksPath", ".git/my-hooks");
        hook(".git/my-hooks");
      },
    ],
  ];

  it.each(hostile)("do not run %s, which plain git does", async (_name, command, arm) => {
    arm();
    write("a.txt", "two\n");
    if (command === "diff") expect(await gitDiff(git(), [])).toContain("+two");
    else expect(await git()(commands[command])).toMatchObject({ ok: true });
    expect(existsSync(marker)).toBe(false);
    write("a.txt", "three\n");
    plainGit(...commands[command]);
    expect(existsSync(marker)).toBe(true);
  });

  it("do not run an external diff of the environment", async () => {
    write("a.txt", "two\n");
    expect(await gitDiff(git({ GIT_EXTERNAL_DIFF: trap() }), [])).toContain("+two");
    expect(existsSync(marker)).toBe(false);
  });

  it("ignore the configuration of the person", async () => {
    const home = makeTempFolder();
    try {
      writeFileSync(join(home, ".gitconfig"), "[user]\n\tname = somebody\n");
      expect(await git({ HOME: home })(["config", "user.name"])).toMatchObject({ ok: false });
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
