import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { assertPairing, call, calls, type RecordedRequest, type Reply, text } from "../../src/testing/index.ts";
import { wires } from "../conformance/provider-wires.ts";
import { resultOf } from "../support/stream-events.ts";
import { contentText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

/** Every log of the world, with its path below the state folder. */
function logsOf({ state }: World, below = state): string[] {
  return readdirSync(below, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".jsonl"))
    .map((name) => join(below, name));
}
const idOf = (path: string) => path.replace(/^.*\//, "").replace(/\.jsonl$/, "");

const isSummary = (request: RecordedRequest) => JSON.stringify(request.body).includes("about to be folded");

/** Rounds of commands that each print about 8 KB, then a word; then one more round and a word for the second prompt. */
function script(rounds: number) {
  let round = 0;
  return (request: RecordedRequest): Reply => {
    const usage = { inputTokens: Math.round(request.rawBody.length / 4), outputTokens: 30 };
    if (isSummary(request)) return text("## Goal\ncount on", { usage });
    round++;
    if (round === 1) return calls([call("bash", { command: "mkdir -p sub && cd sub && export MARK=kept" })], { usage });
    if (round <= rounds) return calls([call("bash", { command: `seq ${round}0000 ${round}1365` })], { usage });
    if (round === rounds + 2) return calls([call("bash", { command: 'pwd; echo "$MARK"' })], { usage });
    return text("done", { usage });
  };
}

/** What goes over the wire, free of what names the session. Calls that came without an id were given one of ours: numbered here. */
function bytesOf(requests: readonly RecordedRequest[], world: World, state: string): string[] {
  const ids = logsOf(world, state).map(idOf);
  const numbers = new Map<string, number>();
  const numbered = (id: string) => {
    if (!numbers.has(id)) numbers.set(id, numbers.size);
    return `call ${numbers.get(id)}`;
  };
  return requests.map(({ rawBody }) =>
    ids.reduce((body, id) => body.replaceAll(id, "SESSION"), rawBody).replace(/call_[a-z0-9]{16}\b/g, numbered),
  );
}

describe("a session that is taken up again", () => {
  it.for(wires.flatMap((wire, at) => (at === 0 ? [1, 20, 200] : [20]).map((rounds) => ({ ...wire, rounds }))))(
    "sends byte for byte what an uninterrupted one would have sent: $name, $rounds rounds",
    { timeout: 90_000 },
    async ({ provider, model: name, keyVariable: key, rounds }, { world }) => {
      const options = [
        "--max-rounds",
        "400",
        "--max-context",
        "64000",
        "--dangerously-skip-permissions",
        "--provider",
        provider,
        "-m",
        name,
      ];
      const whole = await world.model(script(rounds));
      const wholeState = join(world.folder, "whole");
      // a person is offered memory, a script without notes is not
      const env = (url: string) => ({ [key]: world.key, CORECODER_BASE_URL: url, CORECODER_MEMORY: "off" });
      const terminal = world.terminal(options, { env: { ...env(whole.url), CORECODER_HOME: wholeState } });
      await terminal.waitForPrompt();
      for (const prompt of ["first prompt", "second prompt"]) {
        terminal.type(prompt);
        await terminal.waitForPrompt(60_000);
      }
      terminal.type("/quit");
      expect(await terminal.exit).toBe(0);
      // both begin in the same folder
      rmSync(join(world.cwd, "sub"), { recursive: true });
      const cut = await world.model(script(rounds));
      const first = await world.run([...options, "-p", "first prompt"], { env: env(cut.url), timeoutMs: 80_000 });
      expect(first.code).toBe(0);
      const second = await world.run(
        ["-c", "-p", "second prompt", "--max-rounds", "400", "--dangerously-skip-permissions"],
        { env: env(cut.url) },
      );
      expect([second.code, second.stdout]).toEqual([0, "done\n"]);
      const expected = bytesOf(whole.requests, world, wholeState);
      const sent = bytesOf(cut.requests, world, world.state);
      expect(sent).toHaveLength(expected.length);
      const different = expected.findIndex((body, at) => body !== sent[at]);
      expect(different, "the first request that differs").toBe(-1);
      expect(sent.at(-1)).toContain("/sub\\nkept");
      assertPairing(cut.requests);
      if (rounds === 200) expect(cut.requests.filter(isSummary).length).toBeGreaterThan(0);
    },
  );

  it("goes on in the same log, with its model, its folder and its spending", async ({ world }) => {
    const usage = { inputTokens: 1_000_000, outputTokens: 0 };
    const model = await world.model([text("one", { usage }), text("two", { usage }), text("three")]);
    await world.run(["-p", "first", "-m", "gpt-5.5"], { model });
    const result = await world.run(["-c", "-p", "second", "--output-format", "json"], { model });
    expect(logsOf(world)).toHaveLength(1);
    expect(resultOf(result.events).session_id).toBe(idOf(logsOf(world)[0]!));
    expect(model.requests.map(({ body }) => body.model)).toEqual(["gpt-5.5", "gpt-5.5"]);
    const broke = await world.run(["-c", "-p", "third", "--max-budget-usd", "0.01"], { model });
    expect(broke.code).toBe(55);
    expect(model.requests).toHaveLength(2);
  });

  it("takes another model when one is given, and settings of the environment as they are now", async ({ world }) => {
    const usage = { inputTokens: 60_000, outputTokens: 1 };
    const model = await world.model([text("one", { usage }), text("two", { usage }), text("three")]);
    await world.run(["-p", "first", "-m", "model-a", "--temperature", "0.5"], { model });
    const other = await world.run(["-c", "-p", "second", "-m", "model-b"], { model });
    expect(other.stderr).toMatch(/^model-b has nothing of this conversation in its cache: about 60k tokens/m);
    const same = await world.run(["-c", "-p", "third"], { model, env: { CORECODER_MODEL: "model-c" } });
    expect(same.stderr).toBe("");
    expect(model.requests.map(({ body }) => [body.model, body.temperature])).toEqual([
      ["model-a", 0.5],
      ["model-b", 0.5],
      ["model-b", 0.5],
    ]);
  });

  it("is found by its id, the beginning of it, and its name", async ({ world }) => {
    const model = await world.model([text("one"), text("two"), text("three"), text("four")]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("first");
    await terminal.waitForPrompt();
    terminal.type("/save login bug");
    await terminal.waitForPrompt();
    terminal.type("/quit");
    await terminal.exit;
    const id = idOf(logsOf(world)[0]!);
    for (const name of [id, id.slice(0, -3), "login bug"]) {
      const result = await world.run(["-r", name, "-p", `by ${name}`], { model });
      expect([name, result.code, result.stderr]).toEqual([name, 0, ""]);
    }
    expect(model.requests.at(-1)!.body.messages.filter(({ role }) => role === "user")).toHaveLength(4);
  });

  it.for([
    [["-c"], /no saved session of .*project/],
    [["-r", "20990101"], /no session 20990101/],
    [["-r", "../../etc/passwd"], /is no session id/],
    [["-r", "..\\..\\secret"], /is no session id/],
    [["-r", "x".repeat(500)], /no session x/],
    [["-r"], /-r needs a session here/],
    [["--fork-session"], /say which with -c or -r/],
  ] as const)("%j says what is wrong and exits with 42 when there is none", async ([args, problem], { world }) => {
    const model = await world.model([]);
    const result = await world.run([...args, "-p", "go on"], { model });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(problem);
    expect(result.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
  });

  it.for([
    ["empty", ""],
    ["a list", "[]\n"],
    ["torn in its first record", '{"seq":0,"time":1,"type":"sess'],
  ])("whose log is %s says so and fails, and the others are still listed", async ([, content], { world }) => {
    const model = await world.model([text("one"), text("two")]);
    await world.run(["-p", "first"], { model });
    const [good] = logsOf(world);
    writeFileSync(join(good!, "..", "20990101-000000-bad.jsonl"), content!);
    const result = await world.run(["-r", "20990101-000000-bad", "-p", "go on"], { model });
    expect(result.code).toBe(1);
    expect(result.stderr).toMatch(/20990101-000000-bad.*holds no messages/);
    expect(result.stderr.trim().split("\n").length).toBeLessThanOrEqual(2);
    const listed = await world.run(["sessions", "list"]);
    expect(listed.stdout).toContain(idOf(good!));
    expect((await world.run(["-c", "-p", "go on"], { model })).code).toBe(0);
  });

  it("belongs to its folder", async ({ world }) => {
    const model = await world.model([text("one")]);
    await world.run(["-p", "first"], { model });
    const result = await world.run(["-r", idOf(logsOf(world)[0]!), "-p", "go on"], { model, cwd: world.home });
    expect(result.code).toBe(42);
    expect(result.stderr).toMatch(/belongs to .*project.*corecoder -C/s);
  });

  it("forked leaves the old one as it was, and both can go on", async ({ world }) => {
    const model = await world.model([text("one"), text("two"), text("three")]);
    await world.run(["-p", "first"], { model });
    const [original] = logsOf(world);
    const before = readFileSync(original!);
    await world.run(["-c", "--fork-session", "-p", "second"], { model });
    expect(readFileSync(original!)).toEqual(before);
    expect(logsOf(world)).toHaveLength(2);
    await world.run(["-r", idOf(original!), "-p", "third"], { model });
    const asked = model.requests.map(({ body }) =>
      body.messages.filter(({ role }) => role === "user").map(contentText),
    );
    expect(asked).toEqual([["first"], ["first", "second"], ["first", "third"]]);
  });

  it("that is open elsewhere is not written to: the second is told who holds it, and may take a copy", async ({
    world,
  }) => {
    const model = await world.model([text("one"), text("two")]);
    const terminal = world.terminal([], { model });
    await terminal.waitForPrompt();
    terminal.type("first");
    await terminal.waitForPrompt();
    const refused = await world.run(["-c", "-p", "second"], { model });
    expect(refused.code).toBe(42);
    expect(refused.stderr).toMatch(/is open in process \d+ since .*--fork-session/s);
    expect((await world.run(["-c", "--fork-session", "-p", "second"], { model })).code).toBe(0);
    terminal.type("/quit");
    await terminal.exit;
  });

  it("gives every call that was cut off a result that says what is known", async ({ world }) => {
    const model = await world.model([
      calls([call("bash", { command: "kill -9 $PPID" }), call("write_file", { file_path: "late", content: "x" })]),
      text("done"),
    ]);
    const killed = await world.run(["-p", "first", "--dangerously-skip-permissions"], { model });
    expect(killed.signal).toBe("SIGKILL");
    const result = await world.run(["-c", "-p", "second"], { model });
    expect([result.code, result.stdout]).toEqual([0, "done\n"]);
    assertPairing(model.requests);
    const results = model.requests
      .at(-1)!
      .body.messages.filter(({ role }) => role === "tool")
      .map(contentText);
    expect(results[0]).toMatch(/stopped while this call ran/);
    expect(results[1]).toMatch(/before this call ran; it did nothing/);
  });

  it("tells what changed in its prefix and what that costs, and keeps the old one when asked to", async ({ world }) => {
    world.write("AGENTS.md", "Use tabs.");
    const usage = { inputTokens: 50_000, outputTokens: 1 };
    const model = await world.model([text("one", { usage }), text("two", { usage }), text("three", { usage })]);
    await world.run(["-p", "first"], { model });
    writeFileSync(join(world.cwd, "AGENTS.md"), "Use blanks.");
    const kept = await world.run(["-c", "-p", "second", "--keep-prefix"], { model });
    expect(kept.stderr).toMatch(/the project instructions changed; going on with what was/);
    const anew = await world.run(["-c", "-p", "third"], { model });
    expect(anew.stderr).toMatch(/the project instructions changed.*50k tokens.*--keep-prefix/);
    const systems = model.requests.map(({ body }) => contentText(body.messages[0]!));
    expect(systems[1]).toBe(systems[0]);
    expect(systems[2]).toContain("Use blanks.");
    expect(systems[2]).not.toContain("Use tabs.");
  });
});
