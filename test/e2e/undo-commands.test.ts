import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, type Script, text } from "../../src/testing/index.ts";
import type { Terminal } from "../support/pty.ts";
import { filesContaining, walk } from "../support/temp.ts";
import { treeSnapshot } from "../support/tree-snapshot.ts";
import { it, type World } from "../support/world.ts";

async function open(world: World, script: Script, args: readonly string[] = []) {
  const model = await world.model(script);
  const terminal = world.terminal(["--dangerously-skip-permissions", ...args], { model });
  await terminal.waitForPrompt();
  return { terminal, model };
}

/** Types a line; answers with all that is shown until the next prompt. */
function say(terminal: Terminal, line: string): Promise<string> {
  terminal.type(line);
  return terminal.waitForPrompt();
}

const git = (world: World, ...args: string[]) =>
  execFileSync("git", ["-C", world.cwd, "-c", "user.name=A", "-c", "user.email=a@example.com", ...args], {
    env: { PATH: process.env.PATH, GIT_CONFIG_GLOBAL: "/dev/null", GIT_OPTIONAL_LOCKS: "0" },
  }).toString();

/** A repository with staged and unstaged work, a stash, ignored files, a link and an empty folder. */
function writeRepository(world: World): void {
  for (let i = 0; i < 200; i++) world.write(`src/part${i % 5}/file${i}.ts`, `export const value${i} = "old";\n`);
  world.write("README.md", "# readme\n");
  world.write(".gitignore", "local/\n");
  world.write("local/notes.txt", "ignored, small\n");
  symlinkSync("README.md", join(world.cwd, "link"));
  git(world, "init", "-q");
  git(world, "add", ".");
  git(world, "commit", "-qm", "one");
  world.write("README.md", "# stashed\n");
  git(world, "stash", "-q");
  world.write("src/part1/file1.ts", "staged\n");
  git(world, "add", ".");
  world.write("src/part2/file2.ts", "not staged\n");
  world.write("untracked.txt", "untracked\n");
}

/** The files, without what is git's own. */
const filesOf = (world: World) =>
  Object.fromEntries(Object.entries(treeSnapshot(world.cwd)).filter(([path]) => !path.startsWith(".git/")));

const gitsOwn = (world: World) => treeSnapshot(join(world.cwd, ".git"));

const bash = (command: string) => call("bash", { command });

describe("/undo and /redo", () => {
  it.for([
    ["an edit", "sed -i 's/readme/changed/' README.md"],
    ["a new file", "mkdir -p a/b && echo new > a/b/new.txt"],
    ["a deleted file", "rm README.md"],
    ["rm -rf src", "rm -rf src"],
    ["git checkout .", "git checkout ."],
    ["sed -i over 200 files", "sed -i 's/old/new/' $(find src -name '*.ts')"],
    ["a chmod", "chmod 600 README.md; chmod 700 src"],
    [
      "a formatter",
      "for f in $(find src -name '*.ts'); do printf '// formatted\\n' | cat - $f > t; cat t > $f; done; rm t",
    ],
    ["everything at once", "mv src lib; rm -rf local link; ln -s lib link; echo x > README.md; mkdir empty"],
  ])("take back and bring back %s, and leave git alone", async ([, command], { world }) => {
    writeRepository(world);
    const before = filesOf(world);
    const status = git(world, "status", "--porcelain=v2");
    const { terminal } = await open(world, [bash(command!), text("done")]);
    await say(terminal, "do it");
    const after = filesOf(world);
    const itsGit = gitsOwn(world);
    expect(after).not.toEqual(before);
    expect(await say(terminal, "/undo")).toContain("Took back 1 turn");
    expect(filesOf(world)).toEqual(before);
    expect(git(world, "status", "--porcelain=v2")).toBe(status);
    expect(await say(terminal, "/redo")).toContain("Brought back 1 turn");
    expect(filesOf(world)).toEqual(after);
    expect(await say(terminal, "/undo")).toContain("Took back 1 turn");
    expect(filesOf(world)).toEqual(before);
    expect(gitsOwn(world)).toEqual(itsGit);
  });

  it("take back what file tools did, and several turns at once", async ({ world }) => {
    world.write("a.txt", "one\n");
    const before = treeSnapshot(world.cwd);
    const { terminal, model } = await open(world, [
      call("read_file", { file_path: "a.txt" }),
      call("edit_file", { file_path: "a.txt", old_string: "one", new_string: "two" }),
      text("first done"),
      call("write_file", { file_path: "deep/new.txt", content: "new\n" }),
      bash("mv a.txt b.txt"),
      text("second done"),
      text("fresh start"),
    ]);
    await say(terminal, "first request");
    await say(terminal, "second request");
    const after = treeSnapshot(world.cwd);
    await say(terminal, "/undo 2");
    expect(treeSnapshot(world.cwd)).toEqual(before);
    await say(terminal, "/redo");
    expect(treeSnapshot(world.cwd)).toEqual(after);
    await say(terminal, "/undo 2");
    await say(terminal, "third request");
    const sent = JSON.stringify(model.requests.at(-1)!.body.messages);
    expect(sent).toContain("third request");
    expect(sent).not.toContain("first request");
  });

  it("take back files alone or what was said alone", async ({ world }) => {
    world.write("a.txt", "one\n");
    const { terminal, model } = await open(world, [bash("echo two > a.txt"), text("done"), text("and now")]);
    await say(terminal, "change it");
    await say(terminal, "/undo files");
    expect(world.read("a.txt")).toBe("one\n");
    await say(terminal, "/redo");
    await say(terminal, "/undo conversation");
    expect(world.read("a.txt")).toBe("two\n");
    await say(terminal, "what was said");
    expect(JSON.stringify(model.requests.at(-1)!.body.messages)).not.toContain("change it");
  });

  it("ask before they overwrite what somebody else changed since", async ({ world }) => {
    world.write("a.txt", "one\n");
    world.write("b.txt", "one\n");
    const { terminal } = await open(world, [bash("echo two > a.txt; echo two > b.txt"), text("done")]);
    await say(terminal, "change them");
    world.write("a.txt", "by hand\n");
    terminal.type("/undo");
    expect(await terminal.waitFor(/Overwrite them\?.*$/m)).toContain("a.txt");
    terminal.press("n");
    await terminal.waitForPrompt();
    expect([world.read("a.txt"), world.read("b.txt")]).toEqual(["by hand\n", "two\n"]);
    terminal.type("/undo");
    await terminal.waitFor(/Overwrite them\?.*$/m);
    terminal.press("s");
    await terminal.waitForPrompt();
    expect([world.read("a.txt"), world.read("b.txt")]).toEqual(["by hand\n", "one\n"]);
  });

  it("work in the next session", async ({ world }) => {
    world.write("src/a.txt", "one\n");
    const before = treeSnapshot(world.cwd);
    const model = await world.model([bash("rm -rf src"), text("gone")]);
    await world.run(["-p", "remove it", "--dangerously-skip-permissions"], { model });
    expect(existsSync(join(world.cwd, "src"))).toBe(false);
    const { terminal } = await open(world, [], ["-c"]);
    await say(terminal, "/undo");
    expect(treeSnapshot(world.cwd)).toEqual(before);
  });

  it("say what a command changed that they do not cover", async ({ world }) => {
    world.write(".gitignore", "data/\n");
    const { terminal } = await open(world, [
      bash("mkdir data && cd data && for i in $(seq 2100); do echo > $i; done"),
      text("done"),
    ]);
    expect(await say(terminal, "make many files")).toContain("data (2,100 files) is not covered by undo");
  });

  it("refuse to capture a home folder with a word, and the command runs", async ({ world }) => {
    const model = await world.model([bash("echo x > made.txt"), text("done")]);
    const { stderr } = await world.run(["-p", "go", "--dangerously-skip-permissions"], { model, cwd: world.home });
    expect(stderr).toContain("The workspace is the home folder");
    expect(existsSync(join(world.home, "made.txt"))).toBe(true);
  });
});

describe("a program that is killed in the middle of a command", () => {
  it("leaves a store that the next session goes on with", async ({ world }) => {
    for (let i = 0; i < 300; i++) world.write(`src/file${i}.ts`, `export const value${i} = 1;\n`);
    const first = await world.model([bash("sed -i s/1/2/ src/file1.ts"), bash("rm src/file2.ts; kill -9 $PPID")]);
    const killed = await world.run(["-p", "go", "--dangerously-skip-permissions"], { model: first });
    expect(killed.code).not.toBe(0);
    expect(existsSync(join(world.cwd, "src/file2.ts"))).toBe(false);
    const { terminal } = await open(world, [bash("rm -rf src"), text("done")], ["-c"]);
    const between = treeSnapshot(world.cwd);
    await say(terminal, "remove all");
    await say(terminal, "/undo");
    expect(treeSnapshot(world.cwd)).toEqual(between);
    await say(terminal, "/undo");
    expect(world.read("src/file1.ts")).toBe("export const value1 = 1;\n");
  });
});

describe("/diff", () => {
  it("shows all that the session changed, the last turns, or one file", async ({ world }) => {
    world.write("a.txt", "one\n");
    const { terminal } = await open(world, [bash("echo two > a.txt"), text("1"), bash("echo b > b.txt"), text("2")]);
    expect(await say(terminal, "/diff")).toContain("No changes");
    await say(terminal, "first");
    await say(terminal, "second");
    const all = await say(terminal, "/diff");
    for (const part of ["-one", "+two", "+b", "2 files changed"]) expect(all).toContain(part);
    const last = await say(terminal, "/diff 1");
    expect(last).toContain("b.txt");
    expect(last).not.toContain("a.txt");
    expect(await say(terminal, "/diff a.txt")).not.toContain("b.txt");
  });
});

describe("what is kept for undo", () => {
  it("lies in the state folder, readable by its owner alone, and nowhere in the project", async ({ world }) => {
    world.write(".env", "SECRET=letmein\n");
    chmodSync(join(world.cwd, ".env"), 0o600);
    const model = await world.model([bash("echo > .env"), text("done")]);
    await world.run(["-p", "go", "--dangerously-skip-permissions"], { model });
    expect([...walk(world.cwd)].map((path) => path.slice(world.cwd.length))).toEqual(["", "/.env"]);
    const kept = filesContaining(world.state, "letmein");
    expect(kept.length).toBeGreaterThan(0);
    expect(kept.every((path) => path.startsWith(join(world.state, "undo")))).toBe(true);
  });

  it("costs nothing when nothing can have changed", async ({ world }) => {
    world.write("a.txt", "one\n");
    const model = await world.model([bash("cat a.txt; ls"), call("read_file", { file_path: "a.txt" }), text("done")]);
    await world.run(["-p", "look"], { model });
    expect(existsSync(join(world.state, "undo"))).toBe(false);
  });
});
