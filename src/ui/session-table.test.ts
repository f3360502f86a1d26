import { describe, expect, it } from "vitest";
import { fullSession, readableOf } from "../../test/support/readable-sessions.ts";
import { noon, used } from "../../test/support/saved-logs.ts";
import { prompt } from "../../test/support/session-entries.ts";
import type { ListedSession, NamedSum, UsageStats } from "../contracts/saved-session.ts";
import type { Output } from "./output.ts";
import { foundText } from "./session-found.ts";
import { sessionTable } from "./session-table.ts";
import { sessionText } from "./session-text.ts";
import { statsText } from "./stats-table.ts";
import { textWidth } from "./text-width.ts";

const plain = { color: false } as Output;
const coloured = { color: true } as Output;

const session = (id: string, rest: Partial<ListedSession> = {}): ListedSession => ({
  ...{ id, path: `/s/p/${id}.jsonl`, cwd: "/work", title: "fix it", name: undefined, startedAt: noon, endedAt: noon },
  ...{ models: ["gpt-x"], usage: used(1_500, 500), costUsd: 0.5, calls: 2, turns: 1, toolCalls: 0, filesChanged: 0 },
  ...{ busyMs: 0, state: "finished", forkedFrom: undefined, logBytes: 1, damagedPlaces: 0, ledger: [] },
  ...rest,
});

describe("the list of sessions", () => {
  const list = (sessions: readonly ListedSession[], width = 120, isGrouped = false) =>
    sessionTable(sessions, { width, now: noon + 3_600_000, output: plain, isGrouped });

  it("is a line each: id, time, state, model, tokens, cost, title", () => {
    expect(list([session("20260302-a")])).toBe(
      "id          last used  state     model  turns  tokens   cost  title\n" +
        "20260302-a  1 h ago    finished  gpt-x      1    2.0k  $0.50  fix it\n",
    );
  });

  it("shows names, unknown prices, several models, and what was never asked", () => {
    const text = list([
      session("a", { name: "mine", costUsd: null, models: ["m1", "m2"] }),
      session("b", { title: "", calls: 0, models: [] }),
    ]);
    expect(text).toMatch(/a .*m2 \+1 .*\? {2}\[mine\] fix it/);
    expect(text).toMatch(/b .*– {2}\(nothing was asked\)/);
  });

  it("fits the terminal, and neutralises what a title holds", () => {
    const long = session("20260302-120000-abcdefgh", { title: `\u001b[2J${"word ".repeat(50)}` });
    for (const width of [44, 60, 80, 200])
      for (const line of list([long], width).trimEnd().split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(width);
    expect(list([long])).not.toContain("\u001b");
  });

  it("is a block a folder when it is about all of them", () => {
    const text = list([session("a"), session("b", { cwd: "/other" }), session("c")], 120, true);
    expect(text.split("\n").filter((line) => line.startsWith("/"))).toEqual(["/work", "/other"]);
    expect(text.indexOf("\nc ")).toBeLessThan(text.indexOf("/other"));
  });
});

describe("what a search found", () => {
  const answer = {
    hasMore: true,
    found: [
      {
        session: session("a"),
        score: 1,
        hits: [
          {
            time: noon,
            role: "tool" as const,
            tool: "bash",
            snippet: "the \u001bneedle here",
            marks: [{ start: 5, end: 11 }],
          },
          { time: noon, role: "user" as const, tool: undefined, snippet: "needle", marks: [{ start: 0, end: 6 }] },
        ],
      },
    ],
  };

  it("is marked, with or without colours, and says whose words they are", () => {
    const text = foundText(answer, { output: plain, width: 100 });
    expect(text).toContain("  bash: the <U+001B>«needle» here\n  you: «needle»\n");
    expect(text).toMatch(/^fix it\na {2}2026-03-02 12:00 {2}\/work\n/);
    expect(text).toContain("There are more");
    expect(foundText(answer, { output: coloured, width: 100 })).toContain("\u001b[36mneedle\u001b[0m here");
  });

  it("fits the terminal", () => {
    for (const line of foundText(answer, { output: plain, width: 20 }).split("\n").slice(0, 4))
      expect(textWidth(line)).toBeLessThanOrEqual(20);
  });
});

describe("a session in the terminal", () => {
  const show = async (isVerbose: boolean, output = plain) =>
    [...sessionText(await readableOf(fullSession), { output, width: 80, isVerbose })].join("");

  it("reads like it happened: what was said in full, what was done a line each", async () => {
    const text = await show(false);
    expect(text).toMatch(
      /^Session 20260302-120000-abcd\nin \/work, 2026-03-02 12:00, some-model\n2 prompts · 6 model calls/,
    );
    expect(text).toContain(
      "> Fix the total.\n> It is wrong.\n\nI'll **look**.\n  → $ npm test  1.0 s\n    ✗ 1 failing [exit code 1]\n",
    );
    expect(text).toContain("  → agent search\n");
    expect(text).toContain("      → grep total");
    expect(text).toContain("⇣ context 9.0k → 4.0k, about $0.60 saved, 2 results archived");
    expect(text).toContain("    ± src/a.js\n");
    expect(text).toMatch(/✓ done \(1 model call, 4\.0 s\)/);
    expect(text).toMatch(/12:00 · taken back ─+\n> no, leave it/);
    expect(text).toContain("• taken back, 1 file restored");
    for (const hidden of ["look first", "line four", "+new"]) expect(text).not.toContain(hidden);
  });

  it("unfolds everything when asked for more", async () => {
    const text = await show(true);
    for (const shown of ["┊ look first", "│ line four", "│ +new <i>", '┊ {"command":"npm test"}'])
      expect(text).toContain(shown);
  });

  it("lets no control character through but its own colours", async () => {
    const session = await readableOf([prompt("m1", "\u001b]0;evil\u0007title\u001b[31m red"), ...fullSession]);
    const text = [...sessionText(session, { output: plain, width: 80, isVerbose: true })].join("");
    expect(text).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/);
  });
});

describe("the statistics", () => {
  const sum = (name: string, costUsd: number, unpricedCalls = 0): NamedSum => ({
    ...{ name, calls: 2, usage: used(10_000, 500, 9_000), costUsd, unpricedCalls, busyMs: 90_000 },
  });
  const stats = (costs: readonly number[], unpricedCalls = 0): UsageStats => ({
    total: sum(
      "",
      costs.reduce((a, b) => a + b, 0),
      unpricedCalls,
    ),
    sessions: 1,
    days: costs.map((cost, n) => sum(`2026-03-0${n + 1}`, cost, unpricedCalls)),
    models: [sum("gpt-x", 3, unpricedCalls)],
    projects: [sum("/work", 3)],
    topSessions: [{ session: session("a"), sum: sum("", 3) }],
  });
  const text = (given: UsageStats, output = plain) => statsText(given, { output, width: 90, days: 30 });

  it("are tables with a bar a day, as long as what it cost", () => {
    const shown = text(stats([1, 2, 0]));
    expect(shown).toMatch(
      /^30 days: 1 session, 2 model calls, 10k tokens in \(90 % from the cache\), 500 out, \$3\.00, 90 s at work\n/,
    );
    const bars = shown
      .split("\n")
      .filter((line) => line.startsWith("2026-"))
      .map((line) => line.match(/[█-▏]+/)?.[0].length ?? 0);
    expect(bars).toEqual([12, 24, 0]);
    for (const part of ["by model", "gpt-x", "by folder", "/work", "by session", "a  fix it"])
      expect(shown).toContain(part);
    expect(shown).not.toContain("no known price");
  });

  it("say how many calls have no known price, and draw tokens when no price is known", () => {
    const shown = text(stats([0, 0], 2));
    expect(shown).toContain("2 calls of 2 have no known price: counted in tokens, not in money.");
    expect(shown).toMatch(/2026-03-01 .*\? {2}█{24}/);
    expect(text(stats([1], 1))).toContain("$1.00+");
  });

  it("have colours only where they are wanted", () => {
    expect(text(stats([1]))).not.toContain("\u001b");
    expect(text(stats([1]), coloured)).toContain("\u001b[36m█");
  });
});
