import { describe, expect, it } from "vitest";
import { used } from "../../../test/support/saved-logs.ts";
import type { LedgerRow, ListedSession } from "../../contracts/saved-session.ts";
import { usageStats } from "./usage-stats.ts";

const row = (day: string, model: string, inputTokens: number, rest: Partial<LedgerRow> = {}): LedgerRow => ({
  ...{ day, model, calls: 1, usage: used(inputTokens), costUsd: inputTokens / 1_000, unpricedCalls: 0, busyMs: 10 },
  ...rest,
});
const session = (id: string, cwd: string | undefined, ledger: readonly LedgerRow[]) =>
  ({ id, cwd, ledger, title: id }) as ListedSession;

const sessions = [
  session("a", "/one", [row("2026-03-01", "big", 5_000), row("2026-03-02", "small", 100)]),
  session("b", "/two", [row("2026-03-02", "big", 7_000, { unpricedCalls: 1, costUsd: 0 })]),
  session("c", undefined, [row("2026-02-01", "small", 900)]),
];

describe("the usage of all sessions", () => {
  it("is summed up by day, model, folder and session, the dearest first", () => {
    const stats = usageStats(sessions, "2026-01-01");
    expect(stats.total).toMatchObject({ calls: 4, costUsd: 6, unpricedCalls: 1, busyMs: 40, usage: used(13_000, 40) });
    expect(stats.days.map(({ name, calls }) => [name, calls])).toEqual([
      ["2026-02-01", 1],
      ["2026-03-01", 1],
      ["2026-03-02", 2],
    ]);
    expect(stats.models.map(({ name, costUsd }) => [name, costUsd])).toEqual([
      ["big", 5],
      ["small", 1],
    ]);
    expect(stats.projects.map(({ name }) => name)).toEqual(["/one", "?", "/two"]);
    expect(stats.topSessions.map((each) => each.session.id)).toEqual(["a", "c", "b"]);
  });

  it("leaves out what was before the first day", () => {
    const stats = usageStats(sessions, "2026-03-02");
    expect(stats).toMatchObject({ sessions: 2, total: { calls: 2 } });
    expect(stats.days.map(({ name }) => name)).toEqual(["2026-03-02"]);
    expect(usageStats(sessions, "2027-01-01")).toMatchObject({
      sessions: 0,
      days: [],
      total: { calls: 0, costUsd: 0 },
    });
  });
});
