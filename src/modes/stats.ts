import { type ExitCode, exitCode, UserError } from "../contracts/errors.ts";
import type { NamedSum, UsageSum } from "../contracts/saved-session.ts";
import { describeSession } from "../session/saved/export-session.ts";
import { localDay } from "../session/saved/session-digest.ts";
import { usageStats } from "../session/saved/usage-stats.ts";
import { statsText } from "../ui/stats-table.ts";
import { openSavedSessions } from "./saved-sessions.ts";
import type { SubcommandContext } from "./subcommand.ts";

const usualDays = 30;
const mostDays = 36_500;

/** `corecoder stats`: what all sessions used and cost. */
export async function runStats(context: SubcommandContext): Promise<ExitCode> {
  const { run } = context.parsed;
  if (context.words.length > 0) throw new UserError(exitCode.usage, "Usage: corecoder stats [--days N] [--json].");
  const days = readDays(run.days);
  const saved = openSavedSessions(context);
  const { sessions } = await saved.index("everywhere");
  const fromDay = firstDay(days);
  const stats = usageStats(sessions, fromDay);
  if (run.json) {
    const topSessions = stats.topSessions.map(({ session, sum }) => ({
      ...describeSession(session),
      ...withNull(sum),
    }));
    const told = {
      ...{ days, from: fromDay, sessions: stats.sessions, total: withNull(stats.total) },
      ...{ byDay: named(stats.days), byModel: named(stats.models), byFolder: named(stats.projects), topSessions },
    };
    context.output.out(`${JSON.stringify(told, null, 2)}\n`);
  } else if (stats.sessions > 0) context.output.out(statsText(stats, { output: saved.out, width: saved.width, days }));
  else context.output.err(`No model was called in the last ${days} days.\n`);
  return exitCode.done;
}

function readDays(given: string | undefined): number {
  if (given === undefined) return usualDays;
  const days = Number(given);
  if (given.trim() !== "" && Number.isInteger(days) && days >= 1 && days <= mostDays) return days;
  throw new UserError(
    exitCode.usage,
    `--days must be a whole number from 1 to ${mostDays}, got ${JSON.stringify(given)}.`,
  );
}

/** Today is the last of the days. */
function firstDay(days: number): string {
  const date = new Date();
  date.setDate(date.getDate() - (days - 1));
  return localDay(date.getTime());
}

/** A cost that leaves out calls is not the cost. */
function withNull<Sum extends UsageSum>(sum: Sum) {
  return { ...sum, costUsd: sum.unpricedCalls > 0 ? null : sum.costUsd, knownCostUsd: sum.costUsd };
}

const named = (rows: readonly NamedSum[]) => rows.map(withNull);
