// What the terminal interface costs: from the spawn to a prompt that takes keys, idle, and streaming 10,000 words at full speed.
// `node bench/terminal.mjs` after a build.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { spawn } from "@lydell/node-pty";
import { startScriptedModel, text } from "../dist/lib/testing.js";

const cli = process.env.CORECODER_TEST_CLI ?? join(dirname(fileURLToPath(import.meta.url)), "../dist/cli.js");
const folder = mkdtempSync(join(tmpdir(), "corecoder-bench-"));
const runs = 11;
const idleMs = 3_000;
/** The mark that tells terminals where the output of a command ends: the prompt is there. */
const ready = "\u001b]133;D";

const answer = `${Array.from({ length: 10_000 }, (_, at) => (at % 97 === 96 ? "\n\n## Heading\n\n- item" : at % 13 === 0 ? " `code`" : " words")).join("")}\n\nTHE-END`;
const model = await startScriptedModel(() => text(answer));

function open() {
  const env = {
    PATH: process.env.PATH,
    HOME: folder,
    CORECODER_HOME: join(folder, "state"),
    TERM: "xterm-256color",
    OPENAI_API_KEY: "none",
    OPENAI_BASE_URL: model.url,
  };
  const pty = spawn(process.execPath, [cli, "-m", "gpt-4o"], { cols: 100, rows: 30, cwd: folder, env });
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
  return { pty, seen, until };
}

const median = (numbers) => numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)];
const cpuMs = (pid) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(" ");
  return (Number(fields[13]) + Number(fields[14])) * 10;
};
const rssMb = (pid) => Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))[1]) / 1024;

const floor = [];
const starts = [];
for (let run = 0; run < runs; run++) {
  let from = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  floor.push(performance.now() - from);
  from = performance.now();
  const { pty, until } = open();
  await until(ready);
  starts.push(performance.now() - from);
  pty.kill("SIGKILL");
}
console.log(
  `spawn to prompt   ${median(starts).toFixed(0)} ms, ${(median(starts) / median(floor)).toFixed(2)} x \`node -e 0\``,
);

const { pty, seen, until } = open();
await until(ready);
await setTimeout(500);
console.log(`fresh             ${rssMb(pty.pid).toFixed(0)} MB`);
const [bytesBefore, cpuBefore] = [seen.raw.length, cpuMs(pty.pid)];
await setTimeout(idleMs);
console.log(
  `idle              ${cpuMs(pty.pid) - cpuBefore} ms of CPU and ${seen.raw.length - bytesBefore} bytes in ${idleMs / 1000} s`,
);

const [cpuStart, from] = [cpuMs(pty.pid), seen.raw.length];
pty.write("go\r");
await until("THE-END", from);
await until(ready, from);
const written = seen.raw.length - from;
console.log(
  `10,000 words      ${cpuMs(pty.pid) - cpuStart} ms of CPU, ${((written / answer.length) * 10).toFixed(1)} KB written for 10 KB of text, ${rssMb(pty.pid).toFixed(0)} MB after it`,
);
pty.kill("SIGKILL");
await model.close();
rmSync(folder, { recursive: true, force: true });
process.exit(0);
