// How long a saved session of a million tokens takes from the command to its first request, and what it weighs in memory.
import { spawn } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { crc32 } from "node:zlib";
import { startModel, words } from "./model-server.mjs";

const rounds = 5_000;
const hex = (value) => value.toString(16).padStart(8, "0");
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** One line of a log, as the program writes it. */
export function record(seq, entry) {
  const body = JSON.stringify({ seq, time: Date.now(), ...entry }).slice(0, -1);
  return `${body},"sum":"${hex(Buffer.byteLength(body))}${hex(crc32(body))}"}\n`;
}

/** 20,000 records: every round is a request, an answer, what began and its result, about 200 tokens. */
function* entries(id, cwd, prefix) {
  yield { type: "session", version: 2, id, cwd, model: "bench", program: "corecoder bench" };
  yield prefix;
  yield { type: "message", message: { id: "m1", role: "user", parts: [{ type: "text", text: "go" }] } };
  const usage = { inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 0 };
  const text = "  const value = compute(index, options); // a line of code\n".repeat(13);
  for (let i = 0; i < rounds; i++) {
    const input = { file_path: `src/file-${i % 50}.ts` };
    const call = { type: "tool-call", callId: `c${i}`, tool: "read_file", input, rawInput: JSON.stringify(input) };
    const result = {
      type: "tool-result",
      callId: `c${i}`,
      tool: "read_file",
      text: `${i}\n${text}`,
      isError: false,
      handle: `#${i + 1}`,
    };
    if (i % 100 === 99) yield { type: "edits", edits: batchAt(i) };
    yield { type: "request", rent: [0] };
    yield {
      type: "message",
      message: { id: `m${2 * i + 2}`, role: "assistant", parts: [call], usage, stopReason: "tool-calls" },
    };
    yield {
      type: "event",
      event: {
        type: "tool.started",
        callId: `c${i}`,
        tool: "read_file",
        view: { label: "read", title: input.file_path },
      },
    };
    yield { type: "message", message: { id: `m${2 * i + 3}`, role: "tool", parts: [result] } };
  }
}

/** As a long session has them: old results leave the view every hundred rounds, the older half is folded every five hundred. */
function batchAt(round) {
  if (round % 500 === 499) {
    const notes = [{ role: "user", text: "The conversation up to here was folded. ".repeat(100) }];
    return [{ type: "fold", through: `m${2 * (round - 50) + 1}`, keepBefore: ["m1"], notes, keepAfter: [] }];
  }
  return Array.from({ length: 100 }, (_, at) => round - 120 + at)
    .filter((old) => old >= 0)
    .map((old) => ({
      type: "replace",
      messageId: `m${2 * old + 3}`,
      callId: `c${old}`,
      text: `[#${old + 1} read_file: 14 lines archived; recall("#${old + 1}")]`,
      archived: true,
    }));
}

const reportHeap = join(dirname(fileURLToPath(import.meta.url)), "report-heap.cjs");

/** Milliseconds to the first request; with `heap`, what was alive then. */
async function timeTo(cli, args, { cwd, state, heap }) {
  const model = await startModel(() => words("ok"));
  const env = {
    PATH: process.env.PATH,
    HOME: state,
    CORECODER_HOME: state,
    OPENAI_API_KEY: "bench",
    OPENAI_BASE_URL: model.url,
    ...(heap ? { HEAP_REPORT: heap } : {}),
  };
  const flags = heap ? ["--expose-gc", "-r", reportHeap] : [];
  const startedAt = performance.now();
  const child = spawn(process.execPath, [...flags, cli, "-p", "next", ...args], {
    cwd,
    env,
    stdio: ["ignore", "pipe", "pipe"],
  });
  const code = await new Promise((resolve) => child.on("exit", resolve));
  model.close();
  if (code !== 0) throw new Error(`corecoder ended with ${code}: ${child.stderr.read()}`);
  const liveMb = heap ? Number(readFileSync(heap, "utf8")) / 1e6 : 0;
  if (heap) rmSync(heap);
  return { ms: model.arrivals[0] - startedAt, liveMb };
}

/** Milliseconds and megabytes of a resumed session, beside those of a fresh one in the same run. */
export async function resumeSpeed(cli, times) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "corecoder-resume-")));
  const place = { cwd: join(folder, "project"), state: join(folder, "state") };
  mkdirSync(place.cwd);
  try {
    // a fresh session tells where logs lie and what they begin with
    await timeTo(cli, [], place);
    const { log, prefix } = firstLog(place.state);
    const big = log.replace(/[^/]*$/, "20990101-000000-bench.jsonl");
    let seq = 0;
    const text = [...entries("20990101-000000-bench", place.cwd, prefix)].map((entry) => record(seq++, entry)).join("");
    const samples = { fresh: [], resumed: [], freshHeap: [], resumedHeap: [] };
    const heap = join(folder, "heap");
    for (let time = 0; time < times; time++) {
      samples.fresh.push(await timeTo(cli, [], place));
      // one of the same length every time
      writeFileSync(big, text, { mode: 0o600 });
      samples.resumed.push(await timeTo(cli, ["-r", "20990101-000000-bench"], place));
      samples.freshHeap.push(await timeTo(cli, [], { ...place, heap }));
      writeFileSync(big, text, { mode: 0o600 });
      samples.resumedHeap.push(await timeTo(cli, ["-r", "20990101-000000-bench"], { ...place, heap }));
    }
    const of = (name, field) => median(samples[name].map((sample) => sample[field]));
    return {
      records: seq,
      logMb: Buffer.byteLength(text) / 1e6,
      freshMs: of("fresh", "ms"),
      resumedMs: of("resumed", "ms"),
      heldMb: of("resumedHeap", "liveMb") - of("freshHeap", "liveMb"),
    };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Where a state folder keeps its first log, and what that begins with. */
export function firstLog(state) {
  const root = join(state, "sessions");
  const found = readdirDeep(root).find((path) => path.endsWith(".jsonl") && statSync(path).isFile());
  const lines = readFileSync(found, "utf8")
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  const { system, tools, date } = lines.find(({ type }) => type === "request.prefix");
  return { log: found, prefix: { type: "request.prefix", system, tools, date } };
}

const readdirDeep = (root) => readdirSync(root, { recursive: true }).map((name) => join(root, name));
