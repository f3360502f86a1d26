import { createWhole } from "../../platform/create-whole.ts";
import { lookAt } from "../../platform/open-file.ts";
import { readIfThere, removeIfThere, replacePrivateFile } from "../../platform/private-files.ts";
import { ownIdentity, type ProcessIdentity, whereabouts } from "../../platform/process-identity.ts";
import { randomName } from "../../platform/random-name.ts";
import { isObject } from "./log-checks.ts";

export type LockHolder = {
  readonly pid: number;
  readonly host: string;
  /** When it took the lock: `2026-01-31T12:00:00Z`. */
  readonly since: string;
  /** False: on another machine or in another container. Whether it still runs cannot be known from here. */
  readonly isHere: boolean;
  /** The file of the lock: removing it frees the session. */
  readonly path: string;
};

/** Also released when the process exits; releasing it again does nothing. */
export type SessionLock = { readonly held: true; release(): void };

export type LockResult = SessionLock | { readonly held: false; readonly by: LockHolder };

/**
 * The right to write to a log, for one process at a time: a file `<id>.lock` beside it. A lock whose process is gone is taken over; of
 * several that try, one succeeds. Where no lock can be made, because the folder cannot be written, everybody gets one: no session fails
 * for want of a lock.
 */
export function acquireLock(log: string): LockResult {
  try {
    return acquire(lockPath(log), { ...ownIdentity(), token: randomName(12) });
  } catch {
    return { held: true, release: () => {} };
  }
}

/** Who holds the lock of a log, if anybody does. */
export function lockHolder(log: string): LockHolder | undefined {
  const path = lockPath(log);
  const found = readLock(path);
  if (typeof found === "string") return undefined;
  const state = whereabouts(found);
  return state === "gone" ? undefined : describe(found, state, path);
}

function lockPath(log: string): string {
  return log.replace(/\.jsonl$/, ".lock");
}

type Lock = ProcessIdentity & { readonly token: string };

const maxTries = 500;

function acquire(path: string, own: Lock): LockResult {
  const text = `${JSON.stringify(own)}\n`;
  for (let tries = 0; tries < maxTries; tries++) {
    if (createWhole(path, text)) return held(path, own.token);
    const found = readLock(path);
    if (found === "none") continue;
    if (found === "being written") {
      pause(10);
      continue;
    }
    const state = found === "damaged" ? "gone" : whereabouts(found);
    if (found !== "damaged" && state !== "gone") return { held: false, by: describe(found, state, path) };
    // Only who holds the lock on this very lock may replace it, so that nobody replaces one that is already a new one.
    const token = tokenOf(found);
    const right = acquire(`${path}.${token}`, own);
    if (!right.held) return { held: false, by: { ...right.by, path } };
    try {
      if (tokenOf(readLock(path)) !== token) continue;
      replacePrivateFile(path, text);
      return held(path, own.token);
    } finally {
      right.release();
    }
  }
  throw new Error(`${path} is neither free nor held`);
}

function held(path: string, token: string): SessionLock {
  const release = () => {
    heldHere.delete(release);
    if (heldHere.size === 0) process.off("exit", releaseAll);
    if (tokenOf(readLock(path)) === token) removeIfThere(path);
  };
  if (heldHere.size === 0) process.on("exit", releaseAll);
  heldHere.add(release);
  return { held: true, release };
}

const heldHere = new Set<() => void>();

function releaseAll(): void {
  for (const release of heldHere) release();
}

function describe({ pid, host, since }: Lock, state: "running" | "elsewhere", path: string): LockHolder {
  return {
    pid,
    host,
    since: new Date(since).toISOString().replace(/\.\d+Z$/, "Z"),
    isHere: state === "running",
    path,
  };
}

type Found = Lock | "none" | "being written" | "damaged";

function tokenOf(found: Found): string {
  return typeof found === "string" ? found : found.token;
}

function readLock(path: string): Found {
  const text = readIfThere(path);
  if (text === undefined) return "none";
  const lock = parseLock(text);
  if (lock !== undefined) return lock;
  const ageMs = Date.now() - Number(lookAt(path)?.mtimeMs ?? 0n);
  return ageMs >= 0 && ageMs < writingMs ? "being written" : "damaged";
}

/** Where a file cannot be made whole, it takes its content in this time. */
const writingMs = 2_000;

function parseLock(text: string): Lock | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const { pid, host, since, token, started, boot, numbering } = value;
    const isRight =
      Number.isSafeInteger(pid) &&
      (pid as number) > 0 &&
      Number.isSafeInteger(since) &&
      Math.abs(since as number) <= latestTime &&
      typeof host === "string" &&
      /^[\w.:-]{0,60}$/.test(host) &&
      /^[a-z0-9]{1,40}$/.test(String(token)) &&
      [started, boot, numbering].every((field) => field === undefined || typeof field === "string");
    return isRight ? (value as Lock) : undefined;
  } catch {
    return undefined;
  }
}

/** What a Date can hold. */
const latestTime = 8.64e15;

function pause(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
