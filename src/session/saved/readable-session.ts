import type { AgentEvent } from "../../contracts/event.ts";
import type { FileChange } from "../../contracts/file-change.ts";
import type { Usage } from "../../contracts/message.ts";
import type {
  MarkKind,
  ReadableItem,
  ReadableModelCall,
  ReadableSession,
  SessionDigest,
} from "../../contracts/saved-session.ts";
import type { SessionEntry, SessionSettings } from "../../contracts/session.ts";
import type { LogDamage, LogRecord } from "../log/read-log.ts";
import { createReadableScope, type GrowingCall, type GrowingItem, type ReadableScope } from "./readable-scope.ts";
import { completeUsage, type PriceOfCall } from "./session-digest.ts";

export type FinishOptions = {
  readonly about: SessionDigest;
  readonly priceOf: PriceOfCall;
  /** Changes as a unified diff, as far as earlier contents were kept. */
  readonly diffOf: (changes: readonly FileChange[]) => Promise<string | undefined>;
};

export type ReadableFold = {
  take(found: LogRecord | LogDamage): void;
  finish(options: FinishOptions): Promise<ReadableSession>;
};

type EntryOf<Type extends SessionEntry["type"]> = Extract<SessionEntry, { type: Type }>;
type EventOf<Type extends AgentEvent["type"]> = Extract<AgentEvent, { type: Type }>;

/** A session as a person reads it: what was said and done in order, with what was taken back marked as such. */
export function createReadable(): ReadableFold {
  let number = 0;
  const subagents = new Map<string, ReadableScope>();
  const scopeIn = (items: GrowingItem[]) =>
    createReadableScope({ items, nextNumber: () => number++, onCall: (callId) => subagents.delete(callId) });
  const items: GrowingItem[] = [];
  const main = scopeIn(items);
  const undo = createUndoMarks(items);
  const modelCalls: (ReadableModelCall & { readonly settings: SessionSettings })[] = [];
  let model = "";
  let settings: SessionSettings = {};
  let starts = 0;
  let lastTime = 0;

  const mark = (kind: MarkKind, text: string, time: number) => main.add({ type: "mark", kind, text }, time);

  function scopeOf(parentCallId: string | undefined, time: number): ReadableScope {
    if (parentCallId === undefined) return main;
    const known = subagents.get(parentCallId);
    if (known) return known;
    const holder = [...subagents.values()].find((scope) => scope.has(parentCallId)) ?? main;
    const scope = scopeIn(holder.callFor(parentCallId, "agent", time).items);
    subagents.set(parentCallId, scope);
    return scope;
  }

  function spend(of: string, usage: Usage | undefined, where: { time: number; isSubagent: boolean }): void {
    const used = usage && completeUsage(usage);
    modelCalls.push({ item: number, model: of, usage: used, costUsd: null, settings, ...where });
  }

  function takeEvent(event: AgentEvent, time: number): void {
    const scope = scopeOf(event.parentCallId, time);
    if (event.type === "tool.started") scope.startCall(event.callId, { view: event.view, time });
    if (event.type === "notice") scope.add({ type: "mark", kind: "notice", text: String(event.text) }, time);
    if (event.type === "retrying")
      scope.add({ type: "mark", kind: "retry", text: `tried again: ${event.reason}` }, time);
    if (event.type === "turn.finished" && scope === main) takeEnding(event, time);
  }

  function takeEnding({ outcome, totals }: EventOf<"turn.finished">, time: number): void {
    const problem = outcome.type === "failed" ? String(outcome.error?.message ?? "") : undefined;
    const { rounds = 0, costUsd = null, durationMs = 0 } = totals;
    const usage = completeUsage(totals.usage);
    main.add({ type: "ending", outcome: outcome.type, problem, rounds, usage, costUsd, durationMs }, time);
  }

  function takeEntry(entry: SessionEntry, time: number): void {
    const parentCallId = "parentCallId" in entry ? entry.parentCallId : undefined;
    const where = { time, isSubagent: parentCallId !== undefined };
    switch (entry.type) {
      case "session":
        ({ model } = entry);
        settings = { ...entry.ambient, ...entry.settings };
        if (entry.forkedFrom !== undefined) mark("resumed", `forked from ${entry.forkedFrom}`, time);
        else if (starts > 0) mark("resumed", "taken up again", time);
        starts++;
        break;
      case "model":
        ({ model } = entry);
        settings = { ...settings, ...entry.settings };
        mark("model", `model ${entry.model}`, time);
        break;
      case "name":
        mark("name", `named ${entry.name}`, time);
        break;
      case "message":
        if (entry.message.role === "assistant") spend(entry.model ?? model, entry.message.usage, where);
        scopeOf(parentCallId, time).takeMessage(entry.message, time);
        if (parentCallId === undefined) undo.takeMessage(entry.message);
        break;
      case "usage":
        spend(entry.model, entry.usage, where);
        break;
      case "edits":
        if (entry.receipt) scopeOf(parentCallId, time).add({ type: "receipt", receipt: entry.receipt }, time);
        break;
      case "changes":
        scopeOf(parentCallId, time).takeChanges(entry);
        break;
      case "undo":
        undo.takeBack(entry);
        mark("undo", describeUndo(entry), time);
        break;
      case "redo":
        undo.bringBack();
        mark("redo", "brought back", time);
        break;
      case "reset":
        mark("reset", "started over", time);
        undo.reset();
        break;
      case "event":
        takeEvent(entry.event, time);
    }
  }

  return {
    take(found) {
      if ("entry" in found) {
        lastTime = found.time;
        takeEntry(found.entry, found.time);
      } else mark("damage", `${found.bytes} bytes of the log cannot be read (${found.kind})`, lastTime);
    },
    async finish({ about, priceOf, diffOf }) {
      const priced: ReadableModelCall[] = [];
      for (const { settings: of, ...call } of modelCalls) {
        const costUsd = call.usage && (await priceOf(call.model, call.usage, of));
        priced.push({ ...call, costUsd: costUsd ?? null });
      }
      return { about, items: await finished(items, { diffOf, about }), modelCalls: priced };
    },
  };
}

/** Without what only the fold needs. */
async function finished(
  items: readonly GrowingItem[],
  options: Pick<FinishOptions, "diffOf" | "about">,
): Promise<readonly ReadableItem[]> {
  const done: ReadableItem[] = [];
  for (const item of items) {
    if (item.type !== "call") done.push(item);
    else {
      const { startedAt: _startedAt, changes, ...call } = item as GrowingCall;
      const diff = changes === undefined ? undefined : await options.diffOf(changes);
      const changed = call.changed.map(({ path, use }) => ({ path: fromFolder(path, options.about.cwd), use }));
      done.push({ ...call, diff, changed, items: await finished(call.items, options) });
    }
  }
  return done;
}

function fromFolder(path: string, folder: string | undefined): string {
  return folder !== undefined && path.startsWith(`${folder}/`) ? path.slice(folder.length + 1) : path;
}

function describeUndo({ what, files }: EntryOf<"undo">): string {
  const count = files.length > 0 ? `${files.length} ${files.length === 1 ? "file" : "files"}` : "";
  if (what === "files") return count === "" ? "files taken back" : `${count} taken back`;
  return `taken back${count === "" ? "" : `, ${count} restored`}`;
}

/** Which items of the conversation no longer count. */
function createUndoMarks(items: readonly GrowingItem[]) {
  /** How many items there were once a message had been added. */
  const places = new Map<string, number>();
  let stack: GrowingItem[][] = [];
  let start = 0;
  return {
    takeMessage({ id, role, synthetic }: EntryOf<"message">["message"]) {
      if (role === "user" && synthetic !== true) stack = [];
      places.set(id, items.length);
    },
    takeBack({ after, what }: EntryOf<"undo">) {
      const place = (after === undefined ? undefined : places.get(after)) ?? start;
      // how the turn before it ended stays
      const first = items.findIndex((item, at) => at >= place && item.type === "prompt");
      const cut = what === "files" || first < 0 ? [] : items.slice(first);
      const taken = cut.filter((item) => !item.isUndone && item.type !== "mark");
      for (const item of taken) item.isUndone = true;
      stack.push(taken);
    },
    bringBack() {
      for (const item of stack.pop() ?? []) item.isUndone = false;
    },
    reset() {
      stack = [];
      start = items.length;
    },
  };
}
