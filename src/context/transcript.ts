import type { Message, Part, ToolCallPart, ToolResultPart } from "../contracts/message.ts";

/** A message of the history with what the stages need to know about it. */
export type Entry = {
  readonly message: Message;
  readonly index: number;
  readonly tokens: number;
  /** Model calls made before it was added. */
  readonly call: number;
};

/** A tool result in the history. */
export type ResultEntry = {
  readonly entry: Entry;
  readonly part: ToolResultPart;
  readonly toolCall: ToolCallPart | undefined;
  readonly tokens: number;
  /** The last result before it with exactly the same text. */
  readonly twin: ResultEntry | undefined;
};

export type Estimate = (text: string) => number;

/** The history, indexed as it grows; nothing in it ever changes. */
export type Transcript = {
  readonly entries: readonly Entry[];
  readonly results: readonly ResultEntry[];
  /** Assistant messages so far. */
  readonly calls: number;
  add(message: Message): Entry;
  byId(id: string): Entry | undefined;
};

export function createTranscript(estimate: Estimate): Transcript {
  const entries: Entry[] = [];
  const results: ResultEntry[] = [];
  const ids = new Map<string, Entry>();
  const openCalls = new Map<string, ToolCallPart>();
  const texts = new Map<string, ResultEntry>();
  let calls = 0;
  return {
    entries,
    results,
    get calls() {
      return calls;
    },
    add(message) {
      const entry: Entry = { message, index: entries.length, tokens: tokensOf(message, estimate), call: calls };
      entries.push(entry);
      ids.set(message.id, entry);
      if (message.role === "assistant") calls++;
      for (const part of message.parts) {
        if (part.type === "tool-call") openCalls.set(part.callId, part);
        if (part.type !== "tool-result") continue;
        const toolCall = openCalls.get(part.callId);
        const twin = texts.get(part.text);
        const result: ResultEntry = { entry, part, toolCall, tokens: tokensOfPart(part, estimate), twin };
        results.push(result);
        texts.set(part.text, result);
        openCalls.delete(part.callId);
      }
      return entry;
    },
    byId: (id) => ids.get(id),
  };
}

/** Role, separators and ids cost a few tokens a message. */
const messageOverhead = 4;
/** Vendors bill images by size; a screenshot comes to about this. */
const imageTokens = 1_500;

export function tokensOf(message: Message, estimate: Estimate): number {
  return message.parts.reduce((sum, part) => sum + tokensOfPart(part, estimate), messageOverhead);
}

function tokensOfPart(part: Part, estimate: Estimate): number {
  switch (part.type) {
    case "text":
    case "thinking":
      return estimate(part.text);
    case "image":
      return imageTokens;
    case "tool-call":
      return estimate(part.rawInput) + estimate(part.tool) + 8;
    case "tool-result":
      return estimate(part.text) + 4 + (part.images?.length ?? 0) * imageTokens;
  }
}
