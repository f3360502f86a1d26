import { type ExitCode, exitCode, messageOf } from "../contracts/errors.ts";
import { scanFolders } from "../platform/scan-folders.ts";
import { locateSession } from "../session/locate-session.ts";
import { inspectLog } from "../session/log/inspect-log.ts";
import { repairLog } from "../session/log/repair-log.ts";
import { lockHolder } from "../session/log/session-lock.ts";
import { removeSession, sessionBytes } from "../session/saved/remove-session.ts";
import { planRetention } from "../session/saved/retention.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { bytesText, counted } from "../ui/figures.ts";
import {
  type ExaminedLog,
  examinedDetails,
  examinedLine,
  type PrunedSession,
  prunedLine,
} from "../ui/session-care-text.ts";
import { openSavedSessions } from "./saved-sessions.ts";
import type { SubcommandContext } from "./subcommand.ts";

/** `sessions doctor [ID] [--repair]`: what is wrong with the logs. Exit 1 when something was damaged and still is. */
export async function examineSessions(context: SubcommandContext, [wanted]: readonly string[]): Promise<ExitCode> {
  const { run } = context.parsed;
  const saved = openSavedSessions(context);
  const scan = scanFolders(`${saved.stateFolder}/sessions`, ".jsonl");
  const paths = wanted === undefined ? scan.files.map(({ path }) => path) : [locateSession(wanted, saved.stateFolder)];
  for (const folder of scan.unreadable) context.output.err(`${folder} cannot be read. Check its permissions.\n`);
  const { onRead, finish } = saved.progress("logs examined");
  const examined: ExaminedLog[] = [];
  for (const [done, path] of paths.entries()) {
    onRead(done, paths.length);
    examined.push(examine(path, run.repair ? "repair" : "look"));
  }
  finish();
  const tell = wanted === undefined ? examinedLine : examinedDetails;
  if (run.json) context.output.out(`${JSON.stringify(examined, null, 2)}\n`);
  else for (const log of examined) context.output.out(tell(log, saved.out));
  const isBad = ({ verdict }: ExaminedLog) => verdict === "damaged" || verdict === "unreadable";
  const bad = examined.filter(isBad).length;
  if (!run.json && wanted === undefined)
    context.output.err(
      bad === 0
        ? `${counted(examined.length, "log")} examined, all sound.\n`
        : `${bad} of ${counted(examined.length, "log")} damaged. \`corecoder sessions doctor --repair\` cuts out what is damaged and keeps it beside.\n`,
    );
  return bad > 0 || scan.unreadable.length > 0 ? exitCode.failed : exitCode.done;
}

const nothing = { records: 0, turns: 0, bytes: 0, damage: [], foreign: 0, openCalls: 0, lostTexts: [], keptIn: null };

function examine(path: string, intent: "look" | "repair"): ExaminedLog {
  const id = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  try {
    const { records, turns, bytes, damage, foreign, openCalls, lostTexts } = inspectLog(path);
    const about = { id, path, records, turns, bytes, damage, foreign, openCalls: openCalls.length, lostTexts };
    const found = { ...about, keptIn: null, problem: null };
    if (damage.length === 0) return { ...found, verdict: "sound" };
    // what is being written now looks torn until it is there
    if (lockHolder(path) !== undefined) return { ...found, verdict: "open" };
    if (intent === "look") return { ...found, verdict: "damaged" };
    const result = repairLog(path);
    if (result.type === "held") return { ...found, verdict: "open" };
    return { ...found, verdict: "repaired", keptIn: result.type === "repaired" ? result.keptIn : null };
  } catch (error) {
    return { id, path, ...nothing, verdict: "unreadable", problem: messageOf(error) };
  }
}

/** `sessions prune [--dry-run]`: the only thing that ever deletes a session, and only what the settings or options say. */
export async function pruneSessions(context: SubcommandContext): Promise<ExitCode> {
  const { run } = context.parsed;
  const { settings, stateFolder, warnings } = openSavedSessions(context);
  for (const warning of warnings) context.output.err(`${warning}\n`);
  const { sessionMaxAgeDays: maxAgeDays, sessionMaxTotalMb: maxTotalMb } = settings;
  if (maxAgeDays === undefined && maxTotalMb === undefined) {
    context.output.err(
      "Nothing was deleted: no limit is set. Set sessionMaxAgeDays or sessionMaxTotalMb, or give --session-max-age-days N or --session-max-total-mb N; --dry-run only shows what would go.\n",
    );
    return exitCode.done;
  }
  const { sessions, scan } = indexWithoutPrices({ stateFolder });
  const now = Date.now();
  const sized = sessions.map((session) => ({ session, bytes: sessionBytes(session.path, scan.beside) }));
  const retention = {
    ...(maxAgeDays === undefined ? {} : { maxAgeDays }),
    ...(maxTotalMb === undefined ? {} : { maxTotalBytes: maxTotalMb * 1e6 }),
  };
  const pruned = planRetention(sized, retention, now).map((leaving): PrunedSession => {
    return { ...leaving, outcome: run.dryRun ? "would go" : removeSession(leaving.session.path, scan.beside) };
  });
  if (run.json) context.output.out(`${JSON.stringify(pruned.map(asJson), null, 2)}\n`);
  else for (const each of pruned) context.output.out(prunedLine(each, now));
  const gone = pruned.filter(({ outcome }) => outcome === "removed" || outcome === "would go");
  const freed = bytesText(gone.reduce((sum, { bytes }) => sum + bytes, 0));
  const verb = run.dryRun ? "would go" : "removed";
  context.output.err(`${gone.length} of ${counted(sessions.length, "session")} ${verb}, ${freed}.\n`);
  if (gone.length > 0) {
    const { collectUndoGarbage } = await import("./undo-garbage.ts");
    const without = new Set(gone.map(({ session }) => session.path));
    const { freedBytes } = await collectUndoGarbage({ stateFolder, without, dryRun: run.dryRun });
    if (freedBytes > 0)
      context.output.err(`Of the contents kept for undo, ${bytesText(freedBytes)} ${verb} with them.\n`);
  }
  return pruned.some(({ outcome }) => outcome === "failed") ? exitCode.failed : exitCode.done;
}

function asJson({ session, ...about }: PrunedSession) {
  const { id, path, cwd, title } = session;
  return { id, path, cwd: cwd ?? null, title, ...about };
}
