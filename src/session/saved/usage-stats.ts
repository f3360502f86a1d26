import { addUsage, emptyUsage } from "../../contracts/message.ts";
import type { LedgerRow, ListedSession, NamedSum, UsageStats, UsageSum } from "../../contracts/saved-session.ts";

const nothing: UsageSum = { calls: 0, usage: emptyUsage, costUsd: 0, unpricedCalls: 0, busyMs: 0 };
const topCount = 10;

/** The ledger of all sessions from one day on, summed up by day, model, project and session. */
export function usageStats(sessions: readonly ListedSession[], fromDay: string): UsageStats {
  const used = sessions
    .map((session) => ({ session, rows: session.ledger.filter(({ day }) => day >= fromDay) }))
    .filter(({ rows }) => rows.length > 0);
  const rows = used.flatMap((each) => each.rows);
  const bySession = used.map((each) => ({ session: each.session, sum: sumOf(each.rows) }));
  return {
    total: sumOf(rows),
    sessions: used.length,
    days: grouped(rows, ({ day }) => day).sort((a, b) => (a.name < b.name ? -1 : 1)),
    models: grouped(rows, ({ model }) => model).sort(dearestFirst),
    projects: grouped(
      used.flatMap(({ session, rows: own }) => own.map((row) => ({ ...row, project: session.cwd ?? "?" }))),
      ({ project }) => project,
    ).sort(dearestFirst),
    topSessions: bySession.sort((a, b) => dearestFirst(a.sum, b.sum)).slice(0, topCount),
  };
}

function grouped<Row extends LedgerRow>(rows: readonly Row[], nameOf: (row: Row) => string): NamedSum[] {
  const groups = new Map<string, Row[]>();
  for (const row of rows) {
    const group = groups.get(nameOf(row));
    if (group) group.push(row);
    else groups.set(nameOf(row), [row]);
  }
  return [...groups].map(([name, group]) => ({ name, ...sumOf(group) }));
}

function sumOf(rows: readonly UsageSum[]): UsageSum {
  return rows.reduce(
    (sum, row): UsageSum => ({
      calls: sum.calls + row.calls,
      usage: addUsage(sum.usage, row.usage),
      costUsd: sum.costUsd + row.costUsd,
      unpricedCalls: sum.unpricedCalls + row.unpricedCalls,
      busyMs: sum.busyMs + row.busyMs,
    }),
    nothing,
  );
}

function dearestFirst(a: UsageSum, b: UsageSum): number {
  return b.costUsd - a.costUsd || b.usage.inputTokens - a.usage.inputTokens;
}
