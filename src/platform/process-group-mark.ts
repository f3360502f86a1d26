import { readdirSync, readFileSync } from "node:fs";

/**
 * A variable in the environment of every command. A process may leave its parent, its group and its session, but it takes its
 * environment along: what a command started is found by it, unless it was started with an emptied environment.
 */
export const markVariable = "CORECODER_RUN";

const run = `${process.pid}-${Math.random().toString(36).slice(2)}`;
let commands = 0;

/** What all commands of this process carry; undefined before the first. */
export function runMark(): string | undefined {
  return commands === 0 ? undefined : `${run}.`;
}

export type Marked = { readonly env: Readonly<Record<string, string>>; readonly mark: string };

/** The environment with a mark of its own; the marks of a corecoder that this one runs in stay. */
export function markEnvironment(env: Readonly<Record<string, string>>): Marked {
  const mark = `${run}.${++commands};`;
  return { mark, env: { ...env, [markVariable]: `${env[markVariable] ?? ""}${mark}` } };
}

/** The living processes that carry the mark. */
export function carriersOf(mark: string): readonly number[] {
  return allProcesses().filter((pid) => carries(pid, mark));
}

/**
 * The same for a mark that is a moment old, for a fraction of the price: numbers are given out in rising order, so only those between the
 * leader's and the latest have to be looked at. (After a while they may have started again from the beginning.)
 */
export function recentCarriersOf(mark: string, leader: number): readonly number[] {
  const latest = latestPid();
  if (latest === undefined) return carriersOf(mark);
  const isLater = (pid: number) => (latest >= leader ? pid > leader && pid <= latest : pid > leader || pid <= latest);
  const few = latest >= leader && latest - leader < fewPids;
  const later = few
    ? Array.from({ length: latest - leader }, (_, at) => leader + 1 + at)
    : allProcesses().filter(isLater);
  return later.filter((pid) => carries(pid, mark));
}

/** Up to here asking for each is quicker than listing all. */
const fewPids = 8;

function latestPid(): number | undefined {
  try {
    const pid = Number(readFileSync("/proc/loadavg", "latin1").split(" ")[4]);
    return pid > 0 ? pid : undefined;
  } catch {
    return undefined;
  }
}

function allProcesses(): readonly number[] {
  try {
    return readdirSync("/proc").flatMap((name) =>
      Number(name) > 0 && Number(name) !== process.pid ? [Number(name)] : [],
    );
  } catch {
    return [];
  }
}

function carries(pid: number, mark: string): boolean {
  try {
    return readFileSync(`/proc/${pid}/environ`, "latin1").includes(mark);
  } catch {
    return false;
  }
}
