// `node bench/undo.mjs`: what undo costs in a project of 50,000 files, as ratios against the least that could do the same.
import { createHash } from "node:crypto";
import {
  appendFileSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { Worker } from "node:worker_threads";

const worker = join(dirname(fileURLToPath(import.meta.url)), "../dist/undo-worker.cjs");
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;
const round = (value) => Math.round(value * 100) / 100;

/** Source code as it comes: words that repeat, a few kilobytes a file, ten files a folder. */
function writeProject(root, count) {
  let state = 12345;
  const random = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 0) / 2 ** 32;
  };
  const words = Array.from({ length: 2000 }, () => Math.floor(random() * 1e9).toString(36));
  const paths = [];
  for (let i = 0; i < count; i++) {
    const folder = join(root, `package${i % 50}/module${Math.floor(i / 50) % 20}/part${Math.floor(i / 1000) % 5}`);
    if (i < 5000) mkdirSync(folder, { recursive: true });
    const length = 500 + random() * 8000;
    let text = "";
    while (text.length < length) text += words[Math.floor(random() * words.length)] + (random() < 0.1 ? "\n" : " ");
    const path = join(folder, `file${i}.ts`);
    writeFileSync(path, text);
    paths.push(path);
  }
  return paths;
}

/** The engine as the program runs it: in a thread of its own. */
function startEngine(folder, root) {
  const limits = {
    fileBytes: 16 << 20,
    ignoredFileBytes: 1 << 20,
    ignoredFolderFiles: 2_000,
    ignoredFolderBytes: 64 << 20,
    entries: 200_000,
    lookBytes: 1 << 30,
  };
  const workerData = { folder, roots: [root], restorable: [root], home: "/nobody", excluded: [folder], limits };
  const thread = new Worker(worker, { workerData });
  let lastId = 0;
  const call = (method, input) =>
    new Promise((resolve, reject) => {
      const id = ++lastId;
      const listen = (answer) => {
        if (answer.id !== id || answer.type === "progress") return;
        thread.off("message", listen);
        if (answer.type === "done") resolve(answer.result);
        else reject(new Error(answer.message));
      };
      thread.on("message", listen);
      thread.postMessage({ type: "call", id, method, input });
    });
  return { call, stop: () => thread.terminate() };
}

async function timed(work) {
  const startedAt = performance.now();
  const result = await work();
  return { ms: performance.now() - startedAt, result };
}

const bytesIn = (folder) =>
  readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
    const path = join(folder, entry.name);
    return sum + (entry.isDirectory() ? bytesIn(path) : lstatSync(path).size);
  }, 0);

/**
 * Milliseconds, with what a plain loop over the same files takes: a first look that keeps everything, the first of the next session, looks
 * when nothing or one file changed, the restoring of 200 files. And the bytes of project and store.
 */
export async function undoSpeed(count = 50_000) {
  const scratch = mkdtempSync(join(tmpdir(), "corecoder-bench-undo-"));
  try {
    const root = join(scratch, "project");
    const folder = join(scratch, "undo");
    const paths = writeProject(root, count);
    const statLoop = () => {
      for (const path of paths) lstatSync(path);
    };
    const readLoop = () => {
      for (const path of paths) createHash("sha256").update(readFileSync(path)).digest();
    };
    const reading = await timed(readLoop);
    let engine = startEngine(folder, root);
    const first = await timed(() => engine.call("begin"));
    await engine.call("end");
    const quiet = [];
    const plain = [];
    const oneChanged = [];
    for (let i = 0; i < 9; i++) {
      plain.push((await timed(statLoop)).ms);
      quiet.push((await timed(() => engine.call("begin"))).ms);
      appendFileSync(paths[i * 100], "changed");
      const { ms, result } = await timed(() => engine.call("end"));
      if (result.changes.length !== 1) throw new Error(`${result.changes.length} changes where one was made`);
      oneChanged.push(ms);
    }
    await engine.call("begin");
    for (const path of paths.slice(0, 200)) appendFileSync(path, "changed");
    const { changes } = await engine.call("end");
    const restore = await timed(() => engine.call("restore", { changes, direction: "undo" }));
    if (restore.result.changes.length !== 200) throw new Error("not all 200 files were restored");
    await engine.call("close");
    await engine.stop();
    engine = startEngine(folder, root);
    const nextSession = await timed(() => engine.call("begin"));
    await engine.stop();
    return {
      projectBytes: paths.reduce((sum, path) => sum + lstatSync(path).size, 0),
      storeBytes: bytesIn(folder),
      readLoopMs: reading.ms,
      firstMs: first.ms,
      nextSessionMs: nextSession.ms,
      statLoopMs: median(plain),
      quietMs: median(quiet),
      oneChangedMs: median(oneChanged),
      restoreMs: restore.ms,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const speed = await undoSpeed(Number(process.argv[2] ?? 50_000));
  const row = (what, ours, floor, limit) => {
    const ratio = floor === undefined ? "" : `${round(ours / floor)}×`;
    const over = limit !== undefined && ours > limit ? "  OVER" : "";
    console.log(
      what.padEnd(52),
      `${round(ours)}`.padStart(10),
      (floor === undefined ? "" : `${round(floor)}`).padStart(10),
      ratio.padStart(8),
      (limit === undefined ? "" : `≤ ${limit}`).padStart(8),
      over,
    );
  };
  console.log("".padEnd(52), "ms".padStart(10), "floor".padStart(10), "ratio".padStart(8), "limit".padStart(8));
  row("first look: reads and keeps everything", speed.firstMs, speed.readLoopMs);
  row("first look of the next session", speed.nextSessionMs, speed.statLoopMs);
  row("a look when nothing changed", speed.quietMs, speed.statLoopMs, 150);
  row("a look when one file changed", speed.oneChangedMs, speed.statLoopMs);
  row("200 files restored", speed.restoreMs);
  row("the store, in MB, against the project", speed.storeBytes / 1e6, speed.projectBytes / 1e6);
}
