import { execFileSync, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, watch, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, type RecordedRequest, text } from "../../src/testing/index.ts";
import { repoRoot } from "../support/repo-root.ts";
import { resultOf } from "../support/stream-events.ts";
import { contentText, lastToolText, messagesWithRole, toolTexts } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

type Hook = { matcher?: string; command: string; timeout?: number };

/** Hooks of the person's own: these need no trust. */
function setHooks(world: World, hooks: Record<string, readonly Hook[]>, more: object = {}): void {
  const events = Object.fromEntries(
    Object.entries(hooks).map(([event, list]) => [
      event,
      list.map(({ matcher, command, timeout }) => ({
        ...(matcher === undefined ? {} : { matcher }),
        hooks: [{ type: "command", command, ...(timeout === undefined ? {} : { timeout }) }],
      })),
    ]),
  );
  mkdirSync(world.state, { recursive: true });
  writeFileSync(join(world.state, "settings.json"), JSON.stringify({ hooks: events, ...more }));
}

const run = (command: string) => call("bash", { command });
const heard = (world: World, name: string) => JSON.parse(readFileSync(join(world.folder, name), "utf8"));
const hear = (world: World, name: string) => `cat > '${join(world.folder, name)}'`;
const answer = (value: object) => `echo '${JSON.stringify(value)}'`;
const decide = (permissionDecision: string, more: object = {}) =>
  answer({
    hookSpecificOutput: {
      hookEventName: "PreToolUse",
      permissionDecision,
      permissionDecisionReason: "why not",
      ...more,
    },
  });
const lastUserText = (request: RecordedRequest | undefined) => contentText(messagesWithRole(request, "user").at(-1));

describe("the first example of docs/hooks.md", () => {
  it("works as it stands", async ({ world }) => {
    const page = readFileSync(join(repoRoot, "docs/hooks.md"), "utf8");
    const [, block = ""] = /^```sh\n([\s\S]*?)^```$/m.exec(page) ?? [];
    expect(block).toContain(".corecoder/settings.json");
    world.write("try.sh", `set -e\n${block.replace(/^corecoder .*$/gm, "")}`);
    execFileSync("bash", ["try.sh"], { cwd: world.cwd, env: { PATH: process.env.PATH, HOME: world.home } });
    expect((await world.run(["trust", "--yes"])).code).toBe(0);
    const model = await world.model([run("git push origin main"), text("done")]);
    const result = await world.run(["-p", "push it"], { model });
    expect(lastToolText(model.requests[1])).toContain("Ask before you push.");
    expect([result.code, result.stderr]).toEqual([0, expect.not.stringContaining("Ignored")]);
    assertPairing(model.requests);
  });
});

describe("a PreToolUse hook", () => {
  it("is told session, transcript, folder, tool and arguments as JSON, and finds no key in its environment", async ({
    world,
  }) => {
    setHooks(world, {
      PreToolUse: [{ matcher: "bash", command: `${hear(world, "in")}; env > '${world.folder}/env'` }],
    });
    const model = await world.model([run("ls"), text("done")]);
    const result = await world.run(["-p", "look", "--output-format", "json"], { model });
    const input = heard(world, "in");
    expect(input).toMatchObject({
      session_id: resultOf(result.events).session_id,
      cwd: world.cwd,
      hook_event_name: "PreToolUse",
      permission_mode: expect.any(String),
      tool_name: "bash",
      tool_input: { command: "ls" },
    });
    expect(existsSync(input.transcript_path)).toBe(true);
    const environment = readFileSync(join(world.folder, "env"), "utf8");
    expect(environment).toContain(`CLAUDE_PROJECT_DIR=${world.cwd}`);
    expect(environment).not.toContain(world.key);
  });

  it("that ends with 2 keeps the call from running, and the model reads what it said", async ({ world }) => {
    setHooks(world, { PreToolUse: [{ matcher: "Bash", command: "echo not today >&2; exit 2" }] });
    const model = await world.model([run("echo hi > made.txt"), text("done")]);
    const result = await world.run(["-p", "go", "--output-format", "json"], { model });
    expect(lastToolText(model.requests[1])).toContain("not today");
    expect(existsSync(join(world.cwd, "made.txt"))).toBe(false);
    expect(resultOf(result.events).permission_denials).toHaveLength(1);
    assertPairing(model.requests);
  });

  it("that fails otherwise, takes too long or is not there is told to the person and blocks nothing", async ({
    world,
  }) => {
    setHooks(world, {
      PreToolUse: [
        { command: "echo broken thing >&2; exit 7" },
        { command: "sleep 30", timeout: 0.2 },
        { command: "./no-such-file" },
      ],
    });
    const model = await world.model([run("echo hi > made.txt"), text("done")]);
    const result = await world.run(["-p", "go"], { model });
    expect(existsSync(join(world.cwd, "made.txt"))).toBe(true);
    expect(result.stderr).toMatch(/exit code 7: broken thing/);
    expect(result.stderr).toMatch(/sleep 30.* was stopped after 0\.2 s/);
    expect(result.stderr).toMatch(/exit code 127/);
    expect(result.stderr).toContain(join(world.state, "settings.json"));
    expect(result.durationMs).toBeLessThan(10_000);
  });

  it("is told Claude Code's name of the tool when that is what it is set for", async ({ world }) => {
    setHooks(world, { PreToolUse: [{ matcher: "Edit|Read", command: hear(world, "in") }] });
    world.write("a.txt", "a");
    const model = await world.model([call("read_file", { file_path: "a.txt" }), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(heard(world, "in")).toMatchObject({ tool_name: "Read", tool_input: { file_path: "a.txt" } });
  });

  it("is left alone when its matcher is for another tool", async ({ world }) => {
    setHooks(world, {
      PreToolUse: [
        { matcher: "write_file", command: "exit 2" },
        { matcher: "bas", command: "exit 2" },
      ],
    });
    const model = await world.model([run("echo fine"), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(lastToolText(model.requests[1])).toContain("fine");
  });

  it("runs beside the others of its event, and one refusal is enough", async ({ world }) => {
    const meet = (mine: string, other: string) =>
      `touch '${world.folder}/${mine}'; for i in $(seq 100); do [ -e '${world.folder}/${other}' ] && exit 0; sleep 0.05; done; exit 9`;
    setHooks(world, {
      PreToolUse: [
        { command: meet("a", "b") },
        { command: meet("b", "a") },
        { command: decide("allow") },
        { command: decide("deny") },
      ],
    });
    const model = await world.model([run("touch made.txt"), text("done")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result.stderr).not.toContain("exit code 9");
    expect(lastToolText(model.requests[1])).toContain("why not");
    expect(existsSync(join(world.cwd, "made.txt"))).toBe(false);
  });

  it("that stands in the settings twice runs once", async ({ world }) => {
    const command = `echo run >> '${join(world.folder, "runs")}'`;
    setHooks(world, { PreToolUse: [{ command }, { matcher: "Bash", command }] });
    await world.run(["-p", "go"], { model: await world.model([run("ls"), text("done")]) });
    expect(readFileSync(join(world.folder, "runs"), "utf8")).toBe("run\n");
  });

  it("that allows answers a question, but no rule or judgement that refuses and no rule that asks", async ({
    world,
  }) => {
    const rules = { permissions: { deny: ["bash(touch denied)"], ask: ["bash(touch asked)"] } };
    setHooks(world, { PreToolUse: [{ command: decide("allow") }] }, rules);
    const commands = ["touch plain", "touch denied", "touch asked", "rm -rf ~"];
    const model = await world.model([...commands.map(run), text("done")]);
    await world.run(["-p", "go", "--permission-mode", "default"], { model });
    const made = ["plain", "denied", "asked"].filter((name) => existsSync(join(world.cwd, name)));
    expect(made).toEqual(["plain"]);
    expect(existsSync(world.home)).toBe(true);
    expect(toolTexts(model.requests.at(-1)).slice(1)).toEqual(
      Array(3).fill(expect.stringMatching(/^Permission denied/)),
    );
  });

  it("that asks makes a question of what would have run, which without anybody to ask is a no", async ({ world }) => {
    setHooks(world, { PreToolUse: [{ command: decide("ask") }] });
    const model = await world.model([run("ls"), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(lastToolText(model.requests[1])).toMatch(/why not.*nobody can be asked/s);
  });

  it("may change the arguments, and what it made of them is judged, run and told to the model", async ({ world }) => {
    const changed = (command: string) => decide("allow", { updatedInput: { command } });
    setHooks(world, { PreToolUse: [{ command: changed("echo changed > made.txt") }] });
    const model = await world.model([run("ls"), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(world.read("made.txt")).toBe("changed\n");
    expect(lastToolText(model.requests[1])).toContain("A hook changed the arguments");
    setHooks(world, { PreToolUse: [{ command: changed("rm -rf /") }] });
    const second = await world.model([run("ls"), text("done")]);
    await world.run(["-p", "go"], { model: second });
    expect(lastToolText(second.requests[1])).toMatch(/^Permission denied/);
    setHooks(world, { PreToolUse: [{ command: decide("allow", { updatedInput: { cmd: 1 } }) }] });
    const third = await world.model([run("ls"), text("done")]);
    await world.run(["-p", "go"], { model: third });
    expect(lastToolText(third.requests[1])).toContain("do not fit");
  });

  it("with continue: false ends the turn", async ({ world }) => {
    setHooks(world, { PreToolUse: [{ command: answer({ continue: false, stopReason: "enough for today" }) }] });
    const model = await world.model([run("touch made.txt"), text("never asked")]);
    const result = await world.run(["-p", "go"], { model });
    expect(model.requests).toHaveLength(1);
    expect(result.stderr).toContain("enough for today");
    expect(existsSync(join(world.cwd, "made.txt"))).toBe(false);
  });

  it("whose script the agent changed is not run any more, and lets nothing pass", async ({ world }) => {
    world.write("guard.sh", "exit 0\n");
    setHooks(world, { PreToolUse: [{ matcher: "bash", command: "bash guard.sh" }] });
    const model = await world.model([
      run("echo fine"),
      run(`echo 'touch "${world.folder}/pwned"' > guard.sh`),
      run("echo more"),
      text("done"),
    ]);
    await world.run(["-p", "go"], { model });
    expect(toolTexts(model.requests[1])[0]).toContain("fine");
    expect(lastToolText(model.requests[3])).toContain("guard.sh changed since this session began");
    expect(existsSync(join(world.folder, "pwned"))).toBe(false);
  });

  it("whose script the agent made is not run either", async ({ world }) => {
    setHooks(world, { PostToolUse: [{ matcher: "bash", command: "bash made.sh" }] });
    const making = run(`echo 'touch "${world.folder}/pwned"' > made.sh`);
    const model = await world.model([making, run("echo more"), text("done")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result.stderr).toContain("made.sh changed since this session began");
    expect([existsSync(join(world.cwd, "made.sh")), existsSync(join(world.folder, "pwned"))]).toEqual([true, false]);
  });
});

describe("hooks of other events", () => {
  it("PostToolUse is told the result, and the model reads what it refuses or adds", async ({ world }) => {
    setHooks(world, {
      PostToolUse: [
        { command: `${hear(world, "in")}; echo format it >&2; exit 2` },
        {
          command: answer({ hookSpecificOutput: { hookEventName: "PostToolUse", additionalContext: "42 tests left" } }),
        },
      ],
    });
    const model = await world.model([run("echo out"), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(heard(world, "in")).toMatchObject({
      tool_name: "bash",
      tool_response: { stdout: expect.stringContaining("out"), is_error: false },
    });
    expect(lastToolText(model.requests[1])).toMatch(/^out\n[\s\S]*format it[\s\S]*42 tests left/);
  });

  it("SessionStart and UserPromptSubmit add their output to the conversation", async ({ world }) => {
    setHooks(world, {
      SessionStart: [
        { matcher: "startup", command: `${hear(world, "start")}; echo The release is on Friday.` },
        { matcher: "resume", command: "echo back again" },
      ],
      UserPromptSubmit: [{ command: `${hear(world, "prompt")}; echo Branch: main` }],
    });
    const model = await world.model([text("one"), text("two")]);
    await world.run(["-p", "what now"], { model });
    const sent = messagesWithRole(model.requests[0], "user").map(contentText).join("\n");
    expect(sent).toMatch(/^what now\n[\s\S]*The release is on Friday\.[\s\S]*Branch: main/);
    expect([heard(world, "start").source, heard(world, "prompt").prompt]).toEqual(["startup", "what now"]);
    await world.run(["-c", "-p", "and now"], { model });
    expect(lastUserText(model.requests[1])).toContain("Branch: main");
    expect(JSON.stringify(model.requests[1]?.body)).toContain("back again");
  });

  it("UserPromptSubmit may refuse a prompt: nothing is sent, the person reads why", async ({ world }) => {
    setHooks(world, { UserPromptSubmit: [{ command: "echo no secrets in prompts >&2; exit 2" }] });
    const model = await world.model([text("never")]);
    const result = await world.run(["-p", "my key is x"], { model });
    expect(model.requests).toHaveLength(0);
    expect([result.code, result.stderr]).toEqual([1, expect.stringContaining("no secrets in prompts")]);
  });

  it("Stop sends the agent on with its reason, and is told when it did", async ({ world }) => {
    const once = `${hear(world, "in")}; grep -q '"stop_hook_active":true' '${world.folder}/in' && exit 0; echo run the tests first >&2; exit 2`;
    setHooks(world, { Stop: [{ command: once }] });
    const model = await world.model([text("done"), text("really done")]);
    const result = await world.run(["-p", "go"], { model });
    expect(model.requests).toHaveLength(2);
    expect(lastUserText(model.requests[1])).toContain("run the tests first");
    expect(result.stdout).toContain("really done");
  });

  it("Stop cannot send it on for ever", async ({ world }) => {
    setHooks(world, { Stop: [{ command: answer({ decision: "block", reason: "again" }) }] });
    const model = await world.model(() => text("done"));
    const result = await world.run(["-p", "go"], { model });
    expect(model.requests).toHaveLength(6);
    expect([result.code, result.stderr]).toEqual([0, expect.stringContaining("5 times")]);
  });

  it("SubagentStop is for sub-agents, which have no prompt and no session of their own", async ({ world }) => {
    const note = (name: string) => ({ command: `echo ${name} >> '${world.folder}/seen'` });
    setHooks(world, {
      SessionStart: [note("SessionStart")],
      UserPromptSubmit: [note("UserPromptSubmit")],
      PreToolUse: [{ matcher: "Task|Bash", ...note("PreToolUse") }],
      SubagentStop: [note("SubagentStop")],
      Stop: [note("Stop")],
      SessionEnd: [note("SessionEnd")],
    });
    const model = await world.model([call("agent", { task: "look" }), run("ls"), text("seen"), text("done")]);
    await world.run(["-p", "go"], { model });
    expect(readFileSync(join(world.folder, "seen"), "utf8").trim().split("\n")).toEqual([
      ...["SessionStart", "UserPromptSubmit", "PreToolUse", "PreToolUse", "SubagentStop", "Stop", "SessionEnd"],
    ]);
  });

  it("PreCompact may refuse what the model asked for, PostCompact hears of what happened", async ({ world }) => {
    const script = () => {
      let main = 0;
      return ({ body }: RecordedRequest) => {
        if (contentText(body.messages.at(-1)).includes("about to be folded")) return text("## Goal\nsummary");
        main++;
        if (main <= 12) return run(`printf 'part ${main} %08000d' 0`);
        return main === 13 ? call("compact", { focus: "ports" }) : text("done");
      };
    };
    setHooks(world, {
      PreCompact: [{ matcher: "manual", command: hear(world, "pre") }],
      PostCompact: [{ command: hear(world, "post") }],
    });
    const model = await world.model(script());
    await world.run(["-p", "go"], { model });
    expect(heard(world, "pre")).toMatchObject({
      hook_event_name: "PreCompact",
      trigger: "manual",
      custom_instructions: "ports",
    });
    expect(heard(world, "post")).toMatchObject({ trigger: "manual", pre_tokens: expect.any(Number) });
    setHooks(world, {
      PreCompact: [{ command: "echo not yet >&2; exit 2" }],
      PostCompact: [{ command: hear(world, "post2") }],
    });
    const second = await world.model(script());
    await world.run(["-p", "go"], { model: second });
    expect(JSON.stringify(second.requests.at(-1)?.body)).toContain("not yet");
    expect(existsSync(join(world.folder, "post2"))).toBe(false);
  });

  it("Notification is run when the person is asked", async ({ world }) => {
    setHooks(world, {
      Notification: [
        {
          command: `${hear(world, "note.tmp")} && mv '${world.folder}/note.tmp' '${world.folder}/note'; echo told >&2; exit 2`,
        },
      ],
    });
    const model = await world.model([run("touch x"), text("finished")]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("go");
    await terminal.waitForQuestion();
    await terminal.waitFor("told");
    terminal.press("n");
    await terminal.waitFor("finished");
    expect(heard(world, "note").message).toMatch(/permission to use bash/);
  });

  it("an interruption ends a hook with all it started", async ({ world }) => {
    setHooks(world, {
      PreToolUse: [
        { command: `sleep 1000 & echo $! > '${world.folder}/pid'; echo started > '${world.folder}/go'; wait` },
      ],
    });
    const model = await world.model([run("ls"), text("never")]);
    const cli = world.start(["-p", "go", "--output-format", "stream-json"], { model });
    await cli.waitForStdout('"tool_use"');
    await new Promise<void>((resolve) => {
      const watcher = watch(world.folder, () => existsSync(join(world.folder, "go")) && done());
      const done = () => {
        watcher.close();
        resolve();
      };
      if (existsSync(join(world.folder, "go"))) done();
    });
    cli.kill("SIGINT");
    expect((await cli.result).code).toBe(130);
    const pid = readFileSync(join(world.folder, "pid"), "utf8").trim();
    const { stdout } = spawnSync("ps", ["-o", "stat=", "-p", pid], { encoding: "utf8" });
    // one that has ended may wait for whoever inherits it
    expect(stdout.trim()).toMatch(/^(Z.*)?$/);
  });

  it("a hook that floods its output, reads nothing or leaves a process behind holds nothing up", async ({ world }) => {
    setHooks(world, {
      UserPromptSubmit: [
        { command: "yes | head -c 50000000" },
        { command: "exec 0<&-; true" },
        { command: "sleep 20 & echo left" },
      ],
    });
    const model = await world.model([text("done")]);
    const result = await world.run(["-p", "-"], { model, stdin: "x".repeat(200_000) });
    expect(result.code).toBe(0);
    expect(JSON.stringify(model.requests[0]?.body).length).toBeLessThan(300_000);
    expect(lastUserText(model.requests[0])).toContain("left");
    expect(result.durationMs).toBeLessThan(8_000);
  });
});

describe("hooks in settings that cannot be understood", () => {
  it("end with 52 and name file and place", async ({ world }) => {
    setHooks(world, { PreTool: [{ command: "true" }] });
    const result = await world.run(["-p", "go"], { model: await world.model([]) });
    expect([result.code, result.stderr]).toEqual([
      52,
      expect.stringMatching(/state\/settings\.json: "hooks" .*"PreTool"; the events are/),
    ]);
  });
});
