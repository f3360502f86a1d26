import { mkdirSync, rmSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { answered, called, finished, noon, said, saveLog, used } from "../support/saved-logs.ts";
import { prompt } from "../support/session-entries.ts";
import { it, type World } from "../support/world.ts";

/** Runs a prompt for real; answers with the id of its session. */
async function ask(world: World, words: string, cwd = world.cwd): Promise<string> {
  const model = await world.model([call("bash", { command: "echo tool-output-51" }), text("the answer to it")]);
  const { code } = await world.run(["-p", words, "--dangerously-skip-permissions"], { model, cwd });
  expect(code).toBe(0);
  const { stdout } = await world.run(["sessions", "list", "--all", "--json"]);
  const listed = JSON.parse(stdout) as { id: string; title: string }[];
  return listed.find(({ title }) => title === words)?.id ?? "";
}

describe("corecoder sessions list", () => {
  it("shows this folder's sessions, newest first, and those of all folders when asked", async ({ world }) => {
    const other = join(world.home, "other");
    mkdirSync(other);
    const first = await ask(world, "the first question");
    const second = await ask(world, "the second question");
    const elsewhere = await ask(world, "a question elsewhere", other);
    const { code, stdout, stderr } = await world.run(["sessions", "list"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toMatch(
      new RegExp(`^id .*title\\n${second} .*finished.*the second question\\n${first} .*the first question\\n$`),
    );
    const all = await world.run(["sessions", "list", "--all"]);
    expect(all.stdout).toContain(elsewhere);
    expect(all.stdout).toContain("~/other\n");
    expect(all.stdout).toContain("~/project\n");
    expect((await world.run(["sessions", "list"], { cwd: other })).stdout).not.toContain(first);
    expect((await world.run(["sessions"])).stdout).toBe(stdout);
  });

  it("gives the same to machines, with everything that is known", async ({ world }) => {
    const id = await ask(world, "count for me");
    const { code, stdout } = await world.run(["sessions", "list", "--json"]);
    expect(code).toBe(0);
    const [session, ...more] = JSON.parse(stdout);
    expect(more).toEqual([]);
    expect(session).toMatchObject({
      ...{ id, cwd: world.cwd, title: "count for me", name: null, state: "finished", turns: 1, calls: 2, toolCalls: 1 },
      ...{
        forkedFrom: null,
        damagedPlaces: 0,
        models: [expect.any(String)],
        costUsd: expect.toBeOneOf([null, expect.any(Number)]),
      },
      ...{
        startedAt: expect.stringMatching(/^\d{4}-.*Z$/),
        endedAt: expect.stringMatching(/Z$/),
        path: expect.stringContaining(id),
      },
    });
    expect(session.logBytes).toBe(statSync(session.path).size);
    expect(session.usage).toMatchObject({ inputTokens: expect.any(Number), cacheReadTokens: expect.any(Number) });
  });

  it("says so when there is nothing, and needs neither key nor state folder", async ({ world }) => {
    const here = await world.run(["sessions", "list"]);
    expect(here).toMatchObject({ code: 0, stdout: "" });
    expect(here.stderr).toContain("sessions list --all");
    expect(await world.run(["sessions", "list", "--json"])).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(await world.run(["sessions", "search", "word"])).toMatchObject({ code: 0, stdout: "" });
    expect(() => statSync(join(world.state, "sessions"))).toThrow();
  });

  it("shows a session as open while a process works on it, and as interrupted when that was killed", async ({
    world,
  }) => {
    const model = await world.model([call("bash", { command: "sleep 20" })]);
    const running = world.start(["-p", "a long job", "--dangerously-skip-permissions"], { model });
    await model.waitForRequest(1);
    const state = async () => JSON.parse((await world.run(["sessions", "list", "--json"])).stdout)[0]?.state;
    await expect.poll(state, { timeout: 5_000 }).toBe("open");
    running.kill("SIGKILL");
    await running.result;
    expect(await state()).toBe("interrupted");
  });

  it("lists what cannot be read as damaged instead of failing", async ({ world }) => {
    const id = await ask(world, "a good one");
    const [{ path }] = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout);
    const folder = path.slice(0, path.lastIndexOf("/"));
    writeFileSync(join(folder, "empty.jsonl"), "");
    writeFileSync(join(folder, "list.jsonl"), "[]");
    writeFileSync(join(folder, "noise.jsonl"), Buffer.alloc(100_000, 0xff));
    writeFileSync(
      join(folder, "later.jsonl"),
      '{"seq":0,"time":1,"type":"session","version":99,"id":"later","cwd":"/","model":"m","program":"corecoder 99.0.0"}\n',
    );
    mkdirSync(join(folder, "folder.jsonl"));
    const loop = join(world.state, "sessions", "loop");
    symlinkSync(loop, loop);
    const { code, stdout, stderr } = await world.run(["sessions", "list"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: `${loop} cannot be read. Check its permissions.\n` });
    for (const name of ["empty", "list", "noise", "later"])
      expect(stdout).toMatch(new RegExp(`^${name} .*damaged`, "m"));
    expect(stdout).toMatch(/^later .*later version of corecoder/m);
    expect(stdout).toMatch(new RegExp(`^${id} .*finished`, "m"));
  });

  it("reads a log of the first version", async ({ world }) => {
    const id = await ask(world, "to find the folder");
    const [{ path }] = JSON.parse((await world.run(["sessions", "list", "--json"])).stdout);
    const lines = [
      {
        seq: 0,
        time: noon,
        type: "session",
        version: 1,
        id: "old",
        cwd: world.cwd,
        model: "m",
        program: "corecoder 0.1.0",
      },
      {
        seq: 1,
        time: noon + 1,
        type: "message",
        message: { id: "m1", role: "user", parts: [{ type: "text", text: "asked long ago" }] },
      },
    ];
    writeFileSync(path.replace(id, "old"), lines.map((line) => `${JSON.stringify(line)}\n`).join(""));
    expect((await world.run(["sessions", "list"])).stdout).toMatch(/^old .*interrupted.*asked long ago/m);
    expect((await world.run(["sessions", "search", "long ago"])).stdout).toContain("old");
    expect((await world.run(["sessions", "show", "old"])).stdout).toContain("> asked long ago");
  });
});

describe("corecoder sessions search", () => {
  it("finds words in prompts, answers and outputs of all folders, and shows where", async ({ world }) => {
    const other = join(world.home, "other");
    mkdirSync(other);
    const id = await ask(world, "why does the flux capacitor hum", other);
    await ask(world, "an unrelated question");
    const found = await world.run(["sessions", "search", "flux capac"]);
    expect(found).toMatchObject({ code: 0, stderr: "" });
    expect(found.stdout).toContain(`${id}  `);
    expect(found.stdout).toContain("~/other");
    expect(found.stdout).toContain("  you: why does the «flux» «capac»itor hum\n");
    expect(found.stdout).not.toContain("unrelated");
    const both = await world.run(["sessions", "search", "tool-output-51", "--json"]);
    const answer = JSON.parse(both.stdout);
    expect(answer).toMatchObject({ query: "tool-output-51", hasMore: false, found: { length: 2 } });
    const roles = answer.found[0].hits.map(({ role, tool }: { role: string; tool: string }) => `${role} ${tool}`);
    expect(roles).toContain("tool bash");
    const { snippet, marks } = answer.found[0].hits[0];
    expect(snippet.slice(marks[0].start, marks[0].end)).toBe("tool-output-51");
  });

  it("takes phrases in quotes as they stand, and says when nothing was found", async ({ world }) => {
    await ask(world, "set the retry limit higher");
    expect((await world.run(["sessions", "search", '"retry limit"'])).stdout).toContain("«retry limit»");
    const nothing = await world.run(["sessions", "search", '"limit retry"']);
    expect(nothing).toMatchObject({ code: 0, stdout: "", stderr: expect.stringContaining("Nothing was found") });
    expect((await world.run(["sessions", "search", "limit", "retry"])).stdout).toContain("«retry» «limit»");
    expect(await world.run(["sessions", "search", "=>"])).toMatchObject({
      code: 42,
      stderr: expect.stringContaining("no word"),
    });
    expect((await world.run(["sessions", "search"])).code).toBe(42);
  });

  it("keeps its index beside the logs, for its owner's eyes alone, and makes it anew when it is damaged", async ({
    world,
  }) => {
    saveLog(world.state, { id: "one", entries: [prompt("m1", "a needle in here"), finished()] });
    expect((await world.run(["sessions", "search", "needle"])).stdout).toContain("one");
    const folder = join(world.state, "sessions", "search");
    expect((statSync(folder).mode & 0o777).toString(8)).toBe("700");
    for (const damage of [
      () => rmSync(folder, { recursive: true }),
      () => writeFileSync(join(folder, "00000009-x.segment"), "junk"),
    ]) {
      damage();
      expect((await world.run(["sessions", "search", "needle"])).stdout).toContain("one");
    }
  });
});

describe("the usage ledger", () => {
  it("is summed up over all sessions by day, model, folder and session", async ({ world }) => {
    const hour = Date.now() - 3_600_000;
    const priced = (n: number) => said(`m${n}`, "ok", { usage: used(1_000_000, 1_000, 500_000) });
    const head = { type: "model", model: "gpt-5", settings: {} } as const;
    saveLog(world.state, {
      id: "a",
      startedAt: hour,
      entries: [head, prompt("m1", "big job"), priced(2), priced(3), finished(90_000)],
    });
    saveLog(world.state, {
      id: "b",
      startedAt: hour,
      entries: [
        prompt("m1", "x"),
        said("m2", [called("c1", "bash", { command: "ls" })], { usage: used(10) }),
        answered("m3", "c1", "y"),
        finished(),
      ],
    });
    saveLog(world.state, { id: "c", startedAt: noon, entries: [head, prompt("m1", "long ago"), priced(2)] });
    const { code, stdout } = await world.run(["stats", "--json"]);
    expect(code).toBe(0);
    const stats = JSON.parse(stdout);
    expect(stats).toMatchObject({ days: 30, sessions: 2, total: { calls: 3, unpricedCalls: 1, costUsd: null } });
    expect(stats.total.knownCostUsd).toBeGreaterThan(1);
    expect(stats.byModel.map(({ name }: { name: string }) => name)).toEqual(["gpt-5", "some-model"]);
    expect(stats.topSessions.map(({ id }: { id: string }) => id)).toEqual(["a", "b"]);
    const table = (await world.run(["stats"])).stdout;
    expect(table).toMatch(/^30 days: 2 sessions, 3 model calls, 2\.00M tokens in \(50 % from the cache\)/);
    expect(table).toMatch(
      /by day[\s\S]*█[\s\S]*by model[\s\S]*gpt-5[\s\S]*by folder[\s\S]*\/work[\s\S]*by session[\s\S]*a {2}big job/,
    );
    expect(table).toContain("1 call of 3 has no known price");
    expect(table).not.toContain("\u001b");
    expect((await world.run(["stats", "--days", "20000", "--json"])).stdout).toContain('"c"');
  });

  it("says so when nothing was used, and refuses bad numbers of days", async ({ world }) => {
    expect(await world.run(["stats"])).toMatchObject({
      code: 0,
      stdout: "",
      stderr: expect.stringContaining("last 30 days"),
    });
    for (const days of ["0", "-3", "x", "1.5", ""]) {
      const { code, stderr } = await world.run(["stats", `--days=${days}`]);
      expect({ days, code }).toEqual({ days, code: 42 });
      expect(stderr).toContain("--days must be");
    }
    expect((await world.run(["stats", "what"])).code).toBe(42);
  });
});
