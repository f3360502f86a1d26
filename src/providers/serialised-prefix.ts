import type { Message } from "../contracts/message.ts";

/**
 * Messages that were sent once stay serialised: a request only serialises what is new, however long the conversation is.
 * A conversation is recognised by its first message; messages are compared by identity, since they never change.
 */
export type SerialisedPrefix = {
  /** The bytes of all messages, each as `serialise` wrote it. */
  bytesOf(messages: readonly Message[]): Uint8Array;
};

type Held = { messages: Message[]; ends: number[]; buffer: Buffer };

export function createSerialisedPrefix(
  serialise: (message: Message, index: number, all: readonly Message[]) => string,
): SerialisedPrefix {
  const conversations = new WeakMap<Message, Held>();
  return {
    bytesOf(messages) {
      const first = messages[0];
      if (first === undefined) return new Uint8Array();
      let held = conversations.get(first);
      if (held === undefined)
        conversations.set(first, (held = { messages: [], ends: [], buffer: Buffer.allocUnsafe(16_384) }));
      let same = 0;
      while (same < held.messages.length && held.messages[same] === messages[same]) same++;
      if (same < held.messages.length) shorten(held, same);
      for (let i = same; i < messages.length; i++)
        append(held, messages[i] as Message, serialise(messages[i] as Message, i, messages));
      return held.buffer.subarray(0, held.ends.at(-1) ?? 0);
    },
  };
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
