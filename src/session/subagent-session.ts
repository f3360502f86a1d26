import type { ContextStep } from "../contracts/context.ts";
import type { SessionEntry, SessionLog } from "../contracts/session.ts";
import { replacePrivateFile } from "../platform/private-files.ts";
import { randomName } from "../platform/random-name.ts";
import { createKeptTexts, type KeptTexts } from "./kept-texts.ts";
import { createEventLog, newSessionId } from "./log/event-log.ts";
import { encodeRecord } from "./log/log-record.ts";
import { acquireLock } from "./log/session-lock.ts";
import { subagentFolder } from "./session-place.ts";

export type SubagentSession = {
  readonly id: string;
  readonly log: SessionLog;
  readonly kept: KeptTexts;
  close(): void;
};

export type SubagentSessionOptions = {
  /** The log of the session that started it. */
  readonly parentPath: string;
  readonly head: Omit<Extract<SessionEntry, { type: "session" }>, "type" | "version" | "id">;
  readonly prefix: Omit<Extract<SessionEntry, { type: "request.prefix" }>, "type">;
  /** The history it begins with. */
  readonly steps?: readonly ContextStep[];
  readonly durability: "background" | "strict";
  readonly onTrouble: (problem: string) => void;
};

/** A session of its own inside its parent's: it is found by its id, not listed with the others, and goes when its parent goes. */
export function openSubagentSession(options: SubagentSessionOptions): SubagentSession {
  const { head, prefix, steps = [], durability, onTrouble } = options;
  const folder = subagentFolder(options.parentPath);
  const id = newSessionId(new Date(), randomName(8));
  const begin: SessionEntry[] = [
    { type: "session", version: 2, id, ...head },
    { type: "request.prefix", ...prefix },
  ];
  if (steps.length > 0) seed(`${folder}/${id}.jsonl`, begin, steps, onTrouble);
  const lock = acquireLock(`${folder}/${id}.jsonl`);
  const log = createEventLog({ id, folder, onTrouble, durability });
  const kept = createKeptTexts({ folder: `${folder}/${id}`, onKept: log.append, durability });
  if (steps.length === 0) for (const entry of begin) log.append(entry);
  return {
    ...{ id, log, kept },
    close() {
      log.close();
      if (lock.held) lock.release();
    },
  };
}

/** What was taken over keeps its times, which tell it from what is new. */
function seed(
  path: string,
  begin: readonly SessionEntry[],
  steps: readonly ContextStep[],
  onTrouble: (problem: string) => void,
): void {
  const now = Date.now();
  const lines = [
    ...begin.map((entry) => ({ entry, time: now })),
    ...steps.map((step) => ({ entry: step as SessionEntry, time: ("time" in step && step.time) || now })),
  ].map(({ entry, time }, seq) => encodeRecord({ seq, time, entry: withoutTime(entry) }));
  try {
    replacePrivateFile(path, Buffer.concat(lines));
  } catch {
    onTrouble(`The beginning of a fork cannot be written to ${path}; it cannot be resumed.`);
  }
}

function withoutTime(entry: SessionEntry): SessionEntry {
  const { time: _, ...rest } = entry as SessionEntry & { time?: number };
  return rest as SessionEntry;
}
