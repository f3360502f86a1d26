import type { Message } from "../contracts/message.ts";

/**
 * Messages that were sent once stay serialised: a request only serialises what is new, however long the conversation is.
 * A conversation is recognised by its first message; messages are compared by identity, since they never change.
 */
export type SerialisedPrefix = {
  /** The bytes of all messages, each as `serialise` wrote it, and where each ends. */
  layoutOf(messages: readonly Message[]): Layout;
};

export type Layout = {
  readonly bytes: Uint8Array;
  /** Offset behind each message. */
  readonly ends: readonly number[];
  /** How many messages the vendor has seen before, unchanged: what its cache can hold. The same for every repetition of a request. */
  readonly frontier: number;
};

type Held = { messages: Message[]; ends: number[]; buffer: Buffer; frontier: number };

const nothing: Layout = { bytes: new Uint8Array(), ends: [], frontier: 0 };

/** What `serialise` writes for a message may depend on the messages before it, never on those behind. */
export function createSerialisedPrefix(
  serialise: (message: Message, index: number, all: readonly Message[]) => string,
): SerialisedPrefix {
  const conversations = new WeakMap<Message, Held>();

  function layoutOf(messages: readonly Message[]): Layout {
    const first = messages[0];
    if (first === undefined) return nothing;
    let held = conversations.get(first);
    if (held === undefined) conversations.set(first, (held = emptyFor(messages)));
    let same = 0;
    while (same < held.messages.length && held.messages[same] === messages[same]) same++;
    const isRepetition = same === messages.length && same === held.messages.length;
    if (held.messages.length > 0 && !isRepetition) held.frontier = same;
    if (same < held.messages.length) shorten(held, same);
    for (let i = same; i < messages.length; i++)
      append(held, messages[i] as Message, serialise(messages[i] as Message, i, messages));
    return { bytes: held.buffer.subarray(0, held.ends.at(-1) ?? 0), ends: held.ends, frontier: held.frontier };
  }

  return { layoutOf };
}

/** Of a conversation taken up again, the vendor has seen what led to the last answer. */
function emptyFor(messages: readonly Message[]): Held {
  const lastAnswer = messages.findLastIndex((message) => message.role === "assistant");
  return { messages: [], ends: [], buffer: Buffer.allocUnsafe(16_384), frontier: Math.max(lastAnswer, 0) };
}

/** Bytes already handed out may still be on their way to the socket: they are copied, never overwritten. */
function shorten(held: Held, count: number): void {
  held.messages.length = count;
  held.ends.length = count;
  const kept = Buffer.allocUnsafe(held.buffer.length);
  held.buffer.copy(kept, 0, 0, held.ends.at(-1) ?? 0);
  held.buffer = kept;
}

function append(held: Held, message: Message, text: string): void {
  const start = held.ends.at(-1) ?? 0;
  const size = Buffer.byteLength(text);
  if (start + size > held.buffer.length) {
    const larger = Buffer.allocUnsafe(Math.max(held.buffer.length * 2, start + size));
    held.buffer.copy(larger, 0, 0, start);
    held.buffer = larger;
  }
  held.buffer.write(text, start);
  held.messages.push(message);
  held.ends.push(start + size);
}
