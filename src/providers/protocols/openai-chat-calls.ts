import type { ToolCallPart } from "../../contracts/message.ts";
import { createCallIds, parseArguments } from "../tool-call-input.ts";

export type CallFragment = {
  readonly index?: unknown;
  readonly id?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown } | undefined;
};

type Call = {
  readonly index: number | undefined;
  readonly id: string;
  name: string;
  input: string;
  /** Set when it was announced. */
  callId: string | undefined;
};

export type CallAssembly = {
  readonly count: number;
  add(fragment: CallFragment | null): void;
  /** All calls, in the order of their indexes, ids unique. */
  finish(): ToolCallPart[];
};

/**
 * Puts tool calls together from fragments. Servers disagree on what marks a new call: some leave out `index`, some send 0 for every call,
 * some repeat the id with each fragment, some never send one. A new id at a known place is a new call; so is a known id at a new place.
 */
export function createCallAssembly(onComplete: (call: ToolCallPart) => void): CallAssembly {
  const calls: Call[] = [];
  const ids = createCallIds();

  function callFor(fragment: CallFragment): Call {
    const index = indexOf(fragment.index);
    const id = typeof fragment.id === "string" ? fragment.id : "";
    const known = id
      ? calls.findLast((call) => call.id === id && (index === undefined || call.index === index))
      : continuedBy(fragment, index);
    if (known) return known;
    announceWhole();
    const call: Call = { index, id, name: "", input: "", callId: undefined };
    calls.push(call);
    return call;
  }

  function continuedBy(fragment: CallFragment, index: number | undefined): Call | undefined {
    if (index !== undefined) return calls.findLast((call) => call.index === index);
    const last = calls.at(-1);
    const startsAnother = last && nameOf(fragment) !== "" && last.name !== "" && isWhole(last.input);
    return startsAnother ? undefined : last;
  }

  /** A complete JSON object cannot grow: such a call is whole although the stream goes on. */
  function announceWhole(): void {
    for (const call of calls) {
      if (call.callId !== undefined) continue;
      if (call.id === "" || !isWhole(call.input)) return;
      call.callId = ids.claim(call.id);
      onComplete(part(call, call.callId));
    }
  }

  return {
    get count() {
      return calls.length;
    },
    add(fragment) {
      if (fragment === null || typeof fragment !== "object") return;
      const call = callFor(fragment);
      const name = nameOf(fragment);
      if (name && name !== call.name && (call.name === "" || call.input === "")) call.name += name;
      const { arguments: input } = fragment.function ?? {};
      if (typeof input === "string") call.input += input;
      else if (input !== null && typeof input === "object") call.input += JSON.stringify(input);
    },
    finish() {
      const ordered = calls.every((call) => call.index !== undefined)
        ? calls.toSorted((a, b) => (a.index as number) - (b.index as number))
        : calls;
      return ordered.map((call) => part(call, call.callId ?? ids.claim(call.id)));
    },
  };
}

function isWhole(input: string): boolean {
  return input !== "" && parseArguments(input) !== undefined;
}

function nameOf(fragment: CallFragment): string {
  const name = fragment.function?.name;
  return typeof name === "string" ? name : "";
}

function indexOf(index: unknown): number | undefined {
  const value = typeof index === "string" && index.trim() !== "" ? Number(index) : index;
  return typeof value === "number" && Number.isFinite(value) ? value : undefined;
}

function part(call: Call, callId: string): ToolCallPart {
  return { type: "tool-call", callId, tool: call.name, input: parseArguments(call.input), rawInput: call.input };
}
