import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { type Fault, faultShim, whyNoFaults } from "../../../test/support/fault-shim.ts";
import { bundleProgram, runProgram } from "../../../test/support/run-module.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { acquireLock, lockHolder } from "./session-lock.ts";

let programs: string;
let holder: string;
let counter: string;
beforeAll(() => {
  programs = makeTempFolder();
  holder = bundleProgram(
    programs,
    `import { writeSync } from "node:fs";
     import { acquireLock } from "src/session/log/session-lock.ts";
     const [log, startAt] = process.argv.slice(2);
     while (Date.now() < Number(startAt ?? 0)) {}
     const lock = acquireLock(log);
     writeSync(1, lock.held ? "held\\n" : "by " + lock.by.pid + "\\n");
     setInterval(() => {}, 1000);`,
  );
  counter = bundleProgram(
    programs,
    `import { readFileSync, writeFileSync } from "node:fs";
     import { acquireLock } from "src/session/log/session-lock.ts";
     const [log, file] = process.argv.slice(2);
     while (!acquireLock(log).held) {}
     writeFileSync(file, String(Number(readFileSync(file, "utf8")) + 1));
     process.kill(process.pid, "SIGKILL");`,
  );
});
afterAll(() => removeTempFolder(programs));

let folder: string;
let log: string;
let path: string;
beforeEach(() => {
  folder = makeTempFolder();
  log = join(folder, "project/s1.jsonl");
  path = join(folder, "project/s1.lock");
});
afterEach(() => removeTempFolder(folder));

function held(): { release(): void } {
  const lock = acquireLock(log);
  expect(lock).toMatchObject({ held: true });
  return lock as { release(): void };
}
/** Another process that holds the lock until it is ended. */
async function holdElsewhere() {
  const run = runProgram(holder, { args: [log] });
  await run.waitFor("held");
  const end = async (signal: NodeJS.Signals) => {
    run.child.kill(signal);
    await run.ended;
  };
  return { pid: run.child.pid as number, end };
}
/** Waits until the kernel says that a process is a zombie (Z) or stopped (T). */
async function untilState(pid: number, state: "Z" | "T"): Promise<void> {
  const now = () => /\) (.) /.exec(readFileSync(`/proc/${pid}/stat`, "latin1"))?.[1];
  while (now() !== state) await new Promise((resolve) => setImmediate(resolve));
}
const content = () => JSON.parse(readFileSync(path, "utf8"));
const change = (fields: object) => writeFileSync(path, JSON.stringify({ ...content(), ...fields }));

describe("the lock of a session", () => {
  it("lies beside the log, private, and names its holder", () => {
    const lock = held();
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect(content()).toMatchObject({ pid: process.pid, host: hostname() });
    lock.release();
    expect(readdirSync(join(folder, "project"))).toEqual([]);
  });

  it("is refused to a second one, who is told who holds it and since when", async () => {
    const other = await holdElsewhere();
    const lock = acquireLock(log);
    expect(lock).toMatchObject({ held: false, by: { pid: other.pid, host: hostname(), isHere: true, path } });
    if (lock.held) throw new Error("held twice");
    expect(Math.abs(Date.parse(lock.by.since) - Date.now())).toBeLessThan(60_000);
    expect(lockHolder(log)).toEqual(lock.by);
    await other.end("SIGKILL");
  });

  it("is free again when it was released, and releasing it twice frees nobody else's", async () => {
    const lock = held();
    lock.release();
    const next = held();
    lock.release();
    expect(existsSync(path)).toBe(true);
    next.release();
    expect(lockHolder(log)).toBeUndefined();
  });

  it("is released when the process exits, whatever way that happens", async () => {
    const program = bundleProgram(
      programs,
      `import { acquireLock } from "src/session/log/session-lock.ts";
       const [log] = process.argv.slice(2);
       for (const one of [log, log + "2.jsonl", log + "3.jsonl"]) acquireLock(one);
       acquireLock(log + "4.jsonl").release();
       process.exit(3);`,
    );
    await runProgram(program, { args: [log] }).ended;
    expect(readdirSync(join(folder, "project"))).toEqual([]);
  });

  it("belongs to nobody where no folder can be made: everybody goes on", () => {
    writeFileSync(join(folder, "project"), "in the way");
    held().release();
    held().release();
  });

  it.skipIf(process.getuid?.() === 0)("belongs to nobody in a folder that cannot be written", () => {
    mkdirSync(join(folder, "project"));
    chmodSync(join(folder, "project"), 0o500);
    held().release();
  });

  it("that was deleted with its folder does not disturb its holder", () => {
    const lock = held();
    rmSync(join(folder, "project"), { recursive: true });
    lock.release();
  });
});

describe("a lock that was left behind", () => {
  it("by a process that was killed is taken over", async () => {
    const other = await holdElsewhere();
    await other.end("SIGKILL");
    expect(existsSync(path)).toBe(true);
    expect(lockHolder(log)).toBeUndefined();
    held().release();
    expect(readdirSync(join(folder, "project"))).toEqual([]);
  });

  it("by a process that is dead but not yet buried is taken over", async () => {
    // a shell that never waits for its child
    const parent = spawn("sh", ["-c", `"$0" "$1" "$2" & echo $!; exec sleep 100`, process.execPath, holder, log]);
    const pid = await new Promise<number>((resolve) => {
      let text = "";
      parent.stdout.on("data", (data) => {
        text += data;
        if (text.includes("held")) resolve(Number(/^\d+$/m.exec(text)?.[0]));
      });
    });
    expect(acquireLock(log)).toMatchObject({ held: false, by: { pid } });
    process.kill(pid, "SIGKILL");
    await untilState(pid, "Z");
    held().release();
    parent.kill("SIGKILL");
  });

  it.each([
    ["whose number now belongs to another process", { started: "1" }],
    ["before the machine was started again", { boot: "00000000-0000-0000-0000-000000000000" }],
    ["before the machine was started again, on a system without boot ids", { boot: undefined, since: 1_000 }],
    ["whose number nobody has", { pid: 2 ** 22 + 5 }],
  ])("by a process %s is taken over", (_name, fields) => {
    const lock = held();
    change(fields);
    held().release();
    lock.release();
  });

  it.each([
    ["on another machine", { host: "elsewhere" }],
    ["in another container", { numbering: "pid:[1]" }],
  ])("by a process %s is respected, because nobody here can know", (_name, fields) => {
    const lock = held();
    change(fields);
    expect(acquireLock(log)).toMatchObject({ held: false, by: { isHere: false } });
    change({ host: hostname(), numbering: undefined });
    lock.release();
  });

  it.each(["", "{", "[]", "null", '{"pid":1}', '{"pid":-1,"host":"x","since":0,"token":"a"}', "\0\0\0"])(
    "with %j in it is taken over once nobody can be writing it any more",
    (text) => {
      mkdirSync(join(folder, "project"));
      writeFileSync(path, text);
      utimesSync(path, 1, 1);
      held().release();
      expect(readdirSync(join(folder, "project"))).toEqual([]);
    },
  );

  it("is not taken from somebody who is just writing it, on a file system where that takes two steps", () => {
    const lock = held();
    const text = readFileSync(path, "utf8");
    writeFileSync(path, "");
    const writer = spawn("sh", ["-c", 'sleep 0.1; printf %s "$1" > "$0"', path, text], { stdio: "ignore" });
    expect(acquireLock(log)).toMatchObject({ held: false, by: { pid: process.pid } });
    writer.unref();
    lock.release();
  });

  it("goes to exactly one of many that want it at the same moment", async () => {
    for (let round = 0; round < 4; round++) {
      rmSync(join(folder, "project"), { recursive: true, force: true });
      const dead = await holdElsewhere();
      await dead.end("SIGKILL");
      const startAt = String(Date.now() + 400);
      const runs = Array.from({ length: 6 }, () => runProgram(holder, { args: [log, startAt] }));
      await Promise.all(runs.map((run) => run.waitFor("\n")));
      for (const run of runs) run.child.kill("SIGKILL");
      const said = await Promise.all(runs.map(({ ended }) => ended.then(({ stdout }) => stdout.trim())));
      expect(said.filter((text) => text === "held")).toHaveLength(1);
      // the others name the one that has it, or one of them that was about to take it
      const contenders = new Set(runs.map(({ child }) => `by ${child.pid}`));
      expect(said.filter((text) => text !== "held" && !contenders.has(text))).toEqual([]);
    }
  });

  it.skipIf(whyNoFaults() !== undefined)("is not taken a second time while somebody is taking it", async () => {
    const traceFile = join(programs, "trace");
    const takeOver = async (fault: Partial<Fault>) => {
      rmSync(join(folder, "project"), { recursive: true, force: true });
      await (await holdElsewhere()).end("SIGKILL");
      return runProgram(holder, { args: [log], env: faultShim().environment({ folder, ...fault }) });
    };
    const first = await takeOver({ traceFile });
    await first.waitFor("held");
    first.child.kill("SIGKILL");
    const calls = readFileSync(traceFile, "utf8").trim().split("\n");
    const replacing = calls.findIndex((line) => line.endsWith(` rename ${path}`)) + 1;
    expect(replacing).toBeGreaterThan(0);
    const slow = await takeOver({ at: replacing, kind: "stop-before" });
    const pid = slow.child.pid as number;
    await untilState(pid, "T");
    expect(acquireLock(log)).toMatchObject({ held: false, by: { pid, path } });
    slow.child.kill("SIGCONT");
    await slow.waitFor("held");
    expect(acquireLock(log)).toMatchObject({ held: false, by: { pid } });
    slow.child.kill("SIGKILL");
    await slow.ended;
  });

  it("protects what it protects although every holder is killed", async () => {
    const file = join(folder, "count");
    writeFileSync(file, "0");
    const processes = 24;
    let left = processes;
    const work = async () => {
      while (left-- > 0) expect((await runProgram(counter, { args: [log, file] }).ended).signal).toBe("SIGKILL");
    };
    await Promise.all([work(), work(), work(), work()]);
    expect(readFileSync(file, "utf8")).toBe(String(processes));
  });
});
