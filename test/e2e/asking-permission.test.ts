import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, type RecordedRequest, text } from "../../src/testing/index.ts";
import type { Terminal } from "../support/pty.ts";
import { resultOf } from "../support/stream-events.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const touch = (file: string) => call("bash", { command: `touch ${file}` });

/** A model that runs the command named in each prompt, then says "finished". */
function obedient({ body }: RecordedRequest) {
  const last = body.messages.at(-1)!;
  return last.role === "user" ? call("bash", { command: String(last.content).trim() }) : text("finished");
}

async function open(world: World): Promise<{ terminal: Terminal; model: Awaited<ReturnType<World["model"]>> }> {
  const model = await world.model(obedient);
  const terminal = world.terminal([], { model });
  await terminal.waitForPrompt();
  return { terminal, model };
}

/** Sends a prompt that leads to a question about the command, and waits for it. */
async function untilAsked(terminal: Terminal, command: string): Promise<void> {
  terminal.type(command);
  await terminal.waitForQuestion();
}

describe("a question in the terminal", () => {
  it("answered n leaves the command undone, tells the model, and the conversation goes on", async ({ world }) => {
    const { terminal, model } = await open(world);
    await untilAsked(terminal, "touch y");
    terminal.press("n");
    await terminal.waitFor("finished");
    expect(existsSync(join(world.cwd, "y"))).toBe(false);
    expect(lastToolText(model.requests[1])).toMatch(/denied|declined|refused|not allowed|said no/i);
    assertPairing(model.requests);
  });

  it("answered y runs the command once, and the next one is asked again", async ({ world }) => {
    const { terminal } = await open(world);
    await untilAsked(terminal, "touch y");
    terminal.press("y");
    await terminal.waitFor("finished");
    await terminal.waitForPrompt();
    expect(existsSync(join(world.cwd, "y"))).toBe(true);
    await untilAsked(terminal, "touch y");
    terminal.press("n");
    await terminal.waitFor("finished");
  });

  it("takes the key with Enter as well", async ({ world }) => {
    const { terminal } = await open(world);
    await untilAsked(terminal, "touch y");
    terminal.press("y\r");
    await terminal.waitFor("finished");
    expect(existsSync(join(world.cwd, "y"))).toBe(true);
    await terminal.waitForPrompt();
  });

  it("means no when only Enter or Esc is pressed", async ({ world }) => {
    const { terminal } = await open(world);
    for (const key of ["\r", "\u001b"]) {
      await untilAsked(terminal, "touch y");
      terminal.press(key);
      await terminal.waitFor("finished");
      await terminal.waitForPrompt();
      expect(existsSync(join(world.cwd, "y"))).toBe(false);
    }
  });

  it("answered s is not asked again in this session, but in the next one", async ({ world }) => {
    const first = await open(world);
    await untilAsked(first.terminal, "touch y");
    first.terminal.press("s");
    await first.terminal.waitFor("finished");
    await first.terminal.waitForPrompt();
    first.terminal.type("touch y");
    await first.terminal.waitFor("finished");
    expect(first.model.requests).toHaveLength(4);
    const second = await open(world);
    await untilAsked(second.terminal, "touch y");
  });

  it("answered a is never asked again in this project, also not by the next session", async ({ world }) => {
    const first = await open(world);
    await untilAsked(first.terminal, "touch y");
    first.terminal.press("a");
    await first.terminal.waitFor("finished");
    await first.terminal.waitForPrompt();
    first.terminal.type("touch y");
    await first.terminal.waitFor("finished");
    const second = await open(world);
    second.terminal.type("touch y");
    await second.terminal.waitFor("finished");
    expect(second.model.requests).toHaveLength(2);
  });

  it("is not asked about commands that only read", async ({ world }) => {
    const { terminal, model } = await open(world);
    terminal.type("ls -la");
    await terminal.waitFor("finished");
    expect(lastToolText(model.requests[1])).not.toMatch(/denied/i);
  });

  it("shows the whole command, with its control characters made visible", async ({ world }) => {
    const model = await world.model([
      call("bash", { command: "touch y #\u001b[2K\u001b[1A harmless" }),
      text("finished"),
    ]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("go");
    await terminal.waitForQuestion();
    expect(terminal.raw).not.toContain("\u001b[2K\u001b[1A harmless");
    expect(terminal.text).toContain("touch y");
    terminal.press("n");
    await terminal.waitFor("finished");
  });
});

describe("where nobody can be asked", () => {
  it("a question is a denial, and the run does not hang", async ({ world }) => {
    const model = await world.model([touch("y"), text("ok")]);
    const args = ["-p", "go", "--output-format", "stream-json", "--permission-mode", "default"];
    const result = await world.run(args, { model, timeoutMs: 5000 });
    expect(result.code).toBe(0);
    expect(existsSync(join(world.cwd, "y"))).toBe(false);
    expect(lastToolText(model.requests[1])).toMatch(/denied|permission|not allowed/i);
    expect(resultOf(result.events).permission_denials).toEqual([
      { tool_name: "bash", tool_use_id: "call_1_1", tool_input: { command: "touch y" } },
    ]);
  });

  it("without a sandbox a command that plainly edits in the folder runs, one that cannot be seen through does not", async ({
    world,
  }) => {
    const model = await world.model([
      touch("y"),
      call("bash", { command: "python3 -c \"open('z', 'w')\"" }),
      text("ok"),
    ]);
    await world.run(["-p", "go", "--sandbox", "off"], { model });
    expect([existsSync(join(world.cwd, "y")), existsSync(join(world.cwd, "z"))]).toEqual([true, false]);
  });

  it("edits inside the folder are accepted by default, and denied in mode default", async ({ world }) => {
    const write = call("write_file", { file_path: "new.txt", content: "x" });
    const model = await world.model([write, text("ok"), write, text("ok")]);
    await world.run(["-p", "go", "--permission-mode", "default"], { model });
    expect(existsSync(join(world.cwd, "new.txt"))).toBe(false);
    await world.run(["-p", "go"], { model });
    expect(world.read("new.txt")).toBe("x");
  });

  it("mode plan changes nothing", async ({ world }) => {
    const model = await world.model([
      call("write_file", { file_path: "new.txt", content: "x" }),
      touch("y"),
      text("ok"),
    ]);
    await world.run(["-p", "go", "--permission-mode", "plan"], { model });
    expect(existsSync(join(world.cwd, "new.txt"))).toBe(false);
    expect(existsSync(join(world.cwd, "y"))).toBe(false);
  });

  it("a rule in --allowed-tools lets its command through and no other", async ({ world }) => {
    const model = await world.model([
      touch("y"),
      call("bash", { command: "touch y; touch z" }),
      touch("z"),
      text("ok"),
    ]);
    await world.run(["-p", "go", "--permission-mode", "default", "--allowed-tools", "bash(touch y)"], { model });
    expect([existsSync(join(world.cwd, "y")), existsSync(join(world.cwd, "z"))]).toEqual([true, false]);
  });

  it("a rule in --disallowed-tools wins over everything", async ({ world }) => {
    const model = await world.model([touch("y"), text("ok")]);
    await world.run(["-p", "go", "--dangerously-skip-permissions", "--disallowed-tools", "bash(touch *)"], { model });
    expect(existsSync(join(world.cwd, "y"))).toBe(false);
  });
});
