import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { countedCalls, type Fault, faultShim, whyNoFaults } from "../../../test/support/fault-shim.ts";
import { bundleProgram, runProgram } from "../../../test/support/run-module.ts";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { createEventLog } from "./event-log.ts";
import { readLog } from "./read-log.ts";

/** Appends until it is told to stop, and says on standard output what `append` has returned for. */
const writer = `
  import { writeSync } from "node:fs";
  import { createEventLog } from "src/session/log/event-log.ts";
  const [folder, count, durability] = process.argv.slice(2);
  const onTrouble = (text) => writeSync(2, text + "\\n");
  const log = createEventLog({ id: "s1", folder, onTrouble, durability });
  log.append({ type: "session", version: 2, id: "s1", cwd: "/", model: "m", program: "p" });
  for (let n = 0; n < Number(count); n++) {
    log.append({ type: "event", event: { type: "notice", text: "record " + n + " " + "x".repeat((n % 7) * 400) } });
    writeSync(1, "<" + n + ">\\n");
    if (n % 5 === 4) await log.flush();
  }
  log.close();
  writeSync(1, "closed\\n");
`;

/** `npm run test:faults`: every kind of fault; otherwise one of those that look the same from here. */
const isFull = process.env.CORECODER_FAULTS === "full";

let program: string;
let programs: string;
let state: string;
let folder: string;
beforeAll(() => {
  programs = makeTempFolder();
  program = bundleProgram(programs, writer);
});
afterAll(() => removeTempFolder(programs));
beforeEach(() => {
  state = makeTempFolder();
  folder = join(state, "sessions/project");
});
afterEach(() => removeTempFolder(state));

function found() {
  const log = join(folder, "s1.jsonl");
  const records: number[] = [];
  const damage: string[] = [];
  for (const one of existsSync(log) ? readLog(log) : []) {
    if (!("entry" in one)) damage.push(one.kind);
    else if (one.entry.type === "event" && one.entry.event.type === "notice")
      records.push(Number(/record (\d+)/.exec(one.entry.event.text)?.[1]));
  }
  return { records, damage };
}
const acknowledged = (stdout: string) => [...stdout.matchAll(/<(\d+)>/g)].map(([, n]) => Number(n));
const upTo = (count: number) => Array.from({ length: count }, (_, n) => n);

/** A session that is taken up again after whatever happened. */
function takeUp(): string[] {
  const troubles: string[] = [];
  const log = createEventLog({ id: "s1", folder, onTrouble: (text) => void troubles.push(text) });
  log.append({ type: "name", name: "taken up" });
  log.close();
  return troubles;
}

describe("a process that is killed with -9 while it writes", () => {
  it("loses nothing that was acknowledged, time after time", async () => {
    for (let round = 0; round < 3; round++) {
      rmSync(folder, { recursive: true, force: true });
      const run = runProgram(program, { args: [folder, "100000"] });
      await run.waitFor(`<${30 + round * 37}>`);
      run.child.kill("SIGKILL");
      const { signal, stdout } = await run.ended;
      expect(signal).toBe("SIGKILL");
      const { records, damage } = found();
      const last = acknowledged(stdout).at(-1) ?? -1;
      expect(records).toEqual(upTo(records.length));
      expect(records.length).toBeGreaterThan(last);
      expect(damage.filter((kind) => kind !== "torn-tail")).toEqual([]);
      takeUp();
      expect(found()).toEqual({ records, damage: [] });
    }
  });
});

describe("a limit on the size of files", () => {
  it("takes no more than what was beyond it: no half record stays", () => {
    const script = `trap '' XFSZ; ulimit -f 16; exec "$0" "$@"`;
    const { stdout, stderr } = spawnSync("sh", ["-c", script, process.execPath, program, folder, "60"], {
      encoding: "utf8",
    });
    expect(stdout).toContain("closed");
    expect(stderr.match(/cannot be written/g)).toHaveLength(1);
    expect(stderr).toContain("EFBIG");
    const { records, damage } = found();
    expect(damage).toEqual([]);
    expect(records).toEqual(upTo(records.length));
    expect(records.length).toBeGreaterThan(5);
    expect(takeUp()).toEqual([]);
  });
});

describe.skipIf(whyNoFaults() !== undefined)(`calls that fail ${whyNoFaults() ?? ""}`, () => {
  const count = 12;
  function run(fault: Partial<Fault>, durability = "background") {
    mkdirSync(state, { recursive: true });
    const env = { PATH: process.env.PATH, ...faultShim().environment({ folder: state, ...fault }) };
    return spawnSync(process.execPath, [program, folder, String(count), durability], { encoding: "utf8", env });
  }
  /** The names of the calls of a run in which nothing fails. */
  const trace = (durability?: string) => {
    const traceFile = join(programs, "trace");
    expect(run({ traceFile }, durability).stderr).toBe("");
    return readFileSync(traceFile, "utf8")
      .trim()
      .split("\n")
      .map((line) => line.split(" ")[1] as string);
  };
  function points(): number[] {
    const countFile = join(programs, "count");
    run({ countFile });
    removeTempFolder(state);
    return upTo(countedCalls(countFile)).map((n) => n + 1);
  }

  it("are one write for each record, and a sync at the end of a turn and of the session", () => {
    const calls = trace();
    expect(calls.filter((name) => name === "write")).toHaveLength(count + 1);
    expect(calls.filter((name) => name === "fdatasync")).toHaveLength(3);
    expect(calls.filter((name) => name === "fsync").length).toBeGreaterThanOrEqual(1);
    expect(calls.at(-1)).toBe("fdatasync");
  });

  it("are a sync behind every write when the log is strict", () => {
    const calls = trace("strict").filter((name) => name === "write" || name === "fdatasync");
    expect(calls).toEqual(upTo(count + 1).flatMap(() => ["write", "fdatasync"]));
  });

  it("once are not worth a word when the write works at the second try", () => {
    const calls = trace();
    removeTempFolder(state);
    const at = calls.lastIndexOf("write") + 1;
    expect(run({ at, kind: "half" })).toMatchObject({ stderr: "", status: 0 });
    expect(found()).toEqual({ records: upTo(count), damage: [] });
  });

  it.each(isFull ? (["EIO", "ENOSPC", "half"] as const) : (["EIO", "half"] as const))(
    "once, with %s at any of them, cost nothing",
    (kind) => {
      const all = points();
      for (const at of all) {
        const { stdout, stderr, status } = run({ at, kind });
        expect([at, status, stdout.includes("closed")]).toEqual([at, 0, true]);
        expect([at, found()]).toEqual([at, { records: upTo(count), damage: [] }]);
        // said, and taken back; what fails last of all can only be said
        const [failed, works] = [/cannot be written/g, /is written again/g].map(
          (text) => stderr.match(text)?.length ?? 0,
        );
        expect([at, failed]).toEqual([at, at === all.length ? 1 : works]);
        expect([at, works === 0 || works === 1]).toEqual([at, true]);
        removeTempFolder(state);
      }
    },
  );

  it.each(isFull ? (["EIO", "ENOSPC", "EROFS", "half"] as const) : (["ENOSPC", "half"] as const))(
    "from then on, with %s, cost only what came later",
    (kind) => {
      for (const at of points()) {
        const { stdout, stderr } = run({ at, kind, mode: "persistent" });
        expect([at, stdout.includes("closed")]).toEqual([at, true]);
        expect([at, stderr.match(/cannot be written/g)?.length]).toEqual([at, 1]);
        const { records, damage } = found();
        expect([at, records]).toEqual([at, upTo(records.length)]);
        if (kind !== "half") expect([at, damage]).toEqual([at, []]);
        takeUp();
        expect([at, found().records]).toEqual([at, records]);
        removeTempFolder(state);
      }
    },
  );

  it.each(["kill-before", "kill-half", "kill-after"] as const)(
    "and end the process (%s) lose nothing that was acknowledged",
    (kind) => {
      for (const at of points()) {
        const { signal, stdout } = run({ at, kind });
        expect([at, signal]).toEqual([at, "SIGKILL"]);
        const { records, damage } = found();
        expect([at, records]).toEqual([at, upTo(records.length)]);
        expect([at, records.length >= acknowledged(stdout).length]).toEqual([at, true]);
        expect([at, damage.filter((one) => one !== "torn-tail")]).toEqual([at, []]);
        takeUp();
        expect([at, found()]).toEqual([at, { records, damage: [] }]);
        const beside = readdirSync(folder).filter((name) => name.includes("damaged"));
        expect([at, beside.length]).toEqual([at, damage.length]);
        removeTempFolder(state);
      }
    },
  );
});
