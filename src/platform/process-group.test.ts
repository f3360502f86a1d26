import { spawnSync } from "node:child_process";
import { afterAll, describe, expect, test } from "vitest";
import { endGroup, killAllGroups, leftRunning, spawnGroup } from "./process-group.ts";
import { carriersOf, markEnvironment, recentCarriersOf } from "./process-group-mark.ts";

const env = { PATH: "/usr/bin:/bin" };
const start = (command: string) =>
  spawnGroup({ file: "/bin/bash", args: ["-c", command], cwd: "/", env, stdio: ["ignore", "pipe", "ignore"] });
const survivors = (mark: string) => spawnSync("pgrep", ["-f", mark], { encoding: "utf8" }).stdout.trim();

afterAll(killAllGroups);

/** The first thing the command prints: what it started is running by then. */
async function ready(group: Awaited<ReturnType<typeof start>>): Promise<void> {
  await new Promise((resolve) => group.child.stdout?.once("data", resolve));
}

describe("a process group", () => {
  test("reports the exit of its leader", async () => {
    expect(await (await start("exit 5")).exited).toEqual({ code: 5, signal: null });
    expect(await (await start("kill -9 $$")).exited).toEqual({ code: null, signal: "SIGKILL" });
  });

  test("a program that does not exist rejects with the system's code", async () => {
    const group = spawnGroup({ file: "/nowhere/x", args: [], cwd: "/", env, stdio: "ignore" });
    await expect(group).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("ends with all descendants, orphans and stopped ones included", async () => {
    const mark = "62.2501";
    const group = await start(
      `(sleep ${mark} & sleep ${mark} &) ; bash -c 'kill -STOP $$; sleep ${mark}' & echo up; sleep ${mark}`,
    );
    await ready(group);
    await endGroup(group.pid, 200);
    expect(survivors(mark)).toBe("");
  });

  test("gives a program time to clean up", async () => {
    const group = await start("trap 'sleep 0.2; echo cleaned; exit 0' TERM; echo up; while :; do sleep 0.01; done");
    await ready(group);
    let printed = "";
    group.child.stdout?.on("data", (bytes) => (printed += bytes));
    await endGroup(group.pid, 2_000);
    await group.exited;
    expect(printed).toContain("cleaned");
  });

  test("what the leader leaves behind is listed, and ended on the way out, also when it ignores TERM", async () => {
    const mark = "62.2502";
    const group = await start(`(trap '' TERM; sleep ${mark}; true) & echo up`);
    await ready(group);
    await group.exited;
    const left = await leftRunning(group.pid);
    expect(left.length).toBeGreaterThan(0);
    killAllGroups();
    expect(survivors(mark)).toBe("");
    expect(await leftRunning(group.pid)).toEqual([]);
  });

  test("nothing left behind costs no waiting", async () => {
    const group = await start("true");
    await group.exited;
    const started = performance.now();
    expect(await leftRunning(group.pid)).toEqual([]);
    killAllGroups();
    expect(performance.now() - started).toBeLessThan(500);
  });
});

describe("a marked command", () => {
  const startMarked = (command: string) => {
    const marked = markEnvironment(env);
    const group = spawnGroup({
      file: "/bin/bash",
      args: ["-c", command],
      cwd: "/",
      stdio: ["ignore", "pipe", "ignore"],
      ...marked,
    });
    return group.then((started) => ({ group: started, mark: marked.mark }));
  };

  test("what left its group, its session and its parent is found, listed and ended", async () => {
    const mark = "62.2503";
    const { group, mark: own } = await startMarked(`setsid -f sleep ${mark} >/dev/null; echo up`);
    await group.exited;
    const left = await leftRunning(group.pid);
    expect(left.join("\n")).toBe(survivors(mark));
    expect(carriersOf(own)).toEqual(left);
    expect(recentCarriersOf(own, group.pid)).toEqual(left);
    killAllGroups();
    expect(survivors(mark)).toBe("");
  });

  test("is not taken for another one, nor for the program itself", async () => {
    const one = await startMarked("echo up; sleep 62.2504");
    const other = await startMarked("echo up; sleep 62.2505");
    await Promise.all([ready(one.group), ready(other.group)]);
    await endGroup(one.group.pid, 200);
    expect(survivors("62.2504")).toBe("");
    expect(survivors("62.2505")).not.toBe("");
    expect(carriersOf(other.mark)).not.toContain(process.pid);
    await endGroup(other.group.pid, 200);
  });

  test("keeps the marks of a program that it runs in", () => {
    const outer = markEnvironment(env);
    const inner = markEnvironment(outer.env);
    expect(inner.env.CORECODER_RUN).toBe(outer.mark + inner.mark);
  });
});
