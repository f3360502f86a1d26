import { execFileSync } from "node:child_process";
import { chmodSync, mkdirSync, renameSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

const at = (name: string) => join(scene.root, name);

async function diffOf(work: () => void): Promise<string> {
  return scene.store.history.diff(await scene.track(work));
}

describe("the diff of what was done", () => {
  it("is a unified diff with git's headers and a summary", async () => {
    scene.write("a.txt", "one\ntwo\nthree\n");
    scene.write("gone.txt", "bye\n");
    const text = await diffOf(() => {
      scene.write("a.txt", "one\n2\nthree\n");
      scene.write("new.txt", "hi\n");
      rmSync(at("gone.txt"));
    });
    expect(text).toBe(`diff --git a/a.txt b/a.txt
--- a/a.txt
+++ b/a.txt
@@ -1,3 +1,3 @@
 one
-two
+2
 three
diff --git a/gone.txt b/gone.txt
deleted file mode 100644
--- a/gone.txt
+++ /dev/null
@@ -1 +0,0 @@
-bye
diff --git a/new.txt b/new.txt
new file mode 100644
--- /dev/null
+++ b/new.txt
@@ -0,0 +1 @@
+hi

3 files changed, +2 −2
`);
  });

  it("can be applied by git, also modes, links and files without a last newline", async () => {
    for (let i = 0; i < 60; i++)
      scene.write("long.txt", Array.from({ length: 60 }, (_, at) => `line ${at}`).join("\n"));
    scene.write("run.sh", "echo\n");
    scene.write("old.txt", "x");
    const before = scene.tree();
    const text = await diffOf(() => {
      scene.write(
        "long.txt",
        Array.from({ length: 61 }, (_, at) => (at % 20 === 3 ? `changed ${at}` : `line ${at}`)).join("\n"),
      );
      chmodSync(at("run.sh"), 0o755);
      symlinkSync("run.sh", at("link"));
      renameSync(at("old.txt"), at("new.txt"));
    });
    const patch = text.slice(0, text.lastIndexOf("\n\n") + 1);
    execFileSync("git", ["apply", "--reverse", "-"], {
      cwd: scene.root,
      input: patch,
      stdio: ["pipe", "pipe", "inherit"],
    });
    expect(scene.tree()).toEqual(before);
  });

  it("shows modes, links and empty folders in git's way", async () => {
    scene.write("run.sh", "echo\n");
    chmodSync(at("run.sh"), 0o644);
    symlinkSync("one", at("link"));
    const text = await diffOf(() => {
      chmodSync(at("run.sh"), 0o755);
      rmSync(at("link"));
      symlinkSync("two", at("link"));
      mkdirSync(at("empty"));
      mkdirSync(at("full"));
      scene.write("full/a.txt", "");
    });
    expect(text).toContain("diff --git a/run.sh b/run.sh\nold mode 100644\nnew mode 100755\n");
    expect(text).toContain(
      "diff --git a/link b/link\n--- a/link\n+++ b/link\n@@ -1 +1 @@\n-one\n\\ No newline at end of file\n+two\n",
    );
    expect(text).toMatch(/diff --git a\/empty b\/empty\nnew folder mode 0407[0-7]{2}\n/);
    expect(text).not.toContain("a/full b/full");
    expect(text).toContain("diff --git a/full/a.txt b/full/a.txt\nnew file mode 100644\n");
  });

  it("takes a file away and adds a link when one became the other", async () => {
    scene.write("a", "text\n");
    const text = await diffOf(() => scene.shell("rm a && ln -s elsewhere a"));
    expect(text).toContain("deleted file mode 100644\n--- a/a\n+++ /dev/null\n@@ -1 +0,0 @@\n-text\n");
    expect(text).toContain("new file mode 120000\n--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+elsewhere\n");
  });

  it("names binary files without showing them", async () => {
    scene.write("a.bin", Buffer.from([0, 1, 2]));
    const text = await diffOf(() => scene.write("a.bin", Buffer.from([0, 1, 3])));
    expect(text).toContain("Binary files a/a.bin and b/a.bin differ\n");
  });

  it("shows the net of several changes", async () => {
    scene.write("a.txt", "1\n");
    const changes = [
      ...(await scene.track(() => scene.write("a.txt", "2\n"))),
      ...(await scene.track(() => scene.write("b.txt", "passing\n"))),
      ...(await scene.track(() => scene.shell("echo 3 > a.txt; rm b.txt"))),
    ];
    const text = await scene.store.history.diff(changes);
    expect(text).toContain("-1\n+3\n");
    expect(text).not.toContain("b.txt");
    expect(await scene.store.history.diff([])).toBe("");
  });

  it("cannot move a cursor or hide anything, in names or in lines", async () => {
    const text = await diffOf(() =>
      scene.write("evil\u001b[2J\n.txt", "\u001b]0;title\u0007\ttab \u202e stays\rhidden\n"),
    );
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202e]/);
    expect(text).toContain("evil<U+001B>[2J<U+000A>.txt");
    expect(text).toContain("+<U+001B>]0;title<U+0007>\ttab <U+202E> stays<U+000D>hidden");
  });

  it("folds carriage returns that both sides have, and shows them where one side has them", async () => {
    scene.write("both.txt", "one\r\ntwo\r\n");
    scene.write("one.txt", "one\r\ntwo\r\n");
    const text = await diffOf(() => {
      scene.write("both.txt", "one\r\n2\r\n");
      scene.write("one.txt", "one\ntwo\n");
    });
    expect(text).toContain(" one\n-two\n+2\n");
    expect(text).toContain("-one<U+000D>\n");
  });

  it("cuts long diffs among several files and says how to see the rest; a file alone is shown whole", async () => {
    const long = Array.from({ length: 1000 }, (_, at) => `line ${at}\n`).join("");
    const changes = await scene.track(() => {
      scene.write("long.txt", long);
      scene.write("short.txt", "x\n");
    });
    const all = await scene.store.history.diff(changes);
    expect(all).toContain("more lines of this file: /diff long.txt]");
    expect(all).toContain("short.txt");
    const alone = await scene.store.history.diff(changes.filter(({ path }) => path.endsWith("long.txt")));
    expect(alone).toContain("+line 999\n");
  });
});
