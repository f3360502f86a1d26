import type { Message } from "../contracts/message.ts";

/** Anthropic looks back this many blocks from a mark for something it has cached. */
const lookBackBlocks = 20;
const rememberedMarks = 40;

export type MarkedRequest = {
  readonly messages: readonly Message[];
  /** How many of them the vendor has seen before, unchanged. */
  readonly frontier: number;
  readonly blocksOf: (message: Message) => number;
};

/** Where marks go, as numbers of messages before them; at most three, ascending: the fourth that is allowed stands behind system and tools. */
export type CacheMarks = { placeIn(request: MarkedRequest): readonly number[] };

type Held = { written: readonly number[]; frontier: number; length: number; placed: readonly number[] };

/**
 * A mark makes the vendor keep everything before it, and look for what it kept. So there is one on the last message, for the next request to
 * find; one at the frontier, where this request leaves what was sent before; and, when a cut has moved the frontier so far that looking back
 * from it finds nothing, one on the newest message before it that was marked.
 */
export function createCacheMarks(): CacheMarks {
  const conversations = new WeakMap<Message, Held>();
  return {
    placeIn({ messages, frontier, blocksOf }) {
      const first = messages[0];
      if (first === undefined) return [];
      const held = conversations.get(first);
      // a repetition has to be the same bytes
      if (held?.frontier === frontier && held.length === messages.length) return held.placed;
      const written = (held?.written ?? []).filter((mark) => mark <= frontier);
      const newest = written.at(-1);
      const isOutOfSight =
        newest !== undefined && blocksIn(messages.slice(newest, frontier), blocksOf) >= lookBackBlocks;
      const placed = [...(isOutOfSight ? [newest] : []), ...(frontier > 0 ? [frontier] : []), messages.length];
      const marks = [...new Set(placed)];
      const kept = [...new Set([...written, ...marks])].slice(-rememberedMarks);
      conversations.set(first, { written: kept, frontier, length: messages.length, placed: marks });
      return marks;
    },
  };
}

function blocksIn(messages: readonly Message[], blocksOf: (message: Message) => number): number {
  let blocks = 0;
  for (const message of messages) {
    blocks += blocksOf(message);
    if (blocks >= lookBackBlocks) break;
  }
  return blocks;
}
