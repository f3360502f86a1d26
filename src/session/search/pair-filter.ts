/**
 * Which words stand side by side in a document, as a Bloom filter: two bits a pair, about one in twelve wrong pairs passes. It keeps a
 * search for a phrase from reading every document that holds its words somewhere.
 */
const bitsForPair = 6;

/** Takes the words of one text as forEachWord gives them, by their hashes. */
export function createPairs(found: Set<number>): { take(word: number, kind: "whole" | "piece"): void } {
  let before = 0;
  /** The last piece of a compound word, which may begin a phrase as well as the whole. */
  let pieceBefore = 0;
  let firstPiece = 0;
  let lastPiece = 0;
  function add(left: number, right: number): void {
    found.add(joined(left, right));
    if (firstPiece !== 0) found.add(joined(left, firstPiece));
  }
  return {
    take(now, kind) {
      if (kind === "piece") {
        firstPiece ||= now;
        lastPiece = now;
        return;
      }
      if (before !== 0) add(before, now);
      if (pieceBefore !== 0) add(pieceBefore, now);
      before = now;
      pieceBefore = lastPiece;
      firstPiece = 0;
      lastPiece = 0;
    },
  };
}

export function pairsOf(words: readonly string[]): number[] {
  return words.slice(1).map((word, at) => joined(wordHash(words[at] as string), wordHash(word)));
}

export function encodePairs(pairs: ReadonlySet<number>): Buffer {
  const filter = Buffer.alloc(Math.ceil((pairs.size * bitsForPair) / 8));
  for (const pair of pairs)
    for (const bit of bitsOf(pair, filter.length)) filter[bit >> 3] = (filter[bit >> 3] as number) | (1 << (bit & 7));
  return filter;
}

export function mayHoldPair(filter: Buffer, pair: number): boolean {
  if (filter.length === 0) return false;
  return bitsOf(pair, filter.length).every((bit) => ((filter[bit >> 3] as number) & (1 << (bit & 7))) !== 0);
}

function bitsOf(pair: number, bytes: number): readonly [number, number] {
  const bits = bytes * 8;
  return [pair % bits, (Math.imul(pair, 0x9e3779b1) >>> 0) % bits];
}

function joined(left: number, right: number): number {
  return (Math.imul(left, 0x01000193) ^ right) >>> 0;
}

/** FNV-1a; never 0, which stands for no word. */
export function wordHash(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0 || 1;
}
