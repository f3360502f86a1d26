import { forEachWord } from "../../platform/search-words.ts";
import { createPairs, encodePairs, wordHash } from "./pair-filter.ts";

/** Counts the words of one document after the other, and keeps for each word in which documents it stood. */
export type WordCounter = {
  /** Text of the current document; its words count `weight` times. */
  take(text: string, weight: number): void;
  /** Ends the current document under its number. Numbers rise. */
  endDocument(number: number): { readonly words: number; readonly filter: Buffer };
  /** Forgets the current document. */
  discard(): void;
  /** For each word: document, count, document, count… */
  postings(): ReadonlyMap<string, readonly number[]>;
};

const mostCounted = 255;

/** A word is looked up once for each time it occurs; everything else goes by its number. */
export function createWordCounter(): WordCounter {
  const numbers = new Map<string, number>();
  const hashes: number[] = [];
  const lists: number[][] = [];
  /** In the current document. */
  const counts: number[] = [];
  let touched: number[] = [];
  let pairs = new Set<number>();
  let words = 0;

  function learn(word: string): number {
    const number = lists.length;
    numbers.set(word, number);
    hashes.push(wordHash(word));
    lists.push([]);
    counts.push(0);
    return number;
  }

  function start(): void {
    for (const number of touched) counts[number] = 0;
    touched = [];
    pairs = new Set();
    words = 0;
  }

  return {
    take(text, weight) {
      const side = createPairs(pairs);
      forEachWord(text, (word, kind) => {
        const number = numbers.get(word) ?? learn(word);
        const count = counts[number] as number;
        if (count === 0) touched.push(number);
        counts[number] = count + weight;
        words++;
        side.take(hashes[number] as number, kind);
      });
    },
    endDocument(document) {
      for (const number of touched) lists[number]?.push(document, Math.min(counts[number] as number, mostCounted));
      const ended = { words, filter: encodePairs(pairs) };
      start();
      return ended;
    },
    discard: start,
    postings: () => new Map([...numbers].map(([word, number]) => [word, lists[number] as number[]])),
  };
}
