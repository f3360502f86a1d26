import { isPrompt } from "../../contracts/conversation-record.ts";
import { type Message, toolCallsOf } from "../../contracts/message.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import { checkKept, type KeptEntry } from "../kept-texts.ts";
import { type LogDamage, scanLog } from "./read-log.ts";

/** What a log holds, and what is wrong with it. */
export type LogReport = {
  readonly path: string;
  readonly bytes: number;
  readonly records: number;
  /** Requests of the person. */
  readonly turns: number;
  readonly damage: readonly LogDamage[];
  /** Records whose bytes are right but which this version does not understand; a later one may. They are left where they are. */
  readonly foreign: number;
  /** Calls that have no result: the process ended while they ran. */
  readonly openCalls: readonly OpenCall[];
  readonly lostTexts: readonly LostText[];
};

export type OpenCall = { readonly callId: string; readonly tool: string };
export type LostText = { readonly handle: string; readonly state: "missing" | "damaged"; readonly bytes: number };

/** Throws as readLog does. */
export function inspectLog(path: string): LogReport {
  const damage: LogDamage[] = [];
  const calls = createOpenCalls();
  const kept = new Map<string, KeptEntry>();
  let [bytes, records, turns, foreign] = [0, 0, 0, 0];
  function take(entry: SessionEntry): void {
    records++;
    if (entry.type === "kept") kept.set(entry.handle, entry);
    if (entry.type === "reset") calls.clear();
    if (entry.type !== "message") return;
    calls.take(entry.message);
    if (entry.parentCallId === undefined && isPrompt(entry.message)) turns++;
  }
  for (const found of scanLog(path)) {
    bytes = found.offset + found.bytes;
    if ("entry" in found) take(found.entry);
    else if (found.type === "damage") damage.push(found);
    else if (found.state !== "repeated") foreign++;
  }
  const folder = path.replace(/\.jsonl$/, "");
  const lostTexts = [...kept.values()].flatMap((entry): LostText[] => {
    const state = checkKept(folder, entry);
    return state === "intact" ? [] : [{ handle: entry.handle, state, bytes: entry.bytes }];
  });
  return { path, bytes, records, turns, damage, foreign, openCalls: calls.open(), lostTexts };
}

function createOpenCalls() {
  const open = new Map<string, OpenCall>();
  return {
    take(message: Message): void {
      for (const { callId, tool } of toolCallsOf(message)) open.set(callId, { callId, tool });
      for (const part of message.parts) if (part.type === "tool-result") open.delete(part.callId);
    },
    clear: () => open.clear(),
    open: () => [...open.values()],
  };
}
