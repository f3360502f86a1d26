// What the terminal interface costs: from the spawn to a prompt that takes keys, doing nothing, streaming at full speed, and in a long
// session. `node bench/terminal.mjs` after a build prints it alone.
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setImmediate, setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import xterm from "@xterm/headless";
import { ending, startModel, token } from "./model-server.mjs";
import { firstLog, record } from "./resume.mjs";

const idleMs = 3_000;
const tokens = 10_000;
const keys = 100;
const resizes = 40;
/** The mark that tells terminals where the output of a command ends: the prompt is there. */
const ready = "\u001b]133;D";
const drawn = "\u001b[?2026l";
const longId = "20990101-000000-bench";

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];
const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

/** Time on a processor of all threads, to the nanosecond; the usual figure counts in steps of ten milliseconds. */
function cpuMs(pid) {
  const threads = readdirSync(`/proc/${pid}/task`);
  const of = (thread) => Number(readFileSync(`/proc/${pid}/task/${thread}/schedstat`, "utf8").split(" ")[0]);
  return threads.reduce((sum, thread) => sum + of(thread), 0) / 1e6;
}

/** The n-th token: words, with Markdown among them. */
const tokenAt = (at) =>
  at % 97 === 96
    ? `\n\n## Heading ${at}\n\n- item`
    : at % 13 === 0
      ? ` \`code${at}\``
      : at % 29 === 0
        ? ` **bold${at}**`
        : ` word${at}`;
const answer = Array.from({ length: tokens }, (_, at) => tokenAt(at)).join("");
const numbersOf = (text) => text.match(/(?:word|code|bold|Heading )\d+/g) ?? [];

async function streamAnswer(_index, response) {
  for (let sent = 0; sent < tokens; sent++) {
    response.write(token(tokenAt(sent)));
    if (sent % 20 === 19) await setImmediate();
    if (response.writableNeedDrain) await new Promise((resolve) => response.once("drain", resolve));
  }
  response.end(ending);
  return undefined;
}

/** The same for whatever is compared: some variables make every start of Node slower. */
const environmentOf = ({ state, url }) => ({
  PATH: process.env.PATH,
  HOME: state,
  CORECODER_HOME: state,
  TERM: "xterm-256color",
  OPENAI_API_KEY: "bench",
  OPENAI_BASE_URL: url,
});

function open(cli, place, args = []) {
  const options = { cols: 100, rows: 30, cwd: place.cwd, env: environmentOf(place) };
  const pty = spawn(process.execPath, [cli, "-m", "gpt-4o", ...args], options);
  const seen = { raw: "" };
  let notify = () => {};
  pty.onData((data) => {
    seen.raw += data;
    notify();
  });
  const until = (words, from = 0) =>
    new Promise((resolve) => {
      notify = () => seen.raw.indexOf(words, from) >= 0 && resolve();
      notify();
    });
  const gone = new Promise((resolve) => pty.onExit(resolve));
  async function close() {
    pty.kill("SIGKILL");
    await gone;
  }
  return { pty, seen, until, close };
}

async function timeToPrompt(cli, place, args) {
  const from = performance.now();
  const program = open(cli, place, args);
  await program.until(ready);
  const ms = performance.now() - from;
  await program.close();
  return ms;
}

/** What a terminal would hold in the end, from the top of its scrollback. */
async function linesOf(raw) {
  const terminal = new xterm.Terminal({ cols: 100, rows: 30, scrollback: 100_000, allowProposedApi: true });
  await new Promise((resolve) => terminal.write(raw, resolve));
  const { active } = terminal.buffer;
  return Array.from({ length: active.length }, (_, at) => active.getLine(at)?.translateToString(true) ?? "");
}

async function freshSession(cli, place) {
  const { pty, seen, until, close } = open(cli, place);
  await until(ready);
  await setTimeout(500);
  const freshMb = rssMb(pty.pid);
  const [idleFrom, idleCpu] = [seen.raw.length, cpuMs(pty.pid)];
  await setTimeout(idleMs);
  const idle = { cpuMs: cpuMs(pty.pid) - idleCpu, bytes: seen.raw.length - idleFrom };
  const [from, cpu] = [seen.raw.length, cpuMs(pty.pid)];
  pty.write("go\r");
  await until(ready, from);
  const streamCpuMs = cpuMs(pty.pid) - cpu;
  const written = Buffer.byteLength(seen.raw.slice(from));
  const kept = new Set(numbersOf((await linesOf(seen.raw)).join(" ")));
  const lost = numbersOf(answer).filter((number) => !kept.has(number)).length;
  const twice = numbersOf((await linesOf(seen.raw)).join(" ")).length - kept.size;
  await close();
  return { freshMb, idle, streamCpuMs, bytesPer10Kb: (written / answer.length) * 10, lost, twice };
}

/** 500 turns of four messages: a prompt, a call, its result, an answer. */
function* longSession(cwd, prefix) {
  yield { type: "session", version: 2, id: longId, cwd, model: "gpt-4o", program: "corecoder bench" };
  yield prefix;
  const usage = { inputTokens: 1_000, outputTokens: 20, cacheReadTokens: 900, cacheWriteTokens: 0 };
  const source = "  const value = compute(index, options); // a line of code\n".repeat(13);
  for (let turn = 0; turn < 500; turn++) {
    const message = (at, rest) => ({ type: "message", message: { id: `m${4 * turn + at}`, ...rest } });
    const call = { callId: `c${turn}`, tool: "read_file" };
    const input = { file_path: `src/file-${turn % 50}.ts` };
    const said = `It is in **file ${turn}**:\n\n- one thing\n- another\n\n\`\`\`ts\n${source}\`\`\`\n`;
    yield message(1, { role: "user", parts: [{ type: "text", text: `question ${turn}` }] });
    yield { type: "request", rent: [0] };
    const asked = [{ type: "tool-call", ...call, input, rawInput: JSON.stringify(input) }];
    yield message(2, { role: "assistant", parts: asked, usage, stopReason: "tool-calls" });
    const result = { type: "tool-result", ...call, text: source, isError: false, handle: `#${turn + 1}` };
    yield message(3, { role: "tool", parts: [result] });
    yield { type: "request", rent: [0] };
    yield message(4, { role: "assistant", parts: [{ type: "text", text: said }], usage, stopReason: "end" });
  }
}

/** Milliseconds of CPU for each of a number of things, every one of which is waited for. */
async function cpuOfEach(program, count, act) {
  const before = cpuMs(program.pty.pid);
  for (let at = 0; at < count; at++) {
    const from = program.seen.raw.length;
    act(at);
    await program.until(drawn, from);
  }
  return (cpuMs(program.pty.pid) - before) / count;
}

async function longSessionSpeed(cli, place, runs) {
  const { log, prefix } = firstLog(place.state);
  const path = log.replace(/[^/]*$/, `${longId}.jsonl`);
  let seq = 0;
  const text = [...longSession(place.cwd, prefix)].map((entry) => record(seq++, entry)).join("");
  const [fresh, starts] = [[], []];
  for (let run = 0; run < runs; run++) {
    fresh.push(await timeToPrompt(cli, place));
    writeFileSync(path, text, { mode: 0o600 });
    starts.push(await timeToPrompt(cli, place, ["-c"]));
  }
  writeFileSync(path, text, { mode: 0o600 });
  const program = open(cli, place, ["-c"]);
  await program.until(ready);
  if (!program.seen.raw.includes("500 turns")) throw new Error("the long session was not the one that was resumed");
  await setTimeout(500);
  const mb = rssMb(program.pty.pid);
  const keyMs = await cpuOfEach(program, keys, () => program.pty.write("x"));
  const resizeMs = await cpuOfEach(program, resizes, (at) => program.pty.resize(at % 2 ? 100 : 60, 30));
  const afterMb = rssMb(program.pty.pid);
  await program.close();
  return { ms: median(starts), freshMs: median(fresh), mb: Math.max(mb, afterMb), keyMs, resizeMs };
}

export async function terminalSpeed(cli, runs) {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "corecoder-terminal-")));
  const model = await startModel(streamAnswer);
  const place = { cwd: join(folder, "project"), state: join(folder, "state"), url: model.url };
  mkdirSync(place.cwd);
  const [nodes, starts] = [[], []];
  try {
    for (let run = 0; run < runs; run++) {
      const from = performance.now();
      spawnSync(process.execPath, ["-e", "0"], { cwd: place.cwd, env: environmentOf(place) });
      nodes.push(performance.now() - from);
      starts.push(await timeToPrompt(cli, place));
    }
    const fresh = await freshSession(cli, place);
    const long = await longSessionSpeed(cli, place, Math.ceil(runs / 3));
    return { nodeMs: median(nodes), promptMs: median(starts), ...fresh, long };
  } finally {
    model.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const cli = process.env.CORECODER_TEST_CLI ?? join(dirname(process.argv[1]), "../dist/cli.js");
  console.log(await terminalSpeed(cli, 11));
}
