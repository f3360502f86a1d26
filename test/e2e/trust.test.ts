import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const settings = ".corecoder/settings.json";

/** A project whose hook leaves a mark, through a script of the project. */
function writeTrap(world: World): () => boolean {
  const mark = join(world.folder, "ran");
  world.write("hook.sh", `touch '${mark}'\n`);
  const hooks = { SessionStart: [{ hooks: [{ type: "command", command: "bash ./hook.sh" }] }] };
  world.write(
    settings,
    JSON.stringify({ hooks, permissions: { allow: ["bash(node app.js)"], deny: ["bash(curl *)"] } }),
  );
  return () => existsSync(mark);
}

async function ask(world: World, command: string): Promise<{ told: string; stderr: string }> {
  const model = await world.model([call("bash", { command }), text("done")]);
  const args = ["-p", "go", "--sandbox", "off", "--untrusted-hooks", "ignore"];
  const { stderr } = await world.run(args, { model });
  return { told: lastToolText(model.requests[1]), stderr };
}

describe("a project that is not trusted", () => {
  it("may only tighten: its hooks and allowing rules are ignored with a line each, its deny rules hold", async ({
    world,
  }) => {
    const ran = writeTrap(world);
    const { told, stderr } = await ask(world, "node app.js");
    expect(told).toMatch(/^Permission denied/);
    expect(stderr.match(/^Ignored .*`corecoder trust`.*$/gm)).toHaveLength(2);
    expect(stderr).toContain(`Ignored hooks from ${join(world.cwd, settings)}`);
    expect((await ask(world, "curl x")).told).toContain("your rule bash(curl *) forbids it");
    expect(ran()).toBe(false);
  });

  it("with hooks ends a run in which nobody can be asked, before anything is sent", async ({ world }) => {
    const ran = writeTrap(world);
    const model = await world.model([text("done")]);
    const result = await world.run(["-p", "go"], { model });
    expect(result).toMatchObject({ code: 52, stdout: "" });
    expect(result.stderr).toMatch(/hooks in .*settings\.json were not run.*corecoder trust.*--untrusted-hooks ignore/);
    expect([ran(), model.requests]).toEqual([false, []]);
  });

  it("is not warned about when it only tightens, and nothing is asked", async ({ world }) => {
    world.write(settings, JSON.stringify({ permissions: { ask: ["bash(ls *)"] }, permissionMode: "plan" }));
    const { told, stderr } = await ask(world, "touch x");
    expect([told, stderr]).toEqual([expect.stringContaining("plan mode"), expect.not.stringMatching(/Ignored|trust/)]);
    const terminal = world.terminal([], { model: await world.model([]) });
    await terminal.waitForPrompt();
    expect(terminal.text).not.toMatch(/trust/i);
  });
});

describe("corecoder trust", () => {
  it("shows what the settings want, and with --yes what they want counts", async ({ world }) => {
    const ran = writeTrap(world);
    const shown = await world.run(["trust", "--show"]);
    expect(shown.stdout).toContain("run at SessionStart: bash ./hook.sh");
    expect(shown.stdout).toContain("allow without a question: bash(node app.js)");
    expect(shown.stdout).toMatch(/covers.*\.corecoder\/settings\.json.*hook\.sh/);
    expect((await world.run(["trust"])).code).toBe(42);
    expect((await world.run(["trust", "--yes"])).code).toBe(0);
    world.write("app.js", "console.log('app ran')");
    const { told, stderr } = await ask(world, "node app.js");
    expect([told, stderr, ran()]).toEqual([
      expect.stringContaining("app ran"),
      expect.not.stringContaining("Ignored"),
      true,
    ]);
    expect(statSync(join(world.state, "trust.json")).mode & 0o777).toBe(0o600);
  });

  it.for([
    ["a settings file", (world: World) => world.write(settings, `${world.read(settings)}\n`), settings],
    ["a script that a hook names", (world: World) => world.write("hook.sh", "true\n"), "hook.sh"],
    [
      "a second settings file",
      (world: World) => world.write(".corecoder/settings.local.json", '{"addDirs": ["/"]}'),
      "settings.local.json",
    ],
  ] as const)("ends when %s changes, which is named", async ([, change, name], { world }) => {
    const ran = writeTrap(world);
    await world.run(["trust", "--yes"]);
    change(world);
    const { told, stderr } = await ask(world, "node app.js");
    expect(told).toMatch(/^Permission denied/);
    expect(stderr).toMatch(new RegExp(`since then changed: .*${name.replaceAll(".", "\\.")}`));
    expect(ran()).toBe(false);
  });

  it("covers what an .env says about the address", async ({ world }) => {
    world.write(settings, JSON.stringify({ permissions: { allow: ["bash(node app.js)"] } }));
    world.write(".env", "CORECODER_BASE_URL=http://127.0.0.1:9/v1\n");
    await world.run(["trust", "--yes"]);
    const baseUrl = async () =>
      (await world.run(["config"], { env: { OPENAI_API_KEY: "k" } })).stdout.match(/^baseUrl.*$/m)?.[0];
    expect(await baseUrl()).toContain("127.0.0.1:9");
    world.write(".env", "CORECODER_BASE_URL=http://127.0.0.1:10/v1\n");
    expect(await baseUrl()).not.toContain("127.0.0.1");
  });

  it("--revoke takes it back", async ({ world }) => {
    const ran = writeTrap(world);
    await world.run(["trust", "--yes"]);
    expect((await world.run(["trust", "--revoke"])).stdout).toContain("not trusted any more");
    await ask(world, "ls");
    expect(ran()).toBe(false);
  });

  it("has nothing to do in a folder without such settings", async ({ world }) => {
    const result = await world.run(["trust"]);
    expect([result.code, result.stdout]).toEqual([0, expect.stringContaining("wants nothing that needs trust")]);
    expect(existsSync(join(world.state, "trust.json"))).toBe(false);
  });

  it("leaves folders listed in the person's own settings trusted, whatever changes", async ({ world }) => {
    const ran = writeTrap(world);
    mkdirSync(world.state, { recursive: true });
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ trustedFolders: ["~/project"] }));
    await ask(world, "ls");
    expect(ran()).toBe(true);
  });
});

describe("the question at the start of a conversation", () => {
  it("is asked before anything of the project runs; no means without, yes is remembered", async ({ world }) => {
    const ran = writeTrap(world);
    const model = await world.model(() => text("finished"));
    const first = world.terminal([], { model });
    expect(await first.waitForQuestion()).toContain("run at SessionStart: bash ./hook.sh");
    first.press("n");
    await first.waitForPrompt();
    expect([ran(), existsSync(join(world.state, "trust.json"))]).toEqual([false, false]);
    const second = world.terminal([], { model });
    await second.waitForQuestion();
    second.press("y");
    await second.waitForPrompt();
    second.type("go");
    await second.waitFor("finished");
    expect(ran()).toBe(true);
    const third = world.terminal([], { model });
    await third.waitForPrompt();
    expect(third.text).not.toMatch(/trust/i);
    world.write("hook.sh", "true # new\n");
    const fourth = world.terminal([], { model });
    expect(await fourth.waitForQuestion()).toMatch(/Changed since it was trusted: hook\.sh/);
    fourth.press("\r");
    await fourth.waitForPrompt();
  });

  it("shows control characters of a hostile command", async ({ world }) => {
    const command = "echo safe\u001b[2K\r\u202Eevil";
    world.write(settings, JSON.stringify({ hooks: { Stop: [{ hooks: [{ type: "command", command }] }] } }));
    const terminal = world.terminal([], { model: await world.model([]) });
    const shown = await terminal.waitForQuestion();
    expect(shown).toContain("echo safe<U+001B>[2K<U+000D><U+202E>evil");
    terminal.press("n");
    await terminal.waitForPrompt();
  });
});

describe("a rule whose examples are not as it says", () => {
  it("ends with 52 and names file, rule and example, also of a project", async ({ world }) => {
    const rule = { rule: "bash(git push *)", match: ["git push", "git pull"] };
    const path = world.write(settings, JSON.stringify({ permissions: { deny: [rule] } }));
    const result = await world.run(["-p", "go"], { model: await world.model([]) });
    expect(result.code).toBe(52);
    expect(result.stderr).toContain(`${path}: the deny rule "bash(git push *)" does not cover its example "git pull"`);
    const explained = await world.run(["permissions", "explain"], { stdin: '"ls"\n' });
    expect(explained.code).toBe(52);
  });

  it("or is, holds for permissions explain as well", async ({ world }) => {
    mkdirSync(world.state, { recursive: true });
    const permissions = { allow: ["Bash(npm run test:*)"], ask: ["bash(ls *)"], deny: ["bash(git push *)"] };
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ permissions }));
    const { stdout } = await world.run(["permissions", "explain"], {
      stdin: '"npm run test -- -u"\n"ls"\n"git push"\n',
    });
    const decisions = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line).decision);
    expect(decisions).toEqual(["allow", "ask", "deny"]);
  });
});

describe("/permissions", () => {
  it("shows the rules of all files with where they stand", async ({ world }) => {
    world.write(settings, JSON.stringify({ permissions: { ask: ["bash(ls *)"], deny: ["bash(git push *)"] } }));
    const terminal = world.terminal([], { model: await world.model([]) });
    await terminal.waitForPrompt();
    terminal.type("/permissions");
    const shown = await terminal.waitFor(/git push .*\n/);
    expect(shown).toMatch(/Asked:\s+bash\(ls \*\) {2}\(\.corecoder\/settings\.json\)/);
    expect(shown).toMatch(/Refused:\s+bash\(git push \*\) {2}\(\.corecoder\/settings\.json\)/);
  });
});

describe("corecoder config import", () => {
  const claude = {
    model: "opus",
    permissions: {
      allow: ["Bash(npm run test:*)", "Edit(src/**)", "WebFetch(domain:x.org)", "mcp__files"],
      deny: ["Read(./.env)", "Bash(git push*)"],
      defaultMode: "acceptEdits",
    },
    hooks: {
      PreToolUse: [
        {
          matcher: "Bash",
          hooks: [
            { type: "command", command: "echo stop >&2; exit 2", statusMessage: "x" },
            { type: "prompt", prompt: "y" },
          ],
        },
      ],
      PermissionRequest: [{ hooks: [{ type: "command", command: "true" }] }],
    },
  };

  it("shows what it takes and what not, and writes only when told, next to what is there", async ({ world }) => {
    const source = world.write(".claude/settings.json", JSON.stringify(claude));
    world.write(settings, JSON.stringify({ maxRounds: 7, permissions: { deny: ["bash(curl *)"] } }));
    const before = readFileSync(source, "utf8");
    const shown = await world.run(["config", "import"]);
    expect(shown.stdout).toContain("allow Bash(npm run test:*) → bash(npm run test *)");
    for (const left of [
      "WebFetch(domain:x.org)",
      "Bash(git push*)",
      "permissions.defaultMode",
      "hooks.PermissionRequest",
      "model:",
    ])
      expect(shown.stdout.split("left out:")[1]).toContain(left);
    expect(JSON.parse(world.read(settings))).toEqual({ maxRounds: 7, permissions: { deny: ["bash(curl *)"] } });
    const written = await world.run(["config", "import", "--yes"]);
    expect([written.code, written.stdout]).toEqual([0, expect.stringContaining("corecoder trust")]);
    const imported = {
      maxRounds: 7,
      permissions: {
        allow: ["bash(npm run test *)", "edit_file(src/**)", "write_file(src/**)", "mcp__files__*"],
        deny: ["bash(curl *)", "read_file(.env)", "grep(.env)", "glob(.env)"],
      },
      hooks: { PreToolUse: [{ matcher: "Bash", hooks: [{ type: "command", command: "echo stop >&2; exit 2" }] }] },
    };
    expect(JSON.parse(world.read(settings))).toEqual(imported);
    expect(readFileSync(source, "utf8")).toBe(before);
    const again = await world.run(["config", "import", "--yes"]);
    expect([again.stdout, JSON.parse(world.read(settings))]).toEqual([
      expect.stringContaining("Nothing is to be written"),
      imported,
    ]);
    await world.run(["trust", "--yes"]);
    expect((await ask(world, "ls")).told).toContain("stop");
  });

  it("takes the person's own and a named file where they belong", async ({ world }) => {
    mkdirSync(join(world.home, ".claude"));
    writeFileSync(
      join(world.home, ".claude/settings.json"),
      JSON.stringify({ permissions: { ask: ["Bash(git push:*)"] } }),
    );
    world.write("old.local.json", JSON.stringify({ permissions: { deny: ["Bash(rm:*)"] } }));
    await world.run(["config", "import", "--yes"]);
    expect(JSON.parse(readFileSync(join(world.state, "settings.json"), "utf8"))).toEqual({
      permissions: { ask: ["bash(git push *)"] },
    });
    await world.run(["config", "import", "old.local.json", "--yes"]);
    expect(JSON.parse(world.read(".corecoder/settings.local.json"))).toEqual({ permissions: { deny: ["bash(rm *)"] } });
  });

  it("says what is wrong when there is nothing, or it is broken", async ({ world }) => {
    expect(await world.run(["config", "import"])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("nothing to import"),
    });
    expect(await world.run(["config", "import", "x.json"])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("x.json"),
    });
    world.write(".claude/settings.json", "{ secret");
    const broken = await world.run(["config", "import", "--yes"]);
    expect([broken.code, broken.stderr]).toEqual([52, expect.stringContaining(".claude/settings.json")]);
  });

  it("asks in a terminal", async ({ world }) => {
    world.write(".claude/settings.json", JSON.stringify(claude));
    const terminal = world.terminal(["config", "import"]);
    await terminal.waitForQuestion();
    terminal.press("y");
    await terminal.waitFor("Wrote");
    expect(await terminal.exit).toBe(0);
    expect(existsSync(join(world.cwd, settings))).toBe(true);
  });
});
