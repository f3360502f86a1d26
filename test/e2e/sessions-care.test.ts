import { appendFileSync, existsSync, readdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { finished, noon, saveLog } from "../support/saved-logs.ts";
import { prompt } from "../support/session-entries.ts";
import { it } from "../support/world.ts";

const dayMs = 24 * 60 * 60 * 1000;
const good = (words: string) => [prompt("m1", words), finished()];

describe("corecoder sessions doctor", () => {
  it("says of sound logs that they are sound", async ({ world }) => {
    saveLog(world.state, { id: "one", entries: good("a") });
    saveLog(world.state, { id: "two", entries: good("b"), project: "other" });
    const { code, stdout, stderr } = await world.run(["sessions", "doctor"]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "2 logs examined, all sound.\n" });
    expect(stdout.split("\n").toSorted()).toEqual(["", "✓ one  sound", "✓ two  sound"]);
  });

  it("finds damage, tells what it is, mends it when asked, and keeps what it cut out", async ({ world }) => {
    const path = saveLog(world.state, { id: "torn", entries: [...good("keep me"), prompt("m2", "and me")] });
    saveLog(world.state, { id: "fine", entries: good("b") });
    const bytes = readFileSync(path);
    bytes.write("XXXX", bytes.indexOf("turn.finished"));
    writeFileSync(path, bytes);
    appendFileSync(path, '{"seq":9,"time":1,"type":"mess');
    const all = await world.run(["sessions", "doctor"]);
    expect(all.code).toBe(1);
    expect(all.stdout).toMatch(/✗ torn {2}damaged, 2 damaged places \(\d+ B\)\n/);
    expect(all.stdout).toContain("✓ fine  sound");
    expect(all.stderr).toContain("--repair");
    const one = await world.run(["sessions", "doctor", "torn"]);
    expect(one.code).toBe(1);
    expect(one.stdout).toContain("bytes that are not what was written");
    expect(one.stdout).toContain("a last record that was not written to its end");
    expect(readFileSync(path).length).toBe(bytes.length + 30);

    const repaired = await world.run(["sessions", "doctor", "torn", "--repair", "--json"]);
    expect(repaired.code).toBe(0);
    const [report] = JSON.parse(repaired.stdout);
    expect(report).toMatchObject({
      id: "torn",
      verdict: "repaired",
      damage: [{ kind: "checksum" }, { kind: "torn-tail" }],
    });
    expect(readFileSync(report.keptIn, "utf8")).toContain('{"seq":9,"time":1,"type":"mess');
    expect((await world.run(["sessions", "doctor"])).code).toBe(0);
    const shown = (await world.run(["sessions", "show", "torn"])).stdout;
    expect(shown).toContain("> keep me");
    expect(shown).toContain("> and me");
  });

  it("calls a log it cannot read unreadable, with the reason", async ({ world }) => {
    const path = saveLog(world.state, { id: "later", entries: [] });
    writeFileSync(
      path,
      '{"seq":0,"time":1,"type":"session","version":99,"id":"later","cwd":"/","model":"m","program":"corecoder 99.0.0"}\n',
    );
    const { code, stdout } = await world.run(["sessions", "doctor"]);
    expect(code).toBe(1);
    expect(stdout).toMatch(/✗ later {2}.*later version of corecoder \(corecoder 99\.0\.0\)/);
    expect((await world.run(["sessions", "show", "later"])).code).toBe(42);
  });

  it("leaves alone what a process is writing to", async ({ world }) => {
    const model = await world.model([call("bash", { command: "sleep 20" }), text("done")]);
    const running = world.start(["-p", "go", "--dangerously-skip-permissions"], { model });
    await model.waitForRequest(1);
    const log = () =>
      readdirSync(join(world.state, "sessions")).flatMap((project) => {
        const folder = join(world.state, "sessions", project);
        return readdirSync(folder)
          .filter((name) => name.endsWith(".jsonl"))
          .map((name) => join(folder, name));
      })[0];
    await expect.poll(log).toBeDefined();
    appendFileSync(log()!, "half a rec");
    const { code, stdout } = await world.run(["sessions", "doctor", "--repair"]);
    expect(code).toBe(0);
    expect(stdout).toContain("open, so left alone");
    expect(readFileSync(log()!, "utf8")).toContain("half a rec");
    running.kill("SIGKILL");
    await running.result;
  });
});

describe("corecoder sessions prune", () => {
  const files = (state: string) => readdirSync(join(state, "sessions", "project")).toSorted();

  it("deletes nothing unless told what", async ({ world }) => {
    saveLog(world.state, { id: "old", entries: good("a"), startedAt: noon });
    const { code, stdout, stderr } = await world.run(["sessions", "prune"]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(stderr).toContain("Nothing was deleted: no limit is set");
    expect(files(world.state)).toEqual(["old.jsonl"]);
  });

  it("shows first, then removes what is too old, with all that belongs to it", async ({ world }) => {
    const old = saveLog(world.state, { id: "old", entries: good("ancient"), startedAt: Date.now() - 50 * dayMs });
    saveLog(world.state, { id: "new", entries: good("recent"), startedAt: Date.now() - 2 * dayMs });
    writeFileSync(join(dirname(old), "old.damaged-1"), "junk");
    const args = ["sessions", "prune", "--session-max-age-days", "30"];
    const dry = await world.run([...args, "--dry-run"]);
    expect(dry.code).toBe(0);
    expect(dry.stdout).toMatch(/^would go \(too old\): old .*ancient\n$/);
    expect(dry.stderr).toMatch(/^1 of 2 sessions would go, \d+ B\.\n$/);
    expect(files(world.state)).toEqual(["new.jsonl", "old.damaged-1", "old.jsonl"]);
    const done = await world.run(args);
    expect(done).toMatchObject({ code: 0, stdout: expect.stringMatching(/^removed \(too old\): old /) });
    expect(files(world.state)).toEqual(["new.jsonl"]);
    expect((await world.run(["sessions", "list", "--all"])).stdout).not.toContain("ancient");
  });

  it("goes by the settings file, oldest first, until the rest fits, and tells machines", async ({ world }) => {
    for (const [n, id] of ["a", "b", "c"].entries())
      saveLog(world.state, { id, entries: good("x".repeat(400_000)), startedAt: noon + n * dayMs });
    writeFileSync(join(world.state, "settings.json"), JSON.stringify({ sessionMaxTotalMb: 1 }));
    const { code, stdout } = await world.run(["sessions", "prune", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject([{ id: "a", because: "size", outcome: "removed" }]);
    expect(files(world.state)).toEqual(["b.jsonl", "c.jsonl"]);
  });

  it("never takes a session that is open", async ({ world }) => {
    const model = await world.model([call("bash", { command: "sleep 20" }), text("done")]);
    const running = world.start(["-p", "go", "--dangerously-skip-permissions"], { model });
    await model.waitForRequest(1);
    const open = async () => JSON.parse((await world.run(["sessions", "list", "--all", "--json"])).stdout)[0];
    await expect.poll(async () => (await open())?.state, { timeout: 5_000 }).toBe("open");
    const { path } = await open();
    const { code, stdout } = await world.run([
      "sessions",
      "prune",
      "--session-max-age-days",
      "0",
      "--session-max-total-mb",
      "0",
    ]);
    expect({ code, stdout }).toEqual({ code: 0, stdout: "" });
    expect(existsSync(path)).toBe(true);
    running.kill("SIGKILL");
    await running.result;
  });

  it("does not let a project's files decide what is deleted", async ({ world }) => {
    saveLog(world.state, { id: "old", entries: good("a"), startedAt: noon });
    world.write(".corecoder/settings.json", JSON.stringify({ sessionMaxAgeDays: 1 }));
    const { stderr } = await world.run(["sessions", "prune"]);
    expect(stderr).toMatch(/settings\.json.*\n.*Nothing was deleted/);
    expect(files(world.state)).toEqual(["old.jsonl"]);
    utimesSync(join(world.state, "sessions", "project", "old.jsonl"), new Date(), new Date());
    expect((await world.run(["sessions", "prune", "--session-max-age-days", "-1"])).code).toBe(42);
  });
});
