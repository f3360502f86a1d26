import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { errorOf, runTool, workspaceAt } from "../../test/support/tool-run.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { readFile } from "./read-file.ts";
import { writeFile } from "./write-file.ts";

let folder: string;
let root: string;
let workspace: Workspace;

beforeEach(() => {
  folder = makeTempFolder();
  root = join(folder, "ws");
  mkdirSync(root);
  workspace = workspaceAt(root);
});
afterEach(() => removeTempFolder(folder));

const write = (file_path: string, content: string) => runTool(writeFile, { file_path, content }, workspace);
const see = (file_path: string) => runTool(readFile, { file_path }, workspace);
const onDisk = (name: string) => readFileSync(join(root, name), "utf8");

describe("write_file", () => {
  it("creates a file with its folders, shows the person what is new and remembers it", async () => {
    const output = await write("a/b/c.txt", "1\n2\n");
    expect(output.text).toBe("a/b/c.txt created: 2 lines.");
    expect(output.display).toEqual({
      type: "diff",
      path: "a/b/c.txt",
      diff: "--- a/a/b/c.txt\n+++ b/a/b/c.txt\n@@ -0,0 +1,2 @@\n+1\n+2",
      added: 2,
      removed: 0,
    });
    expect(onDisk("a/b/c.txt")).toBe("1\n2\n");
    expect([...workspace.changed]).toEqual([join(root, "a/b/c.txt")]);
  });

  it("overwrites what it wrote itself and shows the difference", async () => {
    await write("a.txt", "one\ntwo\n");
    const output = await write("a.txt", "one\n2\n");
    expect(output.text).toBe(
      "a.txt overwritten: 2 lines, +1 −1.\n--- a/a.txt\n+++ b/a.txt\n@@ -1,2 +1,2 @@\n one\n-two\n+2",
    );
    expect(output.display).toMatchObject({ type: "diff", added: 1, removed: 1 });
  });

  it("refuses what was not read, and takes it after reading", async () => {
    writeFileSync(join(root, "a.txt"), "precious\n");
    expect(await errorOf(write("a.txt", "new\n"))).toMatch(/a\.txt exists but was not read yet.*read_file/);
    expect(onDisk("a.txt")).toBe("precious\n");
    await see("a.txt");
    await write("a.txt", "new\n");
    expect(onDisk("a.txt")).toBe("new\n");
  });

  it("refuses what changed since it was read, also when size and time are the same", async () => {
    writeFileSync(join(root, "a.txt"), "old\n");
    await see("a.txt");
    writeFileSync(join(root, "a.txt"), "OLD\n");
    expect(await errorOf(write("a.txt", "new\n"))).toMatch(/changed on disk since it was read/);
    expect(onDisk("a.txt")).toBe("OLD\n");
  });

  it("says so when nothing changes", async () => {
    await write("a.txt", "same\n");
    const { ino } = statSync(join(root, "a.txt"));
    expect((await write("a.txt", "same\n")).text).toBe("a.txt is unchanged: it already has this content (1 line).");
    expect(statSync(join(root, "a.txt")).ino).toBe(ino);
  });

  it("keeps mode and link, and writes to the file behind the link", async () => {
    writeFileSync(join(root, "real.sh"), "old\n");
    chmodSync(join(root, "real.sh"), 0o755);
    symlinkSync("real.sh", join(root, "link.sh"));
    await see("link.sh");
    await write("link.sh", "new\n");
    expect(onDisk("real.sh")).toBe("new\n");
    expect(statSync(join(root, "real.sh")).mode & 0o777).toBe(0o755);
    expect(lstatSync(join(root, "link.sh")).isSymbolicLink()).toBe(true);
  });

  it("tells about changes that a diff of lines does not show", async () => {
    writeFileSync(join(root, "a.txt"), "\ufeffone\r\ntwo\r\n");
    await see("a.txt");
    expect((await write("a.txt", "one\ntwo\n")).text).toContain("line ends changed from CRLF to LF");
    writeFileSync(join(root, "b.txt"), Buffer.from("gr\xfcn\n", "latin1"));
    await see("b.txt");
    expect((await write("b.txt", "grün\n")).text).toBe(
      "b.txt overwritten: 1 line. Note: the file was not UTF-8 before and is now.",
    );
  });

  it("skips the diff of large files and tells the sizes", async () => {
    await write("a.txt", "x\n");
    expect((await write("a.txt", "y\n".repeat(150_000))).text).toBe(
      "a.txt overwritten: 150000 lines. Too large for a diff: 2 bytes before, 300000 now.",
    );
  });

  it("points out a file whose name looks the same", async () => {
    await write("caf\u00e9.txt", "1\n");
    expect((await write("cafe\u0301.txt", "2\n")).text).toContain("another file whose name looks the same");
    expect(readdirSync(root)).toHaveLength(2);
  });

  it.each([
    ["half a surrogate pair", "a\ud83d", /surrogate/],
    ["a NUL character", "a\0b", /NUL/],
  ])("refuses %s", async (_what, content, words) => {
    expect(await errorOf(write("a.txt", content))).toMatch(words);
    expect(existsSync(join(root, "a.txt"))).toBe(false);
  });

  it("refuses everything outside with the real path and the way out, and makes no folder", async () => {
    symlinkSync("..", join(root, "up"));
    for (const path of ["../x", "../new/x", "up/x", "/etc/corecoder-test", `${root}-sibling/x`]) {
      expect(await errorOf(write(path, "x"))).toMatch(/outside the folders that may be written.*--add-dir/);
    }
    expect(readdirSync(folder)).toEqual(["ws"]);
  });

  it("writes outside when the workspace is not confined", async () => {
    workspace = workspaceAt(root, { confined: false });
    await write("../x.txt", "x\n");
    expect(readFileSync(join(folder, "x.txt"), "utf8")).toBe("x\n");
  });

  it("does not bring back a workspace that was removed", async () => {
    rmSync(root, { recursive: true });
    expect(await errorOf(write("x.txt", "x"))).toMatch(/no longer exists/);
    expect(existsSync(root)).toBe(false);
  });
});

describe("write_file while another program swaps the target for a link, as fast as it can", () => {
  async function whileSwapping(script: string, work: () => Promise<void>): Promise<void> {
    const prelude = `const fs=require("fs");const t=(f)=>{try{f()}catch{}};process.stdout.write("go");`;
    const swapper = spawn(process.execPath, ["-e", `${prelude}for(;;){${script}}`], {
      cwd: root,
      stdio: ["ignore", "pipe", "inherit"],
    });
    const ended = new Promise((resolve) => swapper.once("exit", resolve));
    await new Promise((resolve) => swapper.stdout.once("data", resolve));
    try {
      await work();
    } finally {
      swapper.kill("SIGKILL");
      await ended;
    }
  }

  it("nothing arrives outside through a folder", async () => {
    const outside = join(folder, "outside");
    mkdirSync(outside);
    const script = `t(()=>fs.mkdirSync("src"));t(()=>fs.renameSync("src","old"+Math.random()));t(()=>fs.symlinkSync("../outside","src"));t(()=>fs.unlinkSync("src"));`;
    let refused = 0;
    await whileSwapping(script, async () => {
      for (let round = 0; round < 300; round++) await write(`src/deep/${round}.txt`, "x").catch(() => refused++);
    });
    expect(readdirSync(outside)).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });

  it("nothing arrives outside through a file", async () => {
    const outside = join(folder, "outside.txt");
    writeFileSync(outside, "untouched");
    const script = `t(()=>fs.unlinkSync("a.txt"));t(()=>fs.symlinkSync("../outside.txt","a.txt"));t(()=>fs.unlinkSync("a.txt"));t(()=>fs.writeFileSync("a.txt","own"));`;
    await whileSwapping(script, async () => {
      for (let round = 0; round < 300; round++) {
        await see("a.txt").catch(() => {});
        await write("a.txt", `round ${round}`).catch(() => {});
      }
    });
    expect(readFileSync(outside, "utf8")).toBe("untouched");
  });
});
