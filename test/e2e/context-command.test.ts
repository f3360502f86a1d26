import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { describe, expect } from "vitest";
import { call, type Reply, text } from "../../src/testing/index.ts";
import { sharedFolder } from "../support/repo-root.ts";
import { walk } from "../support/temp.ts";
import { it, type World } from "../support/world.ts";

const trace = {
  messages: Array.from({ length: 12 }, (_, n) => [
    { role: "user", content: `request ${n}` },
    { role: "assistant", tool_calls: [{ id: `c${n}`, function: { name: "bash", arguments: '{"command":"ls"}' } }] },
    { role: "tool", tool_call_id: `c${n}`, content: `result_${n} `.repeat(300) },
    { role: "assistant", content: "done" },
  ]).flat(),
};

/** A session of some tool rounds; answers with its id. */
async function saveSession(world: World, rounds = 3, env: Record<string, string> = {}): Promise<string> {
  const calls = Array.from({ length: rounds }, (_, n) => call("bash", { command: `seq ${n} 900 # round-marker-${n}` }));
  const replies: Reply[] = [...calls, text("all done")];
  const model = await world.model(({ rawBody }) =>
    rawBody.includes("about to be folded") ? text("## Goal\ncount") : (replies.shift() ?? text("over")),
  );
  const { code } = await world.run(["-p", "count a lot", "--dangerously-skip-permissions"], { model, env });
  expect(code).toBe(0);
  const log = [...walk(world.state)].find((path) => path.endsWith(".jsonl") && path.includes("/sessions/"));
  return log?.replace(/^.*\//, "").replace(".jsonl", "") ?? "";
}

describe("corecoder context show", () => {
  it("draws what filled the window at the end of a session, found by the beginning of its id", async ({ world }) => {
    const id = await saveSession(world);
    const { code, stdout, stderr } = await world.run(["context", "show", id.slice(0, -2)]);
    expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
    expect(stdout).toContain(`Session ${id}, in ${world.cwd}`);
    expect(stdout).toContain("8 messages, 4 model calls");
    for (const part of ["system prompt and tools", "results of bash", "your messages", "free"])
      expect(stdout).toContain(part);
    expect(stdout).toContain("Nothing was cut");
  });

  it("gives the same to machines, with the receipts of what was cut", async ({ world }) => {
    const id = await saveSession(world, 12, { CORECODER_MAX_CONTEXT: "8000" });
    const { code, stdout } = await world.run(["context", "show", id, "--json", "--max-context", "8000"]);
    expect(code).toBe(0);
    const shown = JSON.parse(stdout);
    expect(shown).toMatchObject({ id, damagedLines: 0, contents: { windowTokens: 8000 } });
    const used = shown.contents.parts.reduce((sum: number, part: { tokens: number }) => sum + part.tokens, 0);
    expect(used).toBeGreaterThan(1_000);
    expect(used).toBeLessThan(8_000);
    expect(shown.receipts.length).toBeGreaterThan(0);
    expect(shown.receipts[0].receipt.tokensAfter).toBeLessThan(shown.receipts[0].receipt.tokensBefore);
  });
});

const refusals: readonly (readonly [readonly string[], RegExp])[] = [
  [[], /Usage: corecoder context/],
  [["draw", "x"], /Usage: corecoder context/],
  [["show"], /Usage: corecoder context/],
  [["show", "20200101"], /no session 20200101/],
  [["show", "../../etc/passwd"], /no session id/],
  [["compare", "/tmp/x.jsonl"], /not below/],
  [["compare", "none.json"], /no file .*none\.json/],
  [["compare", "empty.json"], /empty\.json is empty/],
  [["compare", "list.json"], /list\.json holds no model call/],
  [["compare", "bad.json"], /bad\.json is not valid JSON/],
  [["compare", "good.json", "--prices", "constructor"], /no row "constructor"\. There are: sonnet-5\.5/],
  [["compare", "good.json", "--html", "no/such/page.html"], /page\.html cannot be written/],
  [["show", "x", "--html", "p.html"], /--html draws comparisons/],
];

describe("corecoder context compare", () => {
  it("plays a session of ours and a recorded one under every policy: table, JSON and page", async ({ world }) => {
    const id = await saveSession(world);
    writeFileSync(join(world.cwd, "other.json.gz"), gzipSync(JSON.stringify(trace)));
    const both = ["context", "compare", id, "other.json.gz"];
    const table = await world.run(both);
    expect(table.code).toBe(0);
    expect(table.stdout).toContain(`${id}: 4 model calls`);
    expect(table.stdout).toContain("other.json.gz: 24 model calls");
    expect(table.stdout).toContain("All 2 sessions");
    expect(table.stderr).toBe(`1/2 ${id}\n2/2 other.json.gz\n`);

    const result = await world.run([...both, "--json", "--html", "page.html", "--prices", "no-cache"]);
    expect(result.code).toBe(0);
    expect(result.stderr).toContain(join(world.cwd, "page.html"));
    const { prices, sessions, totals } = JSON.parse(result.stdout);
    expect(prices).toBe("no-cache");
    const names = sessions[0].reports.map(({ policy }: { policy: string }) => policy);
    expect(names).toEqual(
      expect.arrayContaining(["ledger", "lean", "three-layer", "micro-auto", "four-layer", "none"]),
    );
    expect(totals).toHaveLength(names.length);
    expect(sessions[0].fixedTokens).not.toBe(6_000);
    expect(sessions[1]).toMatchObject({ fixedTokens: 6_000, name: "other.json.gz" });
    expect(sessions[1].reports[0].series).toHaveLength(24);
    const page = world.read("page.html");
    expect(page).toContain(id);
    expect(page.match(/<figure>/g)).toHaveLength(2 * names.length);
    for (const marker of ["round-marker", "result_3", "count a lot"]) expect(page).not.toContain(marker);
  });

  it("needs no key and asks no model", async ({ world }) => {
    world.write("other.json", JSON.stringify(trace));
    const { code, stdout } = await world.run(["context", "compare", "other.json"]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/none +\$\S+ +1\.000/);
    expect(existsSync(world.state)).toBe(false);
  });

  it("refuses bad input with exit code 42 and says what is wrong", async ({ world }) => {
    world.write("empty.json", "");
    world.write("list.json", "[]");
    world.write("bad.json", "{no json");
    world.write("good.json", JSON.stringify(trace));
    for (const [args, problem] of refusals) {
      const { code, stdout, stderr } = await world.run(["context", ...args]);
      expect({ args, code }).toEqual({ args, code: 42 });
      expect(stderr).toMatch(problem);
      if (!args.includes("--html")) expect(stdout).toBe("");
    }
  });
});

describe.skipIf(!existsSync(join(sharedFolder, "traces")))("the recorded sessions beside the project", () => {
  it("can all be compared, and the default loses next to nothing and never overflows", async ({ world }) => {
    const folder = join(sharedFolder, "traces");
    const files = readdirSync(folder).filter((name) => name.endsWith(".json.gz"));
    expect(files.length).toBeGreaterThan(0);
    const args = ["context", "compare", "--json", ...files.map((name) => join(folder, name))];
    const { code, stdout } = await world.run(args, { timeoutMs: 60_000 });
    expect(code).toBe(0);
    const ledger = JSON.parse(stdout).totals.find(({ policy }: { policy: string }) => policy === "ledger");
    expect(ledger).toMatchObject({ sessions: files.length, callsOverWindow: 0 });
    expect(ledger.lost).toBeLessThan(0.001);
    expect(ledger.direct).toBeGreaterThan(0.98);
  }, 60_000);
});
