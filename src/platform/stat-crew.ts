import { lstatSync } from "node:fs";
import type { Worker } from "node:worker_threads";
import { monotonicMs } from "./clock.ts";
import { type FileRow, isNoEntry, isRowInTable, putRow, rowInTable, rowWidth } from "./file-row.ts";

/** Rows of many paths; `at` answers like rowAt. */
export type RowTable = {
  at(index: number): FileRow | "gone" | "unreadable";
  isSame(index: number, row: FileRow): boolean;
};

export type StatCrew = {
  /** Good until the next call. Asked again with the same array, grown at its end or not, only what is new is handed over. */
  rows(paths: readonly string[]): Promise<RowTable>;
  close(): void;
};

const gone = 0;
const unreadable = -1;
const chunk = 512;
/** The table is kept from one time to the next: projects grow by little. */
const spareRows = 2_048;
/** Below this a second thread costs more than it saves. */
const worthAThread = 8_000;
/** So long other work may have to wait in between. */
const sliceMs = 10;

/** The second thread. Plain JavaScript in a string, as a worker needs a source of its own; `fillRow` below says the same. */
const helperSource = `
const { parentPort } = require("node:worker_threads");
const { lstatSync } = require("node:fs");
let paths = [];
function fillRow(table, index) {
  const at = index * ${rowWidth};
  try {
    const stat = lstatSync(paths[index], { throwIfNoEntry: false });
    if (stat === undefined) return;
    table[at] = stat.mode;
    table[at + 1] = stat.size;
    table[at + 2] = stat.mtimeMs;
    table[at + 3] = stat.ctimeMs;
    table[at + 4] = stat.ino;
  } catch ({ code }) {
    table[at] = code === "ENOTDIR" || code === "ELOOP" ? ${gone} : ${unreadable};
  }
}
parentPort.on("message", ({ keep, added, table, nextChunk }) => {
  paths.length = keep;
  for (const path of added) paths.push(path);
  for (;;) {
    const from = Atomics.add(nextChunk, 0, 1) * ${chunk};
    if (from >= paths.length) break;
    for (let index = from; index < Math.min(from + ${chunk}, paths.length); index++) fillRow(table, index);
  }
  parentPort.postMessage("done");
});
`;

/** Looks at many paths on two threads: system calls are nearly all that it costs. Each takes the next chunk when it is done with one. */
export function createStatCrew(): StatCrew {
  let helper: Worker | undefined;
  let table = newTable(0);
  let handedOver: { readonly paths: readonly string[]; readonly count: number } | undefined;

  async function startHelper(): Promise<Worker> {
    const { Worker } = await import("node:worker_threads");
    const worker = new Worker(helperSource, { eval: true, env: {} });
    worker.unref();
    handedOver = undefined;
    return worker;
  }

  async function help(paths: readonly string[], table: Float64Array, nextChunk: Int32Array): Promise<void> {
    helper ??= await startHelper();
    const worker = helper;
    const keep = handedOver?.paths === paths ? handedOver.count : 0;
    handedOver = { paths, count: paths.length };
    await new Promise<void>((resolve, reject) => {
      worker.once("error", reject);
      worker.once("message", () => {
        worker.off("error", reject);
        resolve();
      });
      worker.postMessage({ keep, added: paths.slice(keep), table, nextChunk });
    });
  }

  return {
    async rows(paths) {
      const count = paths.length;
      if (table.length < count * rowWidth) table = newTable(count + spareRows);
      else table.fill(gone);
      const nextChunk = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
      if (count < worthAThread) {
        await takeChunks(paths, table, nextChunk);
        return tableOf(table);
      }
      const helped = help(paths, table, nextChunk).then(
        () => true,
        () => false,
      );
      await takeChunks(paths, table, nextChunk);
      if (await helped) return tableOf(table);
      // The other thread died with some chunks taken: all of it again, alone.
      helper = undefined;
      nextChunk.fill(0);
      table.fill(gone);
      await takeChunks(paths, table, nextChunk);
      return tableOf(table);
    },
    close() {
      void helper?.terminate();
      helper = undefined;
    },
  };
}

function newTable(rows: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(rows * rowWidth * Float64Array.BYTES_PER_ELEMENT));
}

async function takeChunks(paths: readonly string[], table: Float64Array, nextChunk: Int32Array): Promise<void> {
  let sliceStart = monotonicMs();
  for (;;) {
    const from = Atomics.add(nextChunk, 0, 1) * chunk;
    if (from >= paths.length) return;
    const to = Math.min(from + chunk, paths.length);
    for (let index = from; index < to; index++) fillRow(table, index, paths[index] as string);
    if (monotonicMs() - sliceStart > sliceMs) {
      await new Promise((resolve) => setImmediate(resolve));
      sliceStart = monotonicMs();
    }
  }
}

function fillRow(table: Float64Array, index: number, path: string): void {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false });
    if (stat) putRow(table, index, stat);
  } catch (error) {
    table[index * rowWidth] = isNoEntry(error) ? gone : unreadable;
  }
}

function tableOf(table: Float64Array): RowTable {
  return {
    at(index) {
      const row = rowInTable(table, index);
      if (row.mode === gone) return "gone";
      return row.mode === unreadable ? "unreadable" : row;
    },
    isSame: (index, row) => isRowInTable(table, index, row),
  };
}
