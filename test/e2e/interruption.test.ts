import { execFileSync } from "node:child_process";
import { describe, expect } from "vitest";
import { assertPairing, call, calls, fault, forever, stall, text } from "../../src/testing/index.ts";
import { blocksOf, resultOf, resultText } from "../support/stream-events.ts";
import { it, type World } from "../support/world.ts";

/** A length of sleep that no other process on the machine has. */
function uniqueSeconds(): string {
  return `3${Math.floor(Math.random() * 9)}.${process.pid}${Math.floor(Math.random() * 1e6)}`;
}

function isRunning(marker: string): boolean {
  return execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })
    .split("\n")
    .some((line) => line.includes(marker) && !line.includes("ps -eo"));
}

async function until(condition: () => boolean, limitMs = 3000): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("the condition did not come true in time");
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

async function interrupted(world: World, signal: "SIGINT" | "SIGTERM", args: readonly string[]) {
  const seconds = uniqueSeconds();
  const command = `echo started; sleep ${seconds} & sleep ${seconds}`;
  const model = await world.model([
    calls([call("bash", { command: "echo quick" }, { id: "quick" }), call("bash", { command }, { id: "slow" })]),
    text("never"),
  ]);
  const running = world.start(["-p", "go", "--dangerously-skip-permissions", ...args], { model });
  await until(() => isRunning(`sleep ${seconds}`), 8000);
  const at = performance.now();
  running.kill(signal);
  const result = await running.result;
  return { result, seconds, model, tookMs: performance.now() - at };
}

describe("a signal during a tool call", () => {
  it.for([
    ["SIGINT", 130],
    ["SIGTERM", 143],
  ] as const)(
    "%s ends everything within a second, with exit %i and no child left",
    async ([signal, code], { world }) => {
      const { result, seconds, model, tookMs } = await interrupted(world, signal, []);
      expect(result.code).toBe(code);
      expect(tookMs).toBeLessThan(1200);
      await until(() => !isRunning(`sleep ${seconds}`));
      expect(model.requests).toHaveLength(1);
    },
  );

  it.for(["SIGINT", "SIGTERM"] as const)(
    "%s still ends the machine output with a result",
    async (signal, { world }) => {
      const { result } = await interrupted(world, signal, ["--output-format", "stream-json"]);
      expect(resultOf(result.events)).toMatchObject({ subtype: "error_during_execution", is_error: true });
      const answers = blocksOf(result.events, "tool_result");
      expect(answers.map((block) => block.tool_use_id)).toEqual(["quick", "slow"]);
      expect(resultText(answers[1]!)).toMatch(/interrupt/i);
    },
  );

  it.for(["SIGINT", "SIGTERM"] as const)("%s gives one JSON object in json mode", async (signal, { world }) => {
    const { result } = await interrupted(world, signal, ["--output-format", "json"]);
    expect(JSON.parse(result.stdout)).toMatchObject({ type: "result", is_error: true });
  });
});

describe("a signal while the model is silent", () => {
  it("ends the machine output with a result", async ({ world }) => {
    const model = await world.model([stall()]);
    const running = world.start(["-p", "go", "--output-format", "stream-json"], { model });
    await model.waitForRequest(1);
    running.kill("SIGTERM");
    const result = await running.result;
    expect(result.code).toBe(143);
    expect(resultOf(result.events).is_error).toBe(true);
  });
});

describe("a signal in other moments", () => {
  it("ends the wait before a retry", async ({ world }) => {
    const model = await world.model([forever(fault(429, undefined, { "retry-after": "60" }))]);
    const running = world.start(["-p", "go", "--output-format", "stream-json"], { model });
    await running.waitForStdout("api_retry");
    const at = performance.now();
    running.kill("SIGINT");
    const result = await running.result;
    expect(result.code).toBe(130);
    expect(performance.now() - at).toBeLessThan(1000);
    expect(resultOf(result.events).is_error).toBe(true);
  });

  it("ends a sub-agent and its command too", async ({ world }) => {
    const seconds = uniqueSeconds();
    const model = await world.model([call("agent", { task: "wait" }), call("bash", { command: `sleep ${seconds}` })]);
    const running = world.start(["-p", "go"], { model });
    await until(() => isRunning(`sleep ${seconds}`), 8000);
    running.kill("SIGTERM");
    expect((await running.result).code).toBe(143);
    await until(() => !isRunning(`sleep ${seconds}`));
  });
});

describe("Ctrl-C in the terminal", () => {
  it("during a tool call brings the prompt back, and the next prompt continues a valid conversation", async ({
    world,
  }) => {
    const seconds = uniqueSeconds();
    const model = await world.model([
      calls([call("bash", { command: "echo quick" }), call("bash", { command: `sleep ${seconds}` })]),
      text("I am back."),
    ]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("run something slow");
    await until(() => isRunning(`sleep ${seconds}`), 8000);
    const at = performance.now();
    terminal.press("\u0003");
    await terminal.waitFor(/interrupt/i);
    await terminal.waitForPrompt();
    expect(performance.now() - at).toBeLessThan(2000);
    expect(isRunning(`sleep ${seconds}`)).toBe(false);
    terminal.type("are you there?");
    await terminal.waitFor("I am back.");
    assertPairing(model.requests);
    const answers = model.requests[1]!.body.messages.filter((message) => message.role === "tool");
    expect(JSON.stringify(answers[0])).toContain("quick");
    expect(JSON.stringify(answers[1])).toMatch(/interrupt/i);
  });

  it("while the model is talking brings the prompt back and keeps what was said", async ({ world }) => {
    const model = await world.model([
      text("slow words that take their time ".repeat(20), { gapMs: 100 }),
      text("fresh answer"),
    ]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("talk");
    await terminal.waitFor("slow words that");
    terminal.press("\u0003");
    await terminal.waitForPrompt();
    terminal.type("again");
    await terminal.waitFor("fresh answer");
    const roles = model.requests[1]!.body.messages.map((message) => message.role);
    expect(roles.slice(0, 3)).toEqual(["system", "user", "assistant"]);
    expect(roles.at(-1)).toBe("user");
  });
});
