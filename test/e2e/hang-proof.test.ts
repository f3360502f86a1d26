import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

/** A length of sleep that no other process on the machine has. */
const uniqueSeconds = () => `9${Math.floor(Math.random() * 90 + 10)}.${process.pid}${Math.floor(Math.random() * 1e6)}`;

function running(marker: string): string[] {
  const lines = execFileSync("ps", ["-eo", "pid,args"], { encoding: "utf8" }).split("\n");
  return lines.filter((line) => line.includes(marker) && !/ps -eo| node /.test(line));
}

async function until(condition: () => boolean, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("the condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function told(world: World, input: Record<string, unknown>): Promise<string> {
  const model = await world.model([call("bash", input), text("ok")]);
  const result = await world.run(["-p", "go", "--dangerously-skip-permissions"], { model, timeoutMs: 40_000 });
  expect(result).toMatchObject({ code: 0, stdout: "ok\n" });
  return lastToolText(model.requests[1]);
}

/** Everything that carries the variable of commands run from this folder. */
function leftIn(world: World): string[] {
  return execFileSync("ps", ["-eo", "pid="], { encoding: "utf8" })
    .split("\n")
    .filter((pid) => {
      try {
        const environment = readFileSync(`/proc/${pid.trim()}/environ`, "utf8");
        return environment.includes("CORECODER_RUN=") && environment.includes(world.folder);
      } catch {
        return false;
      }
    });
}

const quickMs = 12_000;

describe.concurrent("a command that would hang", () => {
  it.for([
    ["cat", {}],
    ["python3 -c 'input()'", {}],
    ["npm init", {}],
    ["git init -q . && git -c user.name=a -c user.email=a@b commit -q --allow-empty -m a && git rebase -i --root", {}],
    ["GIT_EDITOR=vim git commit --allow-empty || vim", {}],
    ["vim", {}],
    ["ssh nowhere.invalid", {}],
    ["sleep SECONDS &", {}],
    ["setsid sleep SECONDS", { timeout: 1 }],
    ["setsid -f sleep SECONDS", {}],
    ["(setsid sh -c 'sleep SECONDS & sleep SECONDS' >/dev/null 2>&1 &)", {}],
    ["nohup sleep SECONDS >/dev/null 2>&1 & disown", {}],
    ["yes | head -c 10G", { timeout: 2 }],
  ] as const)(
    "%s comes back soon, and nothing outlives the program",
    { timeout: 45_000 },
    async ([command, more], { world }) => {
      const seconds = uniqueSeconds();
      const startedAt = performance.now();
      const answer = await told(world, { command: command.replaceAll("SECONDS", seconds), ...more });
      expect(performance.now() - startedAt).toBeLessThan(quickMs);
      expect(answer).not.toBe("");
      expect(running(seconds)).toEqual([]);
      expect(leftIn(world)).toEqual([]);
    },
  );

  it("in an editor is told as waiting for input", { timeout: 45_000 }, async ({ world }) => {
    expect(await told(world, { command: "vim", timeout: 100 })).toMatch(/waits for input/);
  });
});

describe.concurrent("kill -9 of the program", () => {
  it.for([
    ["a child and a grandchild", "sleep SECONDS & sleep SECONDS"],
    ["a child with a session of its own", "setsid sleep SECONDS & sleep SECONDS"],
    ["a daemon that gave its output away", "setsid -f sleep SECONDS >/dev/null 2>&1; sleep SECONDS"],
    ["one that ignores TERM", "trap '' TERM; bash -c \"trap '' TERM; sleep SECONDS; sleep SECONDS\""],
    ["one with an empty environment", "env -i sleep SECONDS"],
  ] as const)("leaves no process behind: %s", async ([, command], { world }) => {
    const seconds = uniqueSeconds();
    const model = await world.model([call("bash", { command: command.replaceAll("SECONDS", seconds) }), text("never")]);
    const cli = world.start(["-p", "go", "--dangerously-skip-permissions"], { model });
    await until(() => running(`sleep ${seconds}`).length > 0, 8_000);
    process.kill(cli.pid, "SIGKILL");
    await cli.result;
    await until(() => running(seconds).length === 0, 4_000);
    expect(leftIn(world)).toEqual([]);
  });

  it("leaves nothing of its own behind either", async ({ world }) => {
    const seconds = uniqueSeconds();
    const model = await world.model([call("bash", { command: `sleep ${seconds}` }), text("never")]);
    const cli = world.start(["-p", "go", "--dangerously-skip-permissions"], { model });
    await until(() => running(`sleep ${seconds}`).length > 0, 8_000);
    process.kill(cli.pid, "SIGKILL");
    await cli.result;
    await until(() => running(`sh ${cli.pid}-`).length === 0, 4_000);
  });
});
