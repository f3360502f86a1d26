import { execFileSync } from "node:child_process";
import {
  chmodSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import { homedir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { openUndoScene, type UndoScene } from "../../test/support/undo-scene.ts";

let scene: UndoScene;

beforeEach(() => {
  scene = openUndoScene();
});
afterEach(() => scene.close());

/** With other limits. */
async function reopen(limits: Parameters<typeof openUndoScene>[0]): Promise<void> {
  await scene.close();
  scene = openUndoScene(limits);
}

const megabyte = 1024 * 1024;

function writeMany(folder: string, count: number): void {
  for (let i = 0; i < count; i++) scene.write(`${folder}/package${i % 40}/file${i}.js`, `${i}`);
}

const names = (changes: readonly { readonly path: string }[]) =>
  changes.map(({ path }) => path.slice(scene.root.length + 1));

describe("covered are", () => {
  it("ignored files and folders that are small", async () => {
    scene.write(".gitignore", ".env\ndist/\n*.log\n");
    scene.write(".env", "SECRET=1\n");
    scene.write("dist/bundle.js", "x");
    scene.write("debug.log", "x");
    const before = scene.tree();
    const changes = await scene.track(() => scene.shell("rm -rf .env dist debug.log"));
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
  });

  it("a small node_modules", async () => {
    writeMany("node_modules", 50);
    const before = scene.tree();
    const changes = await scene.track(() => scene.shell("rm -rf node_modules"));
    await scene.undo(changes);
    expect(scene.tree()).toEqual(before);
  });

  it("folders with many files that are not ignored", async () => {
    writeMany("vendor", 2_500);
    const changes = await scene.track(() => scene.shell("rm -rf vendor"));
    expect(changes.length).toBeGreaterThan(2_500);
  });

  it("every writable folder, also one inside another", async () => {
    const more = join(scene.folder, "more");
    mkdirSync(more);
    const { tracker, history } = scene.open({ roots: [scene.root, more, join(scene.root, "src")] });
    scene.write("src/a.txt", "1");
    writeFileSync(join(more, "b.txt"), "1");
    const { changes } = await tracker.track("workspace", async () => {
      scene.write("src/a.txt", "2");
      writeFileSync(join(more, "b.txt"), "2");
    });
    expect(changes.map(({ path }) => path)).toEqual([join(more, "b.txt"), join(scene.root, "src/a.txt")]);
    const done = await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(done).toHaveLength(2);
  });

  it("a workspace reached through a link", async () => {
    const link = join(scene.folder, "link");
    symlinkSync(scene.root, link);
    const { tracker, history } = scene.open({ roots: [link] });
    scene.write("a.txt", "1");
    const { changes } = await tracker.track("workspace", async () => writeFileSync(join(link, "a.txt"), "2"));
    expect(changes.map(({ path }) => path)).toEqual([join(scene.root, "a.txt")]);
    await history.restore((await history.plan(changes, "undo")).ready, "undo");
    expect(scene.read("a.txt")).toBe("1");
  });

  it("links as links: what they point to is neither read nor changed", async () => {
    const outside = join(scene.folder, "outside");
    mkdirSync(outside);
    writeFileSync(join(outside, "secret"), "1");
    symlinkSync(outside, join(scene.root, "out"));
    const changes = await scene.track(() => writeFileSync(join(scene.root, "out/secret"), "2"));
    expect(changes).toEqual([]);
  });
});

describe("not covered, and named when it changes, is", () => {
  it("a large file", async () => {
    const path = scene.write("data.csv", "");
    truncateSync(path, 17 * megabyte);
    const { changes, uncovered } = await scene.trackAll(() => truncateSync(path, 18 * megabyte));
    expect(changes).toEqual([]);
    expect(uncovered).toEqual(["data.csv (18 MB) is too large for undo, which covers files up to 16 MB."]);
    expect((await scene.trackAll(() => {})).uncovered).toEqual([]);
    expect((await scene.trackAll(() => rmSync(path))).uncovered).toHaveLength(1);
  });

  it("a large ignored file, where one that is not ignored is covered", async () => {
    scene.write(".gitignore", "*.log\n");
    const { changes, uncovered } = await scene.trackAll(() => {
      scene.write("a.log", "x".repeat(3 * megabyte));
      scene.write("a.txt", "x".repeat(3 * megabyte));
    });
    expect(names(changes)).toEqual(["a.txt"]);
    expect(uncovered).toEqual(["a.log (3 MB) is too large for undo, which covers ignored files up to 1 MB."]);
  });

  it("a file that grew too large: it is not taken for deleted, and is covered again when it is small", async () => {
    const path = scene.write("a.bin", "small");
    const grown = await scene.trackAll(() => truncateSync(path, 17 * megabyte));
    expect([grown.changes, grown.uncovered.length]).toEqual([[], 1]);
    const shrunk = await scene.trackAll(() => writeFileSync(path, "small again"));
    expect([shrunk.changes, shrunk.uncovered.length]).toEqual([[], 1]);
    expect(await scene.track(() => writeFileSync(path, "x"))).toHaveLength(1);
  });

  it.each([
    ["node_modules, which nobody has to ignore", "node_modules", ""],
    ["an ignored folder", "target", "/target\n"],
    ["an ignored folder below", "apps/web/.cache", ".cache/\n"],
  ])("a heavy folder: %s", async (_name, folder, rules) => {
    scene.write(".gitignore", rules);
    scene.write("src/a.ts", "1");
    const installed = await scene.trackAll(() => writeMany(folder, 2_100));
    expect(installed.uncovered).toEqual([`${folder} (2,100 files) is not covered by undo.`]);
    const parents = folder
      .split("/")
      .slice(0, -1)
      .map((_, at, all) => all.slice(0, at + 1).join("/"));
    expect(names(installed.changes)).toEqual(parents);
    expect((await scene.trackAll(() => {})).uncovered).toEqual([]);
    expect((await scene.trackAll(() => scene.write(`${folder}/new.js`, "x"))).uncovered).toHaveLength(1);
    const removed = await scene.trackAll(() => rmSync(join(scene.root, folder), { recursive: true }));
    expect(removed.uncovered).toHaveLength(1);
    expect(await scene.track(() => scene.write("src/a.ts", "2"))).toHaveLength(1);
  });

  it("what is new in an ignored folder that grew too heavy; what was known of it is still taken back that time", async () => {
    scene.write(".gitignore", "build/\n");
    const path = scene.write("build/known.js", "old");
    scene.write("build/other.js", "old");
    await scene.track(() => {});
    const { changes, uncovered } = await scene.trackAll(() => {
      writeMany("build", 2_100);
      writeFileSync(path, "new");
      rmSync(join(scene.root, "build/other.js"));
    });
    expect(uncovered).toEqual(["build (2,101 files) is not covered by undo."]);
    expect(names(changes)).toEqual(["build/known.js", "build/other.js"]);
    await scene.undo(changes);
    expect([scene.read("build/known.js"), scene.read("build/other.js")]).toEqual(["old", "old"]);
  });

  it("a FIFO, a socket", async () => {
    const server = createServer();
    const { uncovered, changes } = await scene.store.tracker.track("workspace", async () => {
      execFileSync("mkfifo", [join(scene.root, "pipe")]);
      await new Promise<void>((resolve) => server.listen(join(scene.root, "sock"), resolve));
    });
    await new Promise((resolve) => server.close(resolve));
    expect(changes).toEqual([]);
    expect([...uncovered].sort()).toEqual([
      "pipe is a FIFO, so undo does not cover it.",
      "sock is a socket, so undo does not cover it.",
    ]);
  });

  it("a file whose name is no UTF-8; it is not harmed", async () => {
    const raw = Buffer.concat([Buffer.from(`${scene.root}/`), Buffer.from([0x66, 0xff, 0xfe])]);
    scene.write("fine-\ufffd.txt", "1");
    writeFileSync(raw, "1");
    // Long after: what was changed a moment ago is looked at again anyway.
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 3_600_000 });
    const before = await scene.trackAll(() => {});
    expect(before.uncovered).toEqual([]);
    const { changes, uncovered } = await scene.trackAll(() => {
      writeFileSync(raw, "22");
      scene.write("fine-\ufffd.txt", "2");
    });
    expect(names(changes)).toEqual(["fine-\ufffd.txt"]);
    expect(uncovered).toEqual(["A name in . is not UTF-8: undo does not cover it."]);
    await scene.undo(changes);
    expect(readFileSync(raw, "utf8")).toBe("22");
    vi.useRealTimers();
  });

  it("what is too much at once: the largest files are left out first", async () => {
    await reopen({ limits: { lookBytes: 3 * megabyte, fileBytes: 2 * megabyte } });
    const { changes, uncovered } = await scene.trackAll(() => {
      for (let i = 0; i < 4; i++) scene.write(`big${i}.bin`, Buffer.alloc(megabyte));
      scene.write("small.txt", "x");
    });
    expect(names(changes)).toEqual(["small.txt"]);
    expect([...uncovered].sort()[0]).toBe("big0.bin (1 MB) is not covered by undo: too much is new at once.");
  });

  it("many things in few lines", async () => {
    const { uncovered } = await scene.trackAll(() => {
      for (let i = 0; i < 30; i++) truncateSync(scene.write(`big${i}.bin`, ""), 17 * megabyte);
    });
    expect(uncovered).toHaveLength(8);
    expect(uncovered.at(-1)).toBe("23 more are not covered by undo.");
  });

  it("control characters in names cannot reach the screen", async () => {
    const { uncovered } = await scene.trackAll(() => truncateSync(scene.write("\u001b[31m.bin", ""), 17 * megabyte));
    expect(uncovered[0]).toContain("<U+001B>[31m.bin");
  });

  it("our own state, silently, although it lies in the workspace", async () => {
    const state = join(scene.root, ".state");
    const { tracker } = scene.open({ folder: join(state, "undo"), excluded: [state] });
    const { changes } = await tracker.track("workspace", async () => void scene.write(".state/log", "x"));
    expect(changes).toEqual([]);
  });
});

describe("capture is refused with a word, and the work runs anyway,", () => {
  const refusals: [string, () => string, RegExp][] = [
    ["for the whole file system", () => "/", /^The workspace is the whole file system: undo covers/],
    ["for the home folder", () => join(scene.folder, "home"), /^The workspace is the home folder: undo covers/],
    ["above the home folder", () => scene.folder, /holds the home folder: undo covers/],
  ];
  it.each(refusals)("%s", async (_name, root, word) => {
    mkdirSync(join(scene.folder, "home"), { recursive: true });
    const { tracker } = scene.open({ roots: [root()] });
    const tracked = await tracker.track("workspace", async () => "ran");
    expect(tracked).toEqual({ result: "ran", changes: [], uncovered: [expect.stringMatching(word)] });
  });

  it("in the home folder of whoever runs this", async () => {
    const { tracker } = scene.open({ roots: [homedir()], home: homedir() });
    const { result, uncovered } = await tracker.track("workspace", async () => "ran");
    expect([result, uncovered.length]).toEqual(["ran", 1]);
  });

  it.skipIf(process.getuid?.() === 0).each([
    ["be read", 0o300],
    ["be written", 0o500],
  ])("where it cannot %s", async (what, mode) => {
    chmodSync(scene.root, mode);
    const { result, uncovered } = await scene.store.tracker.track("workspace", async () => "ran");
    chmodSync(scene.root, 0o700);
    expect([result, uncovered]).toEqual(["ran", [expect.stringContaining(`${scene.root} cannot ${what}`)]]);
  });

  it("when there are too many files; once known, nobody looks again", async () => {
    await reopen({ limits: { entries: 100 } });
    writeMany("src", 200);
    for (let round = 0; round < 2; round++) {
      const { changes, uncovered } = await scene.trackAll(() => scene.write("a.txt", "x"));
      expect(changes).toEqual([]);
      expect(uncovered).toEqual([expect.stringMatching(/^The workspace holds more than 100 files: undo covers/)]);
    }
  });

  it("when the work makes too many files", async () => {
    await reopen({ limits: { entries: 100 } });
    const { uncovered } = await scene.trackAll(() => writeMany("src", 200));
    expect(uncovered).toEqual([expect.stringMatching(/^The workspace holds more than 100 files/)]);
  });

  it("for one root of two: the other is covered", async () => {
    mkdirSync(join(scene.folder, "home"));
    const { tracker } = scene.open({ roots: [join(scene.folder, "home"), scene.root] });
    const { changes, uncovered } = await tracker.track("workspace", async () => void scene.write("a.txt", "x"));
    expect([changes.length, uncovered.length]).toEqual([1, 1]);
  });
});

describe("a workspace that is moved away", () => {
  it("counts as removed; undo makes it anew", async () => {
    scene.write("a.txt", "1");
    const elsewhere = join(scene.folder, "elsewhere");
    const changes = await scene.track(() => renameSync(scene.root, elsewhere));
    await scene.undo(changes);
    expect(scene.read("a.txt")).toBe("1");
  });
});
