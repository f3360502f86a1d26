import type { RunOptions } from "../config/arguments.ts";
import { exitCode, UserError } from "../contracts/errors.ts";
import { realOrSame } from "../platform/paths.ts";
import { projectSlug } from "../platform/project-slug.ts";
import { randomName } from "../platform/random-name.ts";
import { showControl } from "../platform/terminal-text.ts";
import { forkSession } from "../session/fork-session.ts";
import { lastSession } from "../session/last-session.ts";
import { locateSession } from "../session/locate-session.ts";
import { newSessionId } from "../session/log/event-log.ts";
import { acquireLock, type LockHolder, type SessionLock } from "../session/log/session-lock.ts";
import { readSession, type SavedSession } from "../session/read-session.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { chooseKey, pickRow } from "../ui/ask-person.ts";
import { cutToWidth } from "../ui/text-width.ts";

/** A saved session that is ours now: nobody else writes to its log. */
export type ResumedSession = { readonly session: SavedSession; readonly lock: SessionLock };

export type ResumeOptions = {
  /** An id, the beginning of one, a name; or the last one of this folder. */
  readonly wanted: string | "last";
  readonly fork: boolean;
  readonly cwd: string;
  readonly stateFolder: string;
  /** The session is open elsewhere: go on in a copy? Left out: nobody can be asked. */
  readonly offerFork?: (question: string) => Promise<boolean>;
};

/** What -c, -r and --fork-session ask for. In a terminal the person is asked where something is open. */
export async function resumeFromOptions(
  { resume, continueLast, forkSession: fork }: RunOptions,
  { cwd, stateFolder, isOneShot }: { cwd: string; stateFolder: string; isOneShot: boolean },
): Promise<ResumedSession> {
  if (resume === undefined && !continueLast)
    throw new UserError(exitCode.usage, "--fork-session copies a saved session: say which with -c or -r ID.");
  if (resume === true && isOneShot)
    throw new UserError(
      exitCode.usage,
      "-r needs a session here: -r ID, or -c for the last one of this folder. `corecoder sessions list` shows them.",
    );
  const asked = { cwd, stateFolder, fork };
  if (isOneShot) return resumeSession({ ...asked, wanted: typeof resume === "string" ? resume : "last" });
  const wanted = typeof resume === "string" ? resume : resume === true ? await pickSession(asked) : "last";
  if (wanted === undefined) throw new UserError(exitCode.usage, "No session was chosen.");
  return resumeSession({ ...asked, wanted, offerFork: confirm });
}

export async function resumeSession(options: ResumeOptions): Promise<ResumedSession> {
  const path = pathOf(options);
  if (options.fork) return openFork(path, options);
  const lock = acquireLock(path);
  if (lock.held) return { session: readHere(path, options), lock };
  const told = describeHolder(path, lock.by);
  if (await options.offerFork?.(`${told} Go on in a copy of it?`)) return openFork(path, options);
  throw new UserError(exitCode.usage, `${told} Go on in a copy of it with --fork-session, or close it there.`);
}

/** The copy begins after the given message. */
export function openFork(
  path: string,
  options: Pick<ResumeOptions, "cwd" | "stateFolder">,
  after?: string | null,
): ResumedSession {
  readHere(path, options);
  const forked = forkSession({
    path,
    id: newSessionId(new Date(), randomName(8)),
    ...(after === undefined ? {} : { after }),
  });
  const lock = acquireLock(forked);
  if (!lock.held) throw new UserError(exitCode.failed, `The new session ${forked} is held by another process.`);
  return { session: readHere(forked, options), lock };
}

/** A yes-or-no question; default no. */
export async function confirm(question: string): Promise<boolean> {
  return (await chooseKey(`${question} y yes  n no (default) `, "yn", "n")) === "y";
}

const offered = 15;

/** The person picks one of this folder's sessions; undefined when they want none. */
export async function pickSession({
  cwd,
  stateFolder,
  current,
}: Pick<ResumeOptions, "cwd" | "stateFolder"> & { readonly current?: string }): Promise<string | undefined> {
  const { sessions } = indexWithoutPrices({ stateFolder, folder: `${stateFolder}/sessions/${projectSlug(cwd)}` });
  const recent = sessions.filter(({ id, turns }) => turns > 0 && id !== current).slice(0, offered);
  if (recent.length === 0)
    throw new UserError(
      exitCode.usage,
      `There is no ${current === undefined ? "" : "other "}saved session of ${cwd} yet. \`corecoder sessions list --all\` shows those of other folders.`,
    );
  const rows = recent.map(({ endedAt, name, title, turns }) => {
    const when = new Date(endedAt).toISOString().slice(0, 16).replace("T", " ");
    return `${when}  ${cutToWidth(showControl(name ?? title), 60)}  (${turns === 1 ? "1 turn" : `${turns} turns`})`;
  });
  const picked = await pickRow("Go on with which?", rows);
  return picked === undefined ? undefined : recent[picked]?.id;
}

function pathOf({ wanted, cwd, stateFolder }: ResumeOptions): string {
  if (wanted !== "last") return locateSession(wanted, stateFolder);
  const last = lastSession(stateFolder, projectSlug(cwd));
  if (last) return last;
  throw new UserError(
    exitCode.usage,
    `There is no saved session of ${cwd} to go on with. \`corecoder sessions list --all\` shows those of other folders.`,
  );
}

/** A session belongs to its folder: its paths, its files to undo and its instructions lie there. */
function readHere(path: string, { cwd, stateFolder }: Pick<ResumeOptions, "cwd" | "stateFolder">): SavedSession {
  const session = readSession(path, stateFolder);
  if (session.cwd === undefined || realOrSame(session.cwd) === realOrSame(cwd)) return session;
  throw new UserError(
    exitCode.usage,
    `The session ${session.id} belongs to ${session.cwd}. Go on there: corecoder -C ${JSON.stringify(session.cwd)} -r ${session.id}.`,
  );
}

function describeHolder(log: string, { pid, host, since, isHere, path }: LockHolder): string {
  const id = log.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  const where = isHere
    ? `in process ${pid} since ${since}`
    : `in process ${pid} on ${host} since ${since} (if that is over, remove ${path})`;
  return `The session ${id} is open ${where}.`;
}
