import { spawnSync } from "node:child_process";
import { readFileSync, watch } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { type PipedCommand, runPiped } from "./piped-command.ts";
import { killAllGroups } from "./process-group.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => {
  killAllGroups();
  removeTempFolder(folder);
});

const run = (command: string, more: Partial<PipedCommand> = {}) =>
  runPiped({
    command,
    cwd: folder,
    env: { PATH: process.env.PATH ?? "" },
    stdin: "",
    timeoutMs: 20_000,
    signal: new AbortController().signal,
    limitBytes: 1000,
    leftovers: "kept",
    ...more,
  });

function isAlive(pid: string): boolean {
  const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid.trim()], { encoding: "utf8" });
  return stdout.trim() !== "" && !stdout.trim().startsWith("Z");
}

describe("a piped command", () => {
  it("is told its input, and its outputs come back apart", async () => {
    const result = await run("cat; echo bad >&2; exit 3", { stdin: "told" });
    expect(result).toEqual({ code: 3, signal: null, ending: "exited", stdout: "told", stderr: "bad\n", isCut: false });
  });

  it("sees only the environment it is given", async () => {
    expect((await run("env")).stdout).not.toContain("HOME=");
  });

  it("that does not read a long input is no problem", async () => {
    expect(await run("exec 0<&-; echo fine", { stdin: "x".repeat(5_000_000) })).toMatchObject({
      code: 0,
      stdout: "fine\n",
    });
  });

  it("that writes without end is kept to the limit, and said to be cut", async () => {
    const { stdout, isCut, code } = await run("yes | head -c 3000000");
    expect([stdout.length, isCut, code]).toEqual([1000, true, 0]);
  });

  it("is ended with all it started when its time is up", async () => {
    const result = await run("sleep 1000 & echo $! > pid; wait", { timeoutMs: 300 });
    expect(result.ending).toBe("timed-out");
    expect(isAlive(readFileSync(join(folder, "pid"), "utf8"))).toBe(false);
  });

  it("is ended with all it started when it is interrupted, also before it began", async () => {
    const stop = new AbortController();
    const watcher = watch(folder, (_event, name) => name === "go" && stop.abort());
    const result = await run("sleep 1000 & echo $! > pid; touch go; wait", { signal: stop.signal });
    watcher.close();
    expect(result.ending).toBe("interrupted");
    expect(isAlive(readFileSync(join(folder, "pid"), "utf8"))).toBe(false);
    expect((await run("sleep 1000", { signal: stop.signal })).ending).toBe("interrupted");
  });

  it("is over when it ends, whoever it leaves behind; that may go on or ends with it", async () => {
    const left = "sleep 1000 & echo $! > pid; echo out";
    expect(await run(left)).toMatchObject({ ending: "exited", stdout: "out\n" });
    expect(isAlive(readFileSync(join(folder, "pid"), "utf8"))).toBe(true);
    await run(left, { leftovers: "ended" });
    expect(isAlive(readFileSync(join(folder, "pid"), "utf8"))).toBe(false);
  });
});
