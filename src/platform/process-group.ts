import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import { carriersOf, recentCarriersOf, runMark } from "./process-group-mark.ts";
import { startWatchdog, unwatchGroup, watchGroup } from "./process-group-watchdog.ts";

/** Every program runs as the leader of its own session and process group, so that it can be ended together with all it started. */

export type GroupExit = { readonly code: number | null; readonly signal: NodeJS.Signals | null };

export type ProcessGroup = {
  /** Also the id of the group and of the session. */
  readonly pid: number;
  readonly child: ChildProcess;
  /** When the leader itself ends, whoever else still lives or holds its output. */
  readonly exited: Promise<GroupExit>;
};

export type GroupOptions = {
  readonly file: string;
  readonly args: readonly string[];
  readonly cwd: string;
  /** The whole environment: nothing is inherited, since ours holds keys. */
  readonly env: Readonly<Record<string, string>>;
  readonly stdio: StdioOptions;
  /** Carried by everything it starts, so that also what leaves the group is found. */
  readonly mark?: string;
};

/** The leaders, with the marks of those that have one and the time they started. */
const liveGroups = new Map<number, { readonly mark: string | undefined; readonly since: number }>();

/** Rejects with the operating system's error (`code`) when the program cannot be started. */
export async function spawnGroup({ file, args, cwd, env, stdio, mark }: GroupOptions): Promise<ProcessGroup> {
  const child = spawn(file, args, { cwd, env, stdio, detached: true });
  const { pid } = child;
  if (pid === undefined) throw (await once(child, "error"))[0];
  liveGroups.set(pid, { mark, since: performance.now() });
  if (mark !== undefined) {
    startWatchdog(runMark() ?? mark);
    watchGroup(pid);
  }
  const exited = new Promise<GroupExit>((resolve) => {
    child.once("exit", (code, signal) => {
      if (mark === undefined && send(-pid, 0) === "gone") forget(pid);
      resolve({ code, signal });
    });
  });
  return { pid, child, exited };
}

/** Its number may be given to others from now on. */
function forget(leader: number): void {
  if (liveGroups.get(leader)?.mark !== undefined) unwatchGroup(leader);
  liveGroups.delete(leader);
}

/** Did spawnGroup reject because the program could not be started? */
export function isStartFailure(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).syscall?.startsWith("spawn") ?? false;
}

function send(target: number, signal: NodeJS.Signals | 0): "sent" | "gone" {
  try {
    process.kill(target, signal);
    return "sent";
  } catch (error) {
    // EPERM: somebody is there, but runs as another user.
    return (error as NodeJS.ErrnoException).code === "EPERM" ? "sent" : "gone";
  }
}

type ProcessRow = {
  readonly pid: number;
  readonly parent: number;
  readonly group: number;
  readonly session: number;
};

/** Undefined for a process that has ended (also a zombie nobody waited for) and where there is no /proc. */
function processRow(pid: string): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const [state = "", parent, group, session] = stat.slice(stat.lastIndexOf(")") + 2).split(" ", 4);
    if ("ZXx".includes(state)) return undefined;
    return { pid: Number(pid), parent: Number(parent), group: Number(group), session: Number(session) };
  } catch {
    return undefined;
  }
}

function processTable(): readonly ProcessRow[] {
  try {
    return readdirSync("/proc").flatMap((name) => (/^\d+$/.test(name) ? (processRow(name) ?? []) : []));
  } catch {
    return [];
  }
}

const listsProcesses = existsSync("/proc/self/stat");

/**
 * The living processes of the leader's session (children with job control have groups of their own), those that carry its mark, and
 * the descendants of all (`setsid` leaves the session). Where processes cannot be listed: the leader's id while its group lives.
 */
export function membersOf(leader: number): ReadonlySet<number> {
  if (!listsProcesses) return new Set(send(-leader, 0) === "gone" ? [] : [leader]);
  const rows = processTable();
  const mark = liveGroups.get(leader)?.mark;
  const members = new Set<number>(mark === undefined ? [] : carriersOf(mark));
  for (const row of rows) {
    if (row.pid === leader || row.session === leader || row.group === leader) members.add(row.pid);
  }
  for (let known = -1; known !== members.size; ) {
    known = members.size;
    for (const row of rows) if (members.has(row.parent)) members.add(row.pid);
  }
  return members;
}

function signalAll(leader: number, members: Iterable<number>, signal: NodeJS.Signals): void {
  const reached = send(-leader, signal);
  for (const pid of members) if (pid !== leader || reached === "gone") send(pid, signal);
}

/** Those of `before` that live, and whatever belongs to the leader by now. */
function survivors(leader: number, before: ReadonlySet<number>): ReadonlySet<number> {
  const alive = new Set(membersOf(leader));
  if (!listsProcesses) return alive;
  for (const pid of before) if (processRow(String(pid)) !== undefined) alive.add(pid);
  return alive;
}

const pollMs = 15;

async function waitUntilGone(
  leader: number,
  members: ReadonlySet<number>,
  limitMs: number,
): Promise<ReadonlySet<number>> {
  const giveUp = performance.now() + limitMs;
  let alive = survivors(leader, members);
  while (alive.size > 0 && performance.now() < giveUp) {
    await setTimeout(pollMs);
    alive = survivors(leader, members);
  }
  return alive;
}

/** TERM to everything the leader started, KILL to what still lives after the grace time. Resolves when nothing does. */
export async function endGroup(leader: number, graceMs: number): Promise<void> {
  const members = membersOf(leader);
  signalAll(leader, members, "SIGTERM");
  const stubborn = await waitUntilGone(leader, members, graceMs);
  if (stubborn.size > 0) {
    signalAll(leader, stubborn, "SIGKILL");
    await waitUntilGone(leader, stubborn, 500);
  }
  forget(leader);
}

/** Nobody of the group is left, nor anybody who carries its mark. */
function isGone(leader: number, mark: string | undefined, since: number): boolean {
  if (send(-leader, 0) !== "gone") return false;
  if (mark === undefined || !listsProcesses) return true;
  const isRecent = performance.now() - since < recentMs;
  return (isRecent ? recentCarriersOf(mark, leader) : carriersOf(mark)).length === 0;
}

/** Not long enough for the numbers of processes to come round. */
const recentMs = 2_000;

/** After the leader's exit: what it left running. A group that still lives stays known to killAllGroups. */
export async function leftRunning(leader: number): Promise<readonly number[]> {
  for (const [group, { mark, since }] of liveGroups) if (isGone(group, mark, since)) forget(group);
  if (!liveGroups.has(leader)) return [];
  // A process that has just closed our pipe may still be on its way out.
  const left = await waitUntilGone(leader, new Set(), 3 * pollMs);
  if (left.size === 0) forget(leader);
  return [...left];
}

/** For the way out of the program: no child outlives it. Blocks for a moment, and only when something has to be ended. */
export function killAllGroups(): void {
  const pause = new Int32Array(new SharedArrayBuffer(4));
  const mark = runMark();
  // What a command left behind may have left more behind since it was forgotten.
  for (const pid of mark === undefined ? [] : carriersOf(mark))
    if (!liveGroups.has(pid)) liveGroups.set(pid, { mark: undefined, since: 0 });
  const living = () => [...liveGroups.keys()].filter((leader) => membersOf(leader).size > 0);
  let alive = living();
  for (const leader of alive) signalAll(leader, membersOf(leader), "SIGTERM");
  for (let waits = 0; alive.length > 0 && waits < 10; waits++) {
    Atomics.wait(pause, 0, 0, 10);
    alive = living();
  }
  for (const leader of alive) signalAll(leader, membersOf(leader), "SIGKILL");
  liveGroups.clear();
}

/** To the leader and everything it started. */
export function signalGroup(leader: number, signal: NodeJS.Signals): void {
  signalAll(leader, membersOf(leader), signal);
}
