// `npm run bench`: what a user waits or pays for, as ratios against bench/floor.mjs measured in the same run.
import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { encode } from "gpt-tokenizer";
import { contextMemory, contextSpeed } from "./context-speed.mjs";
import { ending, startModel, token, toolCall, toolCalls, words } from "./model-server.mjs";
import { resumeSpeed } from "./resume.mjs";
import { sessionLogSpeed } from "./session-log.mjs";
import { sessionsSpeed } from "./sessions.mjs";
import { terminalSpeed } from "./terminal.mjs";
import { undoSpeed } from "./undo.mjs";
import { wireSpeed } from "./wires.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const cli = join(here, "../dist/cli.js");
const floor = join(here, "floor.mjs");
const scratch = mkdtempSync(join(tmpdir(), "corecoder-bench-"));
const home = join(scratch, "home");
writeFileSync(join(scratch, "notes.txt"), `${"a line of forty characters, more or less\n".repeat(50)}`);
writeFileSync(join(scratch, "big.txt"), `${"a line of forty characters, more or less\n".repeat(200)}`);

const subjects = {
  // everything kept, so that the history really grows
  keeping: (prompt) => [cli, "-p", prompt, "--context-policy", "none"],
  floor: (prompt) => [floor, prompt],
  corecoder: (prompt) => [cli, "-p", prompt],
};
const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

function start(args, url, stdin = "ignore") {
  const env = {
    PATH: process.env.PATH,
    HOME: home,
    CORECODER_HOME: join(home, ".corecoder"),
    OPENAI_API_KEY: "bench",
    OPENAI_BASE_URL: url,
    NO_COLOR: "1",
  };
  const child = spawn(process.execPath, args, { cwd: scratch, env, stdio: [stdin, "pipe", "pipe"] });
  let errors = "";
  child.stdout.resume();
  child.stderr.on("data", (data) => (errors += data));
  const exited = new Promise((resolve) => child.on("exit", (code) => resolve({ code, errors })));
  return { child, exited };
}

async function play(subject, reply, prompt = "go") {
  const model = await startModel(reply);
  const startedAt = performance.now();
  const { child, exited } = start(subjects[subject](prompt), model.url);
  const { code, errors } = await exited;
  model.close();
  if (code !== 0) throw new Error(`${subject} ended with ${code}: ${errors.slice(0, 500)}`);
  return { model, startedAt, child };
}

const ticksMs = 10;
const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1].split(" ");
  return (Number(fields[11]) + Number(fields[12])) * ticksMs;
};
const peakMb = (pid) => Number(/VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

async function firstRequest(subject) {
  const { model, startedAt } = await play(subject, () => words("ok"));
  return { ms: model.arrivals[0] - startedAt, body: model.bodies[0] };
}

/** Medians over the given turns. */
async function betweenCalls(subject, call, turns, ranges) {
  const { model } = await play(subject, (index) => (index < turns ? call(index) : words("done")));
  const gaps = model.gaps();
  return ranges.map(([from, to]) => median(gaps.slice(from, to)));
}

async function streaming(subject, tokens) {
  let pid = 0;
  let used = 0;
  const model = await startModel(async (_index, response) => {
    const before = cpuMs(pid);
    for (let sent = 0; sent < tokens; ) {
      const batch = Math.min(20, tokens - sent);
      for (let i = 0; i < batch; i++) response.write(token(`word${sent + i} `));
      sent += batch;
      await new Promise((resolve) => setImmediate(resolve));
      if (response.writableNeedDrain) await new Promise((resolve) => response.once("drain", resolve));
    }
    // the program has read everything once it goes quiet
    for (let last = -1, now = cpuMs(pid); now !== last; last = now, now = cpuMs(pid))
      await new Promise((resolve) => setTimeout(resolve, 60));
    used = cpuMs(pid) - before;
    response.end(ending);
    return undefined;
  });
  const { child, exited } = start(subjects[subject]("go"), model.url);
  pid = child.pid;
  await exited;
  model.close();
  return (used * 1000) / tokens;
}

async function peakMemory(subject, turns) {
  let pid = 0;
  let peak = 0;
  const model = await startModel((index) => {
    if (index < turns)
      return toolCall(
        index % 2 ? "bash" : "read_file",
        index % 2 ? { command: `echo ${index}` } : { file_path: "notes.txt" },
        `c${index}`,
      );
    peak = peakMb(pid);
    return words("done");
  });
  const { child, exited } = start(subjects[subject]("go"), model.url);
  pid = child.pid;
  await exited;
  model.close();
  return peak;
}

async function wall(args) {
  const startedAt = performance.now();
  await start(args, "http://127.0.0.1:9").exited;
  return performance.now() - startedAt;
}

async function alternate(rounds, measures) {
  const results = measures.map(() => []);
  for (let round = 0; round < rounds; round++)
    for (const [index, measure] of measures.entries()) results[index].push(await measure());
  return results.map(median);
}

/** What a sandbox adds to a command, start to end: medians of the same command inside and outside; undefined where there is none. */
function sandboxOverheadMs(rounds) {
  const inside = ["--unshare-pid", "--unshare-ipc", "--unshare-net", "--die-with-parent", "--cap-drop", "ALL"];
  const mounts = [
    "--ro-bind",
    "/",
    "/",
    "--dev",
    "/dev",
    "--proc",
    "/proc",
    "--tmpfs",
    "/run",
    "--bind",
    scratch,
    scratch,
  ];
  const timed = (file, args) => {
    const startedAt = performance.now();
    const { status } = spawnSync(file, args, { stdio: "ignore" });
    return status === 0 ? performance.now() - startedAt : undefined;
  };
  const confined = [];
  const plain = [];
  for (let round = 0; round < rounds; round++) {
    confined.push(timed("bwrap", [...inside, ...mounts, "--", "/bin/sh", "-c", ":"]));
    plain.push(timed("/bin/sh", ["-c", ":"]));
  }
  return confined.includes(undefined) ? undefined : median(confined) - median(plain);
}

const rows = [];
function row(what, ours, base, unit, limit, least) {
  const value = base === undefined ? ours : ours / base;
  const ok = (limit === undefined || value <= limit) && (least === undefined || value >= least);
  rows.push({
    what,
    corecoder: round(ours),
    floor: base === undefined ? null : round(base),
    unit,
    ratio: base === undefined ? null : round(value),
    limit: limit ?? null,
    ...(least === undefined ? {} : { least }),
    ok,
  });
  const shown = [
    what.padEnd(56),
    `${round(ours)} ${unit}`.padStart(14),
    base === undefined ? "".padStart(14) : `${round(base)} ${unit}`.padStart(14),
  ];
  shown.push(
    base === undefined ? "".padStart(8) : `${round(value)}×`.padStart(8),
    least === undefined ? "" : `≥ ${least} ${unit}`.padStart(12),
    limit === undefined ? "" : `≤ ${limit}${base === undefined ? ` ${unit}` : "×"}`.padStart(12),
    ok ? "" : "  OVER",
  );
  console.log(shown.join(""));
}
const round = (value) => Math.round(value * 100) / 100;

try {
  const quick = process.argv.includes("--quick");
  const many = quick ? 5 : 21;
  console.log(
    ["".padEnd(56), "corecoder".padStart(14), "floor".padStart(14), "ratio".padStart(8), "limit".padStart(12)].join(""),
  );

  const [version, nothing] = await alternate(many, [() => wall([cli, "--version"]), () => wall(["-e", "0"])]);
  row("--version, against node -e 0", version, nothing, "ms", 1.3);

  const first = {};
  const [ours, base] = await alternate(
    many,
    ["corecoder", "floor"].map((name) => async () => (first[name] = await firstRequest(name)).ms),
  );
  row("spawn → first request", ours, base, "ms", 2.0);

  const bash = (index) => toolCall("bash", { command: `echo ${index}` }, `c${index}`);
  const read = (index) => toolCall("read_file", { file_path: "notes.txt", limit: 40 + (index % 7) }, `c${index}`);
  const turns = 40;
  const [oursBash, baseBash] = await alternate(
    3,
    ["corecoder", "floor"].map((name) => async () => (await betweenCalls(name, bash, turns, [[5, turns]]))[0]),
  );
  row("response → next request, bash call", oursBash, baseBash, "ms", 2.0);
  const [oursRead] = await alternate(3, [async () => (await betweenCalls("corecoder", read, turns, [[5, turns]]))[0]]);
  row("response → next request, read_file call", oursRead, undefined, "ms", 3);

  const long = quick ? 60 : 199;
  const big = (index) => toolCall("read_file", { file_path: "big.txt", limit: 190 + (index % 7) }, `c${index}`);
  const [early, late] = await betweenCalls("keeping", big, long, [
    [5, 20],
    [long - 15, long],
  ]);
  row(`read_file at turn ${long}, against turn 10 (${Math.round(long * 2.2)}k tokens)`, late, early, "ms", 1.5);

  const tokens = quick ? 10_000 : 40_000;
  const [oursToken, baseToken] = await alternate(
    3,
    ["corecoder", "floor"].map((name) => () => streaming(name, tokens)),
  );
  row("CPU a streamed token", oursToken, baseToken, "µs", 1.5);

  row("peak RSS over 30 turns", await peakMemory("corecoder", 30), undefined, "MB", 70);
  row("  the floor's", await peakMemory("floor", 30), undefined, "MB");

  const { tools, messages } = JSON.parse(first.corecoder.body);
  row(
    "first request: system and tools",
    encode(messages[0].content).length + encode(JSON.stringify(tools)).length,
    undefined,
    "tokens",
    2500,
  );

  const { model } = await play("corecoder", (index) =>
    index === 0 ? toolCalls(Array.from({ length: 8 }, () => ["bash", { command: "sleep 0.5" }])) : words("done"),
  );
  row("eight parallel `sleep 0.5`", model.gaps()[0] / 1000, undefined, "s", 0.6);

  const { fitMs, batchMs, recallMs } = await contextSpeed();
  row("context: a fit with nothing to do, 1M tokens of history", fitMs, undefined, "ms", 2);
  row("context: a batch of edits there", batchMs, undefined, "ms", 50);
  row("context: one recall by query there", recallMs, undefined, "ms", 100);
  const memory = await contextMemory("none");
  row("context: what the engine holds there, against the text", memory.heldMb, memory.textMb, "MB", 2);

  // in a process of its own, as the program is: this one is full of other rows' histories
  const judged = JSON.parse(spawnSync(process.execPath, [join(here, "judge.mjs"), "--json"]).stdout);
  row("commands judged a second, no two the same", judged.distinct, undefined, "/s", undefined, 50_000);
  row("  the same ones again and again", judged.repeated, undefined, "/s", undefined, 50_000);
  row(`  the worst made to take long (${judged.worst.name})`, judged.worst.ms, undefined, "ms", 20);
  const overheadMs = sandboxOverheadMs(quick ? 11 : 41);
  if (overheadMs !== undefined) row("sandbox: what it adds to a command", overheadMs, undefined, "ms", 25);

  const log = await sessionLogSpeed();
  row("session log: one record", log.firstMs, undefined, "ms", 0.3);
  row("  one after 19,000 others", log.lastMs, undefined, "ms", 0.3);
  row("  reading 20,000", log.readMs, undefined, "ms");
  const resume = await resumeSpeed(cli, quick ? 1 : 5);
  row("resume of 1M tokens, 20,000 records: first request", resume.resumedMs, undefined, "ms", 400);
  row("  what it holds, against its log", resume.heldMb, resume.logMb, "MB", 2);
  const sessions = await sessionsSpeed(cli, quick ? 1 : 5);
  row("1,000 sessions: the list, beyond node's own start", sessions.listMs - sessions.nodeMs, undefined, "ms", 100);
  row("  a search, beyond node's own start", sessions.searchMs - sessions.nodeMs, undefined, "ms", 200);
  const undo = await undoSpeed();
  row("undo, 50,000 files: a look when nothing changed", undo.quietMs, undefined, "ms", 150);
  row("  against reading their states in a loop", undo.quietMs, undo.statLoopMs, "ms");
  row("  the first look ever, against reading them", undo.firstMs, undo.readLoopMs, "ms");
  for (const [wire, { decodeMs, parseMs }] of Object.entries(await wireSpeed()))
    row(`decoding 100k tokens against JSON.parse: ${wire}`, decodeMs, parseMs, "ms", 1.5);

  const terminal = await terminalSpeed(cli, many);
  row("terminal: spawn → prompt, against node -e 0", terminal.promptMs, terminal.nodeMs, "ms", 3);
  row("  CPU in 3 s of doing nothing", terminal.idle.cpuMs, undefined, "ms", 0);
  row("  bytes written meanwhile", terminal.idle.bytes, undefined, "B", 0);
  row("  RSS, fresh and idle", terminal.freshMb, undefined, "MB", 80);
  row("  CPU for 10,000 tokens at full speed", terminal.streamCpuMs / 1000, undefined, "s", 1.5);
  row("  written for 10 KB of text", terminal.bytesPer10Kb, undefined, "KB", 64);
  row("  words lost or doubled in the scrollback", terminal.lost + terminal.twice, undefined, "", 0);
  row("terminal: -c of 2,000 messages → prompt, against a fresh one", terminal.long.ms, terminal.long.freshMs, "ms", 4);
  row("  RSS in it", terminal.long.mb, undefined, "MB", 130);
  row("  CPU of a keystroke in it", terminal.long.keyMs, undefined, "ms", 2);
  row("  CPU of a resize in it", terminal.long.resizeMs, undefined, "ms", 5);

  if (!quick)
    writeFileSync(join(here, "results.json"), `${JSON.stringify({ node: process.version, rows }, null, 2)}\n`);
  process.exitCode = rows.every(({ ok }) => ok) ? 0 : 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
