import { readFileSync, readlinkSync } from "node:fs";
import { hostname, uptime } from "node:os";
import { errnoOf } from "./file-fault.ts";

/** Tells a process apart from all others, also from a later one that was given its number. What a system does not tell is left out. */
export type ProcessIdentity = {
  readonly pid: number;
  readonly host: string;
  /** When it was made, in milliseconds. */
  readonly since: number;
  /** When the process started, in ticks of this boot. */
  readonly started?: string;
  readonly boot?: string;
  /** Where its number counts: a container has numbers of its own. */
  readonly numbering?: string;
};

export function ownIdentity(): ProcessIdentity {
  const started = processState(process.pid)?.started;
  const boot = bootId();
  const numbering = pidNumbering();
  return {
    pid: process.pid,
    host: hostname(),
    since: Date.now(),
    ...(started === undefined ? {} : { started }),
    ...(boot === undefined ? {} : { boot }),
    ...(numbering === undefined ? {} : { numbering }),
  };
}

/** "elsewhere": on another machine or in another container, so that nobody here can know. */
export function whereabouts(identity: ProcessIdentity): "running" | "gone" | "elsewhere" {
  if (identity.host !== hostname()) return "elsewhere";
  if (isOfOtherBoot(identity)) return "gone";
  if (identity.numbering !== undefined && identity.numbering !== pidNumbering()) return "elsewhere";
  const state = processState(identity.pid);
  if (state === undefined) return answersSignals(identity.pid) ? "running" : "gone";
  if (state.isDead) return "gone";
  return identity.started === undefined || identity.started === state.started ? "running" : "gone";
}

/** Uptime and clock are a little apart. */
const bootSlackMs = 60_000;

function isOfOtherBoot({ boot, since }: ProcessIdentity): boolean {
  const now = bootId();
  if (boot !== undefined && now !== undefined) return boot !== now;
  return since < Date.now() - uptime() * 1000 - bootSlackMs;
}

function bootId(): string | undefined {
  return attempt(() => readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
}

function pidNumbering(): string | undefined {
  return attempt(() => readlinkSync("/proc/self/ns/pid"));
}

/** From /proc/<pid>/stat: the state is the first field behind the name, which may itself hold anything, the start the 20th. */
function processState(pid: number): { readonly started: string | undefined; readonly isDead: boolean } | undefined {
  const stat = attempt(() => readFileSync(`/proc/${pid}/stat`, "utf8"));
  if (stat === undefined) return undefined;
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return { started: fields[19], isDead: fields[0] === "Z" || fields[0] === "X" };
}

function answersSignals(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return errnoOf(error) === "EPERM";
  }
}

function attempt<T>(action: () => T): T | undefined {
  try {
    return action();
  } catch {
    return undefined;
  }
}
