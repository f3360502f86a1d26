import type { ContextEdit, Receipt } from "../contracts/context.ts";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";
import type { Message } from "../contracts/message.ts";
import { isInside, realOrSame } from "../platform/paths.ts";
import { readLines } from "../platform/read-lines.ts";
import { findSession } from "./find-session.ts";
import { isEdit, isMessage, isObject, isReceipt } from "./log-checks.ts";

/** What happened to the conversation, in the order of the log. Sub-agents have conversations of their own and are left out. */
export type SessionStep =
  | { readonly type: "message"; readonly message: Message; readonly time: number }
  | {
      readonly type: "edits";
      readonly edits: readonly ContextEdit[];
      readonly receipt: Receipt | undefined;
      readonly time: number;
    };

export type SavedSession = {
  readonly id: string;
  readonly path: string;
  readonly cwd: string | undefined;
  readonly model: string | undefined;
  readonly steps: readonly SessionStep[];
  /** System prompt and tools as they were sent with every request. */
  readonly prefix: { readonly system: string; readonly tools: readonly unknown[] } | undefined;
  /** Lines that are no entries: cut off, changed by hand, or longer than any entry. */
  readonly damagedLines: number;
};

/** What a Date can hold. */
const latestTime = 8.64e15;
const maxLineBytes = 64 * 1024 * 1024;

/** Reads a session by its id, the beginning of its id, or its log's path below the state folder. Throws UserError 42. */
export function readSession(given: string, stateFolder: string): SavedSession {
  const isPath = given.endsWith(".jsonl");
  const path = isPath ? pathBelow(given, stateFolder) : findSession(given, stateFolder);
  try {
    return collect(path, readLines(path, { maxLineBytes }));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(
      exitCode.usage,
      `The session log ${path} cannot be read: ${messageOf(error)}. Check the name and its permissions.`,
    );
  }
}

function pathBelow(given: string, stateFolder: string): string {
  const path = realOrSame(given);
  if (isInside(path, realOrSame(stateFolder))) return path;
  throw new UserError(
    exitCode.usage,
    `${given} is not below ${stateFolder}, where session logs lie. Give a session's id, or a log below that folder.`,
  );
}

function collect(path: string, lines: Iterable<string | undefined>): SavedSession {
  const steps: SessionStep[] = [];
  const head: { id?: string; cwd?: string; model?: string; prefix?: SavedSession["prefix"] } = {};
  let damagedLines = 0;
  for (const line of lines) {
    if (line?.trim() === "") continue;
    const entry = line === undefined ? undefined : parse(line);
    if (entry === undefined || !take(entry)) damagedLines++;
  }
  if (steps.length === 0)
    throw new UserError(
      exitCode.usage,
      `The session log ${path} holds no messages${damagedLines > 0 ? ` (${damagedLines} damaged lines)` : ""}. Choose another session.`,
    );
  const fromName = path.replace(/^.*\//, "").replace(/\.jsonl$/, "");
  return {
    id: head.id ?? fromName,
    path,
    cwd: head.cwd,
    model: head.model,
    steps,
    prefix: head.prefix,
    damagedLines,
  };

  function take(entry: Record<string, unknown>): boolean {
    const isTime = typeof entry.time === "number" && Math.abs(entry.time) <= latestTime;
    const time = isTime ? (entry.time as number) : (steps.at(-1)?.time ?? 0);
    const isOfSubagent = entry.parentCallId !== undefined;
    switch (entry.type) {
      case "session":
        if (typeof entry.id === "string") head.id = entry.id;
        if (typeof entry.cwd === "string") head.cwd = entry.cwd;
        if (typeof entry.model === "string") head.model = entry.model;
        return typeof entry.id === "string";
      case "request.prefix":
        if (typeof entry.system !== "string" || !Array.isArray(entry.tools)) return false;
        head.prefix = { system: entry.system, tools: entry.tools };
        return true;
      case "message":
        if (!isMessage(entry.message)) return false;
        if (!isOfSubagent) steps.push({ type: "message", message: entry.message, time });
        return true;
      case "edits": {
        const { edits, receipt } = entry;
        if (!Array.isArray(edits) || !edits.every(isEdit)) return false;
        if (!isOfSubagent)
          steps.push({ type: "edits", edits, receipt: isReceipt(receipt) ? receipt : undefined, time });
        return true;
      }
      case "reset":
        // a new conversation: what was before it is history of another one
        steps.length = 0;
        return true;
      default:
        // entries of other kinds, also of later versions, say nothing about the conversation
        return typeof entry.type === "string";
    }
  }
}

function parse(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
