// How long it takes to list and to search a thousand saved sessions of 200 KB, from the command to its end. The floor is a program that only
// starts and looks at the same files. `node bench/sessions.mjs` prints it alone.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { crc32 } from "node:zlib";

const sessions = 1_000;
const projects = 40;
const sessionBytes = 200_000;

const hex = (value) => (value >>> 0).toString(16).padStart(8, "0");
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** One line of a log, as the program writes it. */
function record(seq, time, entry) {
  const body = JSON.stringify({ seq, time, ...entry }).slice(0, -1);
  return `${body},"sum":"${hex(Buffer.byteLength(body))}${hex(crc32(body))}"}\n`;
}

/** The same numbers every time. */
function createDice(seed) {
  let state = seed;
  return () => (state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff) / 0x7fffffff;
}

/** Words as code and prose have them: few very often, many rarely, and some that stand in one place only. */
function createText(dice) {
  const syllables = "ba de fi go lu ma ne pi ro su ta ve wi xo zu con str get log".split(" ");
  const words = Array.from({ length: 20_000 }, () =>
    Array.from({ length: 1 + Math.floor(dice() * 4) }, () => syllables[Math.floor(dice() * syllables.length)]).join(""),
  );
  const word = () => words[Math.floor(words.length * dice() ** 4)];
  const line = () =>
    dice() < 0.1
      ? `${hex(dice() * 2 ** 32)}  ${word()}/${word()}.ts:${Math.floor(dice() * 900)}`
      : `  const ${word()} = ${word()}(${word()}, ${word()}.${word()}); // ${word()} ${word()}`;
  return (lines) => Array.from({ length: lines }, line).join("\n");
}

function sessionLog(number, textOf) {
  const id = `20260101-${String(number).padStart(6, "0")}-bench`;
  let seq = 0;
  let bytes = 0;
  const lines = [];
  const add = (entry) => {
    const line = record(seq, 1_767_225_600_000 + number * 60_000 + seq++ * 500, entry);
    bytes += line.length;
    lines.push(line);
  };
  const message = (value) => add({ type: "message", message: { id: `m${seq}`, ...value } });
  add({
    type: "session",
    version: 2,
    id,
    cwd: `/home/me/project-${number % projects}`,
    model: "gpt-5",
    program: "bench",
  });
  add({ type: "request.prefix", system: "s".repeat(5_000), tools: [{ name: "x".repeat(5_000) }] });
  message({ role: "user", parts: [{ type: "text", text: `Please mend what is broken in module${number}.` }] });
  while (bytes < sessionBytes) {
    const callId = `c${seq}`;
    const input = { command: textOf(1) };
    const call = { type: "tool-call", callId, tool: "bash", input, rawInput: JSON.stringify(input) };
    const usage = { inputTokens: bytes >> 2, outputTokens: 50, cacheReadTokens: bytes >> 3, cacheWriteTokens: 0 };
    message({ role: "assistant", parts: [{ type: "text", text: textOf(2) }, call], usage, stopReason: "tool-calls" });
    const result = { type: "tool-result", callId, tool: "bash", text: textOf(60), isError: false, handle: `#${seq}` };
    message({ role: "tool", parts: [result] });
  }
  const totals = {
    rounds: 1,
    usage: { inputTokens: 1, outputTokens: 1 },
    costUsd: null,
    durationMs: 1,
    apiMs: 1,
    denials: [],
  };
  add({ type: "event", event: { type: "turn.finished", outcome: { type: "done" }, totals } });
  return { id, text: lines.join("") };
}

function writeSessions(state) {
  const textOf = createText(createDice(7));
  for (let number = 0; number < sessions; number++) {
    const folder = join(state, "sessions", `project-${number % projects}-0000000a`);
    if (number < projects) mkdirSync(folder, { recursive: true });
    const { id, text } = sessionLog(number, textOf);
    writeFileSync(join(folder, `${id}.jsonl`), text);
  }
}

/** Starts Node, looks at every log, ends. */
const lookAtAll = `const fs = require("fs"), root = process.argv[1];
for (const project of fs.readdirSync(root)) { const folder = root + "/" + project;
  for (const name of fs.statSync(folder).isDirectory() ? fs.readdirSync(folder) : []) fs.statSync(folder + "/" + name); }`;

function wall(args, state) {
  const env = { PATH: process.env.PATH, HOME: state, CORECODER_HOME: state, NO_COLOR: "1" };
  const startedAt = performance.now();
  const child = spawn(process.execPath, args, { cwd: state, env, stdio: ["ignore", "ignore", "pipe"] });
  let errors = "";
  child.stderr.on("data", (data) => (errors += data));
  return new Promise((resolve, reject) =>
    child.on("exit", (code) =>
      code === 0
        ? resolve(performance.now() - startedAt)
        : reject(new Error(`${args.join(" ")} ended with ${code}: ${errors}`)),
    ),
  );
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);

/** Milliseconds of whole commands, medians; `first` are those that make the caches. */
export async function sessionsSpeed(cli, times) {
  const state = realpathSync(mkdtempSync(join(tmpdir(), "corecoder-bench-sessions-")));
  try {
    writeSessions(state);
    const logMb = sizeOf(join(state, "sessions")) / 1e6;
    const commands = {
      nodeMs: ["-e", "0"],
      floorMs: ["-e", lookAtAll, join(state, "sessions")],
      listMs: [cli, "sessions", "list", "--all"],
      searchMs: [cli, "sessions", "search", "module500"],
      commonMs: [cli, "sessions", "search", "const"],
      phraseMs: [cli, "sessions", "search", '"mend what is broken"'],
      missingMs: [cli, "sessions", "search", "nobodyeverwrotethis"],
    };
    const firstListMs = await wall(commands.listMs, state);
    const firstSearchMs = await wall(commands.searchMs, state);
    const samples = Object.fromEntries(Object.keys(commands).map((name) => [name, []]));
    for (let time = 0; time < times; time++)
      for (const [name, args] of Object.entries(commands)) samples[name].push(await wall(args, state));
    const medians = Object.fromEntries(Object.entries(samples).map(([name, values]) => [name, median(values)]));
    const indexMb = sizeOf(join(state, "sessions", "search")) / 1e6;
    return { sessions, logMb, indexMb, firstListMs, firstSearchMs, ...medians };
  } finally {
    rmSync(state, { recursive: true, force: true });
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const cli = process.argv[2] ?? join(dirname(fileURLToPath(import.meta.url)), "../dist/cli.js");
  const speed = await sessionsSpeed(cli, 11);
  const round = (value) => Math.round(value * 10) / 10;
  console.log(`${sessions} sessions, ${round(speed.logMb)} MB of logs, ${round(speed.indexMb)} MB of index`);
  console.log(`made in ${round(speed.firstListMs)} ms (list) and ${round(speed.firstSearchMs)} ms (search)`);
  for (const name of ["nodeMs", "floorMs", "listMs", "searchMs", "commonMs", "phraseMs", "missingMs"])
    console.log(
      [
        name.slice(0, -2).padEnd(10),
        `${round(speed[name])} ms`.padStart(10),
        `${round(speed[name] / speed.floorMs)}× the floor`.padStart(16),
        `${round(speed[name] - speed.nodeMs)} ms beyond node's start`.padStart(32),
      ].join(""),
    );
}
