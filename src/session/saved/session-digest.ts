import { isPrompt } from "../../contracts/conversation-record.ts";
import { addUsage, emptyUsage, textOf, type Usage } from "../../contracts/message.ts";
import type { LedgerRow, SessionDigest } from "../../contracts/saved-session.ts";
import type { SessionEntry, SessionSettings } from "../../contracts/session.ts";
import { expandPath } from "../../platform/paths.ts";
import type { LogDamage, LogRecord } from "../log/read-log.ts";

/** Money for one call; `settings` say which vendor it went to. Undefined when the price is not known. */
export type PriceOfCall = (model: string, usage: Usage, settings: SessionSettings) => Promise<number | undefined>;

export type DigestFold = {
  take(found: LogRecord | LogDamage): void;
  /** Without prices: no call's price is known. */
  finish(): SessionDigest;
  finishWithPrices(priceOf: PriceOfCall): Promise<SessionDigest>;
};

type MessageEntry = Extract<SessionEntry, { readonly type: "message" }>;
type Row = { -readonly [Field in keyof LedgerRow]: LedgerRow[Field] };
type Call = { readonly row: Row; readonly usage: Usage | undefined; readonly settings: SessionSettings };

const titleLength = 200;

/** What a session is about, folded over its log. `id` is the name of the log's file, which is what a person can name. */
export function createDigest({ id, logBytes }: { id: string; logBytes: number }): DigestFold {
  const rows = new Map<string, Row>();
  const files = new Set<string>();
  const calls: Call[] = [];
  const about = { title: "", turns: 0, toolCalls: 0, damagedPlaces: 0, startedAt: 0, endedAt: 0 };
  const head: { cwd?: string; name?: string; forkedFrom?: string; forkedAt?: number } = {};
  let model = "";
  let settings: SessionSettings = {};
  let records = 0;
  let openSince: number | undefined;

  function rowOf(time: number, of: string): Row {
    const day = localDay(time);
    const key = `${day} ${of}`;
    const known = rows.get(key);
    if (known) return known;
    const row: Row = { day, model: of, calls: 0, usage: emptyUsage, costUsd: 0, unpricedCalls: 0, busyMs: 0 };
    rows.set(key, row);
    return row;
  }

  /** What a fork took over was paid for, and waited for, in the session it comes from. */
  const isCopied = (time: number) => head.forkedAt !== undefined && time < head.forkedAt;

  function spend(time: number, of: string, usage: Usage | undefined): void {
    if (isCopied(time)) return;
    const row = rowOf(time, of);
    row.calls++;
    row.unpricedCalls++;
    if (usage) row.usage = addUsage(row.usage, usage);
    calls.push({ row, usage, settings });
  }

  function takeMessage(entry: MessageEntry, time: number, isOfSubagent: boolean): void {
    const { message } = entry;
    if (message.role === "assistant") spend(time, entry.model ?? model, message.usage && completeUsage(message.usage));
    for (const part of message.parts) {
      if (part.type === "tool-call") about.toolCalls++;
      if (part.type === "tool-result")
        for (const { path } of part.changed ?? []) files.add(expandPath(path, head.cwd ?? "/"));
    }
    if (isOfSubagent || !isPrompt(message)) return;
    about.turns++;
    openSince = time;
    about.title ||= oneLine(textOf(message));
  }

  function takeEntry(entry: SessionEntry, time: number): void {
    const isOfSubagent = "parentCallId" in entry && entry.parentCallId !== undefined;
    switch (entry.type) {
      case "session":
        ({ model } = entry);
        settings = { ...entry.ambient, ...entry.settings };
        head.cwd = entry.cwd;
        if (entry.forkedFrom !== undefined) Object.assign(head, { forkedFrom: entry.forkedFrom, forkedAt: time });
        break;
      case "model":
        ({ model } = entry);
        settings = { ...settings, ...entry.settings };
        break;
      case "name":
        head.name = entry.name;
        break;
      case "message":
        takeMessage(entry, time, isOfSubagent);
        break;
      case "usage":
        spend(time, entry.model, completeUsage(entry.usage));
        break;
      case "changes":
        for (const { path } of entry.changes) files.add(path);
        break;
      case "undo":
      case "reset":
        if (entry.type === "reset" || entry.what !== "files") endTurn(time, undefined);
        break;
      case "event":
        if (entry.event.type === "turn.finished" && entry.event.parentCallId === undefined)
          endTurn(time, entry.event.totals.durationMs);
    }
  }

  function endTurn(time: number, measuredMs: number | undefined): void {
    if (openSince !== undefined && !isCopied(openSince))
      rowOf(openSince, model).busyMs += measuredMs ?? Math.max(0, time - openSince);
    openSince = undefined;
  }

  return {
    take(found) {
      if (!("entry" in found)) {
        about.damagedPlaces++;
        return;
      }
      if (records++ === 0) about.startedAt = found.time;
      about.endedAt = Math.max(about.endedAt, found.time);
      takeEntry(found.entry, found.time);
    },
    finish: () => summary(),
    async finishWithPrices(priceOf) {
      for (const { row, usage, settings: of } of calls) {
        const costUsd = usage && (await priceOf(row.model, usage, of));
        if (costUsd === undefined) continue;
        row.costUsd += costUsd;
        row.unpricedCalls--;
      }
      return summary();
    },
  };

  function summary(): SessionDigest {
    const isDamaged = about.damagedPlaces > 0 || records === 0;
    const state = isDamaged ? "damaged" : openSince === undefined ? "finished" : "interrupted";
    endTurn(about.endedAt, undefined);
    const ledger = [...rows.values()];
    const sum = (count: (row: Row) => number) => ledger.reduce((total, row) => total + count(row), 0);
    const models = [...new Set(ledger.filter((row) => row.calls > 0).map((row) => row.model))];
    return {
      ...about,
      ...{ id, cwd: head.cwd, name: head.name, forkedFrom: head.forkedFrom, state, logBytes, ledger },
      models: models.length > 0 || model === "" ? models : [model],
      usage: ledger.reduce((total, row) => addUsage(total, row.usage), emptyUsage),
      costUsd: sum((row) => row.unpricedCalls) > 0 ? null : sum((row) => row.costUsd),
      calls: sum((row) => row.calls),
      busyMs: sum((row) => row.busyMs),
      filesChanged: files.size,
    };
  }
}

/** Old logs leave out what they did not count. */
export function completeUsage(usage: Usage): Usage {
  return { ...emptyUsage, ...usage };
}

export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= titleLength ? line : `${line.slice(0, titleLength - 1)}…`;
}

/** The day on the person's own calendar. */
export function localDay(time: number): string {
  const date = new Date(time);
  const two = (number: number) => String(number).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
