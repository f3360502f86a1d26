// What keeping the session log costs: a record, at the beginning and at the end of a long session, and reading all of it back.
import { mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { buildSync } from "esbuild";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const records = 20_000;
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0;

/** Milliseconds: the median append among the first and the last thousand records of 20,000, and reading them. */
export async function sessionLogSpeed() {
  const scratch = mkdtempSync(join(tmpdir(), "corecoder-bench-log-"));
  try {
    const { createEventLog, readLog } = await load(scratch);
    const problems = [];
    const log = createEventLog({
      id: "bench",
      folder: join(scratch, "sessions"),
      onTrouble: (text) => problems.push(text),
    });
    log.append({ type: "session", version: 2, id: "bench", cwd: "/", model: "m", program: "bench" });
    const times = [];
    for (let n = 1; n < records; n++) {
      const entry = entryOf(n);
      const startedAt = performance.now();
      log.append(entry);
      times.push(performance.now() - startedAt);
      // lets the background sync run as it does in a session
      if (n % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
    }
    log.close();
    if (problems.length > 0) throw new Error(problems.join("\n"));
    const path = join(scratch, "sessions/bench.jsonl");
    const reads = [1, 2, 3].map(() => readAll(readLog, path));
    return {
      firstMs: median(times.slice(0, 1000)),
      lastMs: median(times.slice(-1000)),
      readMs: median(reads),
      megabytes: statSync(path).size / 1e6,
    };
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function readAll(readLog, path) {
  const startedAt = performance.now();
  let count = 0;
  for (const found of readLog(path)) if ("entry" in found) count++;
  if (count !== records) throw new Error(`${count} records were read, ${records} written`);
  return performance.now() - startedAt;
}

function entryOf(n) {
  const call = {
    type: "tool-call",
    callId: `c${n}`,
    tool: "bash",
    input: { command: "ls" },
    rawInput: '{"command":"ls"}',
  };
  const text = "a line of forty characters, more or less\n".repeat(2);
  const result = { type: "tool-result", callId: `c${n - 1}`, tool: "bash", text, isError: false, handle: `#${n}` };
  const message =
    n % 2 ? { id: `m${n}`, role: "assistant", parts: [call] } : { id: `m${n}`, role: "tool", parts: [result] };
  return { type: "message", message };
}

/** The library does not offer its log, so the sources are bundled for the occasion. */
async function load(scratch) {
  const { outputFiles } = buildSync({
    stdin: {
      contents: `export * from "./src/session/log/event-log.ts"; export * from "./src/session/log/read-log.ts";`,
      resolveDir: root,
    },
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    write: false,
  });
  const path = join(scratch, "log.mjs");
  writeFileSync(path, outputFiles[0].contents);
  return import(pathToFileURL(path).href);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(await sessionLogSpeed());
