import fs, { chmodSync, linkSync, mkdirSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

function writeProject(files = 20): void {
  const { root, write } = scene;
  for (let i = 0; i < files; i++) write(`src/part${i % 7}/file${i}.ts`, `export const value${i} = "old ${i}";\n`);
  write("README.md", "# readme\n");
  write("bin/run.sh", "#!/bin/sh\necho hi\n");
  chmodSync(join(root, "bin/run.sh"), 0o755);
  symlinkSync("../README.md", join(root, "src/readme-link"));
  symlinkSync("nowhere", join(root, "dangling"));
  mkdirSync(join(root, "empty/inner"), { recursive: true });
  write("data.bin", Buffer.from([0, 1, 2, 255, 254, 0]));
}

/** As on FAT or HFS+. */
async function withWholeSeconds(work: () => Promise<void>): Promise<void> {
  const { lstatSync, fstatSync } = fs;
  const coarse = <Stat extends Partial<fs.Stats> | undefined>(stat: Stat): Stat =>
    stat && Object.assign(stat, { mtimeMs: wholeSecond(stat.mtimeMs), ctimeMs: wholeSecond(stat.ctimeMs) });
  const wrap =
    (original: (...args: never[]) => Partial<fs.Stats> | undefined) =>
    (...args: never[]) =>
      coarse(original(...args));
  Object.assign(fs, { lstatSync: wrap(lstatSync as never), fstatSync: wrap(fstatSync as never) });
  syncBuiltinESMExports();
  try {
    await work();
  } finally {
    Object.assign(fs, { lstatSync, fstatSync });
    syncBuiltinESMExports();
  }
}

const wholeSecond = (ms: number | bigint | undefined) => (typeof ms === "number" ? Math.floor(ms / 1000) * 1000 : ms);

describe("what a command does is taken back, and forth again", () => {
  it.each([
    ["an edit", "echo changed > README.md"],
    ["an edit that keeps size and time", "echo '# README' > README.md; touch -d '2001-01-01' README.md"],
    ["a new file", "echo new > notes.txt"],
    ["a new file in new folders", "mkdir -p a/b/c && echo new > a/b/c/x"],
    ["a deleted file", "rm README.md"],
    ["rm -rf src", "rm -rf src"],
    ["everything removed, hidden files too", "rm -rf ./* .[!.]*"],
    ["sed -i over 200 files", "sed -i 's/old/new/' $(find src -name '*.ts')"],
    ["a chmod", "chmod 600 README.md && chmod -x bin/run.sh"],
    ["a chmod of folders", "chmod 700 src && chmod 711 empty/inner"],
    ["a file made read-only and then replaced", "chmod 444 README.md && sed -i 's/r/R/' README.md"],
    ["a rename", "mv README.md LIESMICH.md"],
    ["a renamed folder", "mv src lib"],
    ["swapped files", "mv README.md x && mv data.bin README.md && mv x data.bin"],
    ["a link that points elsewhere", "ln -sfn ../data.bin src/readme-link"],
    ["a new link", "ln -s README.md alias"],
    ["a file that becomes a folder", "rm README.md && mkdir README.md && echo x > README.md/inner"],
    ["a folder that becomes a file", "rm -rf src && echo x > src"],
    ["a folder that becomes a link", "mv src source && ln -s source src"],
    ["a link that becomes a folder", "rm dangling && mkdir dangling && touch dangling/x"],
    ["a link that becomes a file", "rm dangling && echo x > dangling"],
    ["a file that becomes a link", "rm README.md && ln -s data.bin README.md"],
    ["empty folders removed", "rm -r empty"],
    ["an emptied file", ": > README.md"],
    ["binary content", "head -c 100000 /dev/urandom > data.bin"],
    [
      "a formatter that rewrites all files and changes some",
      "for f in $(find src -name '*1*.ts'); do sed 's/;$//' $f > t && cat t > $f; done; rm t; touch $(find src -name '*.ts')",
    ],
    ["a name with a newline and odd characters", "printf x > $'new\\nline \\e[31m \"q\" ü'"],
    ["a folder that is locked at the end", "mkdir locked && echo x > locked/x && chmod 500 locked"],
    ["a large file", "head -c 3000000 /dev/zero | tr '\\0' 'x' > large.txt"],
  ])("%s", async (_name, command) => {
    writeProject(command.startsWith("sed") ? 200 : 20);
    const before = scene.tree();
    const changes = await scene.track(() => scene.shell(command));
    const after = scene.tree();
    expect(after).not.toEqual(before);
    const undone = await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
    await scene.redo(changes);
    expect(scene.tree()).toEqual(after);
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
    // What an undo did is itself a series of changes that can be taken back.
    await scene.undo(undone);
    expect(scene.tree()).toEqual(after);
  });

  it("the folder of the project itself, removed and all in it", async () => {
    writeProject();
    const before = scene.tree();
    const changes = await scene.track(() => rmSync(scene.root, { recursive: true }));
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
  });
});

describe("changes", () => {
  it("name each path once with what was there before and after", async () => {
    writeProject();
    const { path } = { path: join(scene.root, "README.md") };
    const [change, ...others] = await scene.track(() => scene.shell("echo changed > README.md && touch data.bin"));
    expect(others).toEqual([]);
    expect(change).toMatchObject({
      path,
      before: { type: "file", size: 9, mode: statSync(path).mode & 0o7777 },
      after: { type: "file", size: 8 },
    });
  });

  it("are none when the work changed nothing, or took back itself what it did", async () => {
    writeProject();
    expect(await scene.track(() => scene.shell("mv src x && mv x src && cat README.md > t && mv t README.md"))).toEqual(
      [],
    );
  });

  it("are told although size and times stay the same", async () => {
    const path = scene.write("a.txt", "one\n");
    const past = new Date(Date.now() - 100_000);
    utimesSync(path, past, past);
    const changes = await scene.track(() => {
      writeFileSync(path, "two\n");
      utimesSync(path, past, past);
    });
    expect(changes).toHaveLength(1);
  });

  it("made within one tick of the clock after a look are seen by the next", async () => {
    const path = scene.write("a.txt", "0000");
    for (let round = 1; round <= 30; round++) {
      const text = String(round).padStart(4, "0");
      const changes = await scene.track(() => writeFileSync(path, text));
      expect(changes).toHaveLength(1);
    }
  });

  it("within one second are seen on file systems that know whole seconds only", async () => {
    const path = scene.write("a.txt", "0000");
    await withWholeSeconds(async () => {
      for (let round = 1; round <= 10; round++) {
        const changes = await scene.track(() => writeFileSync(path, String(round).padStart(4, "0")));
        expect(changes).toHaveLength(1);
      }
    });
  });

  it("by others before and between two pieces of work belong to neither", async () => {
    scene.write("mine.txt", "1");
    const theirs = scene.write("theirs.txt", "1");
    await scene.track(() => {});
    writeFileSync(theirs, "2");
    const changes = await scene.track(() => scene.write("mine.txt", "2"));
    expect(changes.map(({ path }) => path)).toEqual([join(scene.root, "mine.txt")]);
  });

  it("of work that overlaps are told once, in the order in which they happened", async () => {
    scene.write("a.txt", "0");
    const { tracker } = scene.store;
    let finishFirst = () => {};
    let begin = () => {};
    const hasBegun = new Promise<void>((resolve) => {
      begin = resolve;
    });
    const first = tracker.track("workspace", async () => {
      scene.write("a.txt", "1");
      begin();
      await new Promise<void>((resolve) => {
        finishFirst = resolve;
      });
      scene.write("a.txt", "3");
    });
    await hasBegun;
    const second = await tracker.track("workspace", async () => {
      scene.write("b.txt", "1");
    });
    scene.write("a.txt", "2");
    finishFirst();
    const changes = [...second.changes, ...(await first).changes];
    expect(changes.map(({ path }) => path.slice(-5))).toEqual(["a.txt", "b.txt", "a.txt"]);
    await scene.undo(changes);
    expect(scene.read("a.txt")).toBe("0");
  });

  it("that two kinds of tracking both saw count once", async () => {
    const path = scene.write("a.txt", "0");
    const { tracker } = scene.store;
    const parts: unknown[] = [];
    const outer = await tracker.track("workspace", async () => {
      const inner = await tracker.track([path], async () => writeFileSync(path, "1"));
      parts.push(...inner.changes);
    });
    expect(parts).toEqual(outer.changes);
    await scene.undo([...outer.changes, ...outer.changes]);
    expect(scene.read("a.txt")).toBe("0");
  });

  it("survive the end of the session", async () => {
    writeProject();
    const before = scene.tree();
    const changes = await scene.track(() => scene.shell("rm -rf src && echo x > new.txt"));
    await scene.store.close();
    const { history } = scene.open();
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(scene.tree()).toEqual(before);
  });
});

describe("the work", () => {
  it("fails as it would without anybody looking, and what it did before is known to the next look", async () => {
    const { tracker } = scene.store;
    await expect(
      tracker.track("workspace", async () => {
        scene.write("a.txt", "1");
        throw new Error("no luck");
      }),
    ).rejects.toThrow("no luck");
    expect(await scene.track(() => {})).toEqual([]);
  });

  it("does not begin when the look before it is stopped", async () => {
    writeProject();
    const stop = new AbortController();
    const reason = new Error("stopped");
    let hasRun = false;
    const tracked = scene.trackAll(
      () => {
        hasRun = true;
      },
      { signal: stop.signal },
    );
    stop.abort(reason);
    await expect(tracked).rejects.toBe(reason);
    expect(hasRun).toBe(false);
    expect(await scene.track(() => scene.write("after.txt", "x"))).toHaveLength(1);
  });

  it("that is stopped itself is looked at all the same", async () => {
    const stop = new AbortController();
    const { changes } = await scene.trackAll(
      () => {
        scene.write("half.txt", "x");
        stop.abort();
      },
      { signal: stop.signal },
    );
    expect(changes).toHaveLength(1);
  });
});

describe("files", () => {
  it("with several names keep them", async () => {
    const path = scene.write("a.txt", "old\n");
    linkSync(path, join(scene.root, "b.txt"));
    const changes = await scene.track(() => writeFileSync(path, "new\n"));
    await scene.undo(changes);
    expect([scene.read("a.txt"), scene.read("b.txt")]).toEqual(["old\n", "old\n"]);
    expect(statSync(path).nlink).toBe(2);
  });

  it("of every size around the limits of a block come back", async () => {
    for (const size of [0, 1, 511, 512, 513, 65_535, 65_536, 65_537, 1_048_576, 1_048_577])
      scene.write(`${size}.bin`, Buffer.from(Array.from({ length: size }, (_, at) => (at * 7 + size) % 251)));
    const before = scene.tree();
    const changes = await scene.track(() => scene.shell("rm *.bin"));
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
  });
});
