import { spawn } from "node:child_process";
import { test } from "vitest";
import { createBash } from "./bash.ts"; import { createCommandJudge } from "../permissions/command-judge.ts"; import { glob } from "./glob.ts"; import { grep } from "./grep.ts";
const ws = () => ({ root: "/work/main", writableRoots: ["/work/main"], confined: true, cwd: "/work/main", previousCwd: undefined, exported: new Map(), seen: new Map(), changed: new Set<string>(), todos: [] });
const env = () => ({ PATH: process.env.PATH!, HOME: "/root", LANG: "C.UTF-8" });
const judge = createCommandJudge();
const tool = createBash({ parallelSafe: judge.parallelSafe, environment: env }) as any;
const ctx = (w = ws()) => ({ callId: "1", handle: "#1", workspace: w, signal: new AbortController().signal, progress() {}, keep: () => undefined, outputFolder: () => "/tmp/w" });
test("bench", async () => {
  const w = ws();
  const raw = () => new Promise<void>((r) => { const c = spawn("bash", ["-c", "echo hi"], { env: env(), stdio: ["ignore", "pipe", "pipe"] }); let o = ""; c.stdout.on("data", (d) => (o += d)); c.stderr.on("data", (d) => (o += d)); c.on("close", () => r()); });
  const cases: [string, () => Promise<unknown>][] = [["raw", raw], ["bash echo (reading)", () => tool.run({ command: "echo hi" }, ctx(w))], ["bash true > /dev/null;x=1 (state)", () => tool.run({ command: "export A=1; echo hi" }, ctx(w))], ["judge", () => judge.parallelSafe("echo hi")], ["glob", () => (glob as any).run({ pattern: "src/**/*.ts" }, ctx(w))], ["grep", () => (grep as any).run({ pattern: "stripControl" }, ctx(w))]];
  for (const [n, f] of [...cases, ...cases]) { const ts: number[] = []; for (let i = 0; i < 100; i++) { const t = performance.now(); await f(); ts.push(performance.now() - t); } ts.sort((a, b) => a - b); console.log(n, ts[50]!.toFixed(3)); }
}, 120000);
