import type { FileChange } from "../../contracts/file-change.ts";
import { type Message, type ToolCallPart, type ToolResultPart, textOf } from "../../contracts/message.ts";
import type { ReadableCall, ReadableItem } from "../../contracts/saved-session.ts";
import type { SessionEntry } from "../../contracts/session.ts";
import type { ToolView } from "../../contracts/tool-view.ts";

type Writable<T> = T extends unknown ? { -readonly [Field in keyof T]: T[Field] } : never;
export type GrowingItem = Writable<ReadableItem>;
export type GrowingCall = Writable<Omit<ReadableCall, "items">> & {
  items: GrowingItem[];
  changes?: readonly FileChange[];
  startedAt?: number;
};
export type NewItem<T = ReadableItem> = T extends unknown ? Omit<T, "number" | "time" | "isUndone"> : never;
type Started = { readonly view: ToolView | undefined; readonly time: number };

/** One conversation of a log as it grows: the main one, or a sub-agent's inside its call. */
export type ReadableScope = {
  readonly items: readonly GrowingItem[];
  add(item: NewItem, time: number): void;
  takeMessage(message: Message, time: number): void;
  startCall(callId: string, started: Started): void;
  takeChanges(entry: Extract<SessionEntry, { type: "changes" }>): void;
  /** The call of this id that was made last; made up when that part of the log is damaged. */
  callFor(callId: string, tool: string, time: number): GrowingCall;
  has(callId: string): boolean;
};

export type ScopeOptions = {
  readonly items: GrowingItem[];
  readonly nextNumber: () => number;
  /** Ids are unique only among the calls that are open. */
  readonly onCall: (callId: string) => void;
};

export function createReadableScope({ items, nextNumber, onCall }: ScopeOptions): ReadableScope {
  const calls = new Map<string, GrowingCall>();
  /** Calls that only read may start before the message that asks for them is whole. */
  const early = new Map<string, Started>();

  function add(item: NewItem, time: number): GrowingItem {
    const added = { ...item, number: nextNumber(), time, isUndone: false } as GrowingItem;
    items.push(added);
    return added;
  }

  function addCall(part: ToolCallPart, time: number): GrowingCall {
    const { callId, tool, rawInput: input } = part;
    onCall(callId);
    const body: NewItem = {
      ...{ type: "call", tool, label: tool, title: firstArgument(part), input, result: undefined },
      ...{ durationMs: undefined, diff: undefined, changed: [], items: [] },
    };
    const call = add(body, time) as GrowingCall;
    calls.set(callId, call);
    const started = early.get(callId);
    if (started) start(call, started);
    early.delete(callId);
    return call;
  }

  function callFor(callId: string, tool: string, time: number): GrowingCall {
    return calls.get(callId) ?? addCall({ type: "tool-call", callId, tool, input: undefined, rawInput: "" }, time);
  }

  function answer(part: ToolResultPart, time: number): void {
    const { callId, tool, text, isError, handle, images = [], changed = [] } = part;
    const call = callFor(callId, tool, time);
    call.result = { text, isError: isError === true, handle, images };
    // what was seen on disk says more than what the tool says of itself
    if (call.changes === undefined) call.changed = changed;
    if (call.startedAt !== undefined) call.durationMs = Math.max(0, time - call.startedAt);
  }

  return {
    items,
    add,
    callFor,
    has: (callId) => calls.has(callId),
    takeMessage(message, time) {
      const { role, parts, stopReason, synthetic = false } = message;
      if (role === "user") {
        const images = parts.filter((part) => part.type === "image");
        add({ type: "prompt", text: textOf(message), images, isSynthetic: synthetic }, time);
      }
      const isCut = stopReason === "length" || stopReason === "interrupted";
      for (const part of parts) {
        if (part.type === "tool-call") addCall(part, time);
        else if (part.type === "tool-result") answer(part, time);
        else if (role !== "assistant" || part.type === "image" || part.text === "") continue;
        else if (part.type === "thinking") add({ type: "thinking", text: part.text }, time);
        else add({ type: "answer", text: part.text, isCut }, time);
      }
    },
    startCall(callId, started) {
      const call = calls.get(callId);
      const isNew = call !== undefined && call.startedAt === undefined && call.result === undefined;
      if (isNew) start(call, started);
      else early.set(callId, started);
    },
    takeChanges({ callId, changes }) {
      const call = calls.get(callId);
      if (call === undefined) return;
      call.changes = [...(call.changes ?? []), ...changes];
      call.changed = call.changes.map(({ path, before, after }) => {
        return { path, use: before === undefined ? "created" : after === undefined ? "deleted" : "edited" } as const;
      });
    },
  };
}

function start(call: GrowingCall, { view, time }: Started): void {
  call.startedAt = time;
  // events are shown as they are, so nobody has looked into them before
  if (typeof view?.label === "string") call.label = view.label;
  if (typeof view?.title === "string") call.title = view.title;
}

/** For a call that never started, and so was never described. */
function firstArgument({ input, rawInput }: ToolCallPart): string {
  const first = Object.values(input ?? {}).find((value) => typeof value === "string") ?? rawInput;
  return String(first).replace(/\s+/g, " ").trim().slice(0, 200);
}
