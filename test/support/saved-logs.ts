import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Message, Part, Usage } from "../../src/contracts/message.ts";
import type { SessionEntry } from "../../src/contracts/session.ts";
import { encodeRecord } from "../../src/session/log/log-record.ts";
import type { LogRecord } from "../../src/session/log/read-log.ts";
import { head } from "./session-entries.ts";

/** 2026-03-02, noon, wherever the test runs. */
export const noon = new Date(2026, 2, 2, 12).getTime();

export const used = (inputTokens: number, outputTokens = 10, cacheReadTokens = 0): Usage => ({
  inputTokens,
  outputTokens,
  cacheReadTokens,
  cacheWriteTokens: 0,
});

export function said(id: string, parts: readonly Part[] | string, rest: Partial<Message> = {}): SessionEntry {
  const own: readonly Part[] = typeof parts === "string" ? [{ type: "text", text: parts }] : parts;
  return { type: "message", message: { id, role: "assistant", parts: own, ...rest } };
}

export function called(callId: string, tool: string, input: Record<string, unknown>): Part {
  return { type: "tool-call", callId, tool, input, rawInput: JSON.stringify(input) };
}

export function answered(id: string, callId: string, text: string, isError = false): SessionEntry {
  const part: Part = { type: "tool-result", callId, tool: "bash", text, isError, handle: "#1" };
  return { type: "message", message: { id, role: "tool", parts: [part] } };
}

export const finished = (durationMs = 1_000): SessionEntry => ({
  type: "event",
  event: {
    type: "turn.finished",
    outcome: { type: "done" },
    totals: { rounds: 1, usage: used(1), costUsd: null, durationMs, apiMs: 1, denials: [] },
  },
});

/** Of a sub-agent's conversation. */
export const inside = (parentCallId: string, entry: SessionEntry): SessionEntry =>
  ({ ...entry, parentCallId }) as SessionEntry;

/** One record a second, as if they had been read. */
export function recordsOf(entries: readonly SessionEntry[], startedAt = noon): LogRecord[] {
  return entries.map((entry, seq) => ({ entry, seq, time: startedAt + seq * 1_000, offset: seq * 100, bytes: 99 }));
}

export type SavedLog = {
  readonly id: string;
  readonly entries: readonly SessionEntry[];
  readonly project?: string;
  readonly startedAt?: number;
};

/** Writes a log below a state folder, with its head; answers with its path. */
export function saveLog(state: string, { id, entries, project = "project", startedAt = noon }: SavedLog): string {
  const folder = join(state, "sessions", project);
  mkdirSync(folder, { recursive: true });
  const path = join(folder, `${id}.jsonl`);
  const records = recordsOf([head(id), ...entries], startedAt);
  writeFileSync(path, Buffer.concat(records.map(encodeRecord)));
  return path;
}
