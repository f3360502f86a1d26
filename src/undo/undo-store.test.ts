import { execFileSync } from "node:child_process";
import {
  appendFileSync,
  chmodSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder, walk } from "../../test/support/temp.ts";
import { treeSnapshot } from "../../test/support/tree-snapshot.ts";
import type { ChangeScope, FileChange } from "../contracts/file-change.ts";
import { createUndoStore, type UndoStore, type UndoStoreOptions } from "./undo-store.ts";

let folder: string;
let root: string;
let store: UndoStore;

beforeEach(() => {
  folder = makeTempFolder();
  root = join(folder, "project");
  mkdirSync(root);
  store = open();
});
afterEach(async () => {
  await store.close();
  removeTempFolder(folder);
});

function open(options: Partial<UndoStoreOptions> = {}): UndoStore {
  const home = join(folder, "home");
  return createUndoStore({ folder: join(folder, "state/undo"), roots: [root], restores: "roots", home, ...options });
}

function write(name: string, content: string | Uint8Array): string {
  const path = join(root, name);
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, content);
  return path;
}

const read = (name: string) => readFileSync(join(root, name), "utf8");

async function track(work: () => void, scope: ChangeScope = "workspace"): Promise<readonly FileChange[]> {
  const { changes, uncovered } = await store.tracker.track(scope, async () => work());
  expect(uncovered).toEqual([]);
  return changes;
}

const shell = (command: string) => () => void execFileSync("bash", ["-c", command], { cwd: root, stdio: "pipe" });

async function undo(changes: readonly FileChange[]): Promise<readonly FileChange[]> {
  const { ready, conflicts, missing } = await store.history.plan(changes, "undo");
  expect({ conflicts, missing }).toEqual({ conflicts: [], missing: [] });
  const problems: string[] = [];
  const done = await store.history.restore(ready, "undo", (path, problem) => problems.push(`${path}: ${problem}`));
  expect(problems).toEqual([]);
  return done;
}

/** Does it, takes it back, does it again, takes that back: each time the tree is exactly what it was. */
async function expectUndoable(work: () => void, scope: ChangeScope = "workspace"): Promise<readonly FileChange[]> {
  const before = treeSnapshot(root);
  const changes = await track(work, scope);
  const after = treeSnapshot(root);
  expect(after).not.toEqual(before);
  const undone = await undo(changes);
  expect(treeSnapshot(root)).toEqual(before);
  const { ready } = await store.history.plan(changes, "redo");
  await store.history.restore(ready, "redo");
  expect(treeSnapshot(root)).toEqual(after);
  await undo(changes);
  expect(treeSnapshot(root)).toEqual(before);
  // What an undo did is itself a series of changes that can be taken back.
  await undo(undone);
  expect(treeSnapshot(root)).toEqual(after);
  await undo(changes);
  return changes;
}

function writeProject(): void {
  for (let i = 0; i < 200; i++) write(`src/part${i % 7}/file${i}.ts`, `export const value${i} = "old ${i}";\n`);
  write("README.md", "# readme\n");
  write("bin/run.sh", "#!/bin/sh\necho hi\n");
  chmodSync(join(root, "bin/run.sh"), 0o755);
  symlinkSync("../README.md", join(root, "src/readme-link"));
  symlinkSync("nowhere", join(root, "dangling"));
  mkdirSync(join(root, "empty/inner"), { recursive: true });
  write("data.bin", Buffer.from([0, 1, 2, 255, 254, 0]));
}

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
      "a formatter that rewrites all files, most of them unchanged",
      "for f in $(find src -name '*1*.ts'); do sed 's/;$//' $f > t && cat t > $f; done; rm t; touch $(find src -name '*.ts')",
    ],
    ["a name with a newline and odd characters", "printf x > $'new\\nline \\e[31m \"q\" ü'"],
    ["a folder nobody may enter", "mkdir locked && echo x > locked/x && chmod 000 locked"],
    ["a large file", "head -c 3000000 /dev/zero | tr '\\0' 'x' > large.txt"],
  ])("%s", async (_name, command) => {
    writeProject();
    await expectUndoable(shell(command));
  });
});
