/**
 * Runs in a worker thread, so that a pattern which never ends can be stopped. Plain JavaScript in a string: a worker needs a file or a
 * source of its own, and this one is too small to be a second program in the package.
 */
export const searchWorkerSource = `
const { parentPort, workerData } = require("node:worker_threads");
const { readFileSync, lstatSync } = require("node:fs");
const { join } = require("node:path");
const { base, paths, source, flags, context, maxFileBytes } = workerData;
const pattern = new RegExp(source, flags);

function linesOf(path) {
  try {
    const stat = lstatSync(path);
    if (!stat.isFile() || stat.size > maxFileBytes) return [];
    const bytes = readFileSync(path);
    if (bytes.subarray(0, 8192).includes(0)) return [];
    const lines = bytes.toString("utf8").split(/\\r?\\n/);
    if (lines.at(-1) === "") lines.pop();
    return lines;
  } catch {
    return [];
  }
}

for (const path of paths) {
  const lines = linesOf(join(base, path));
  const hits = new Set();
  for (let at = 0; at < lines.length; at++) if (pattern.test(lines[at])) hits.add(at);
  const shown = new Set();
  for (const hit of hits) {
    for (let at = Math.max(0, hit - context); at <= Math.min(lines.length - 1, hit + context); at++) shown.add(at);
  }
  const found = [...shown].map((at) => ({ line: at + 1, isMatch: hits.has(at), text: lines[at] }));
  if (found.length > 0) parentPort.postMessage({ path, found });
}
`;
