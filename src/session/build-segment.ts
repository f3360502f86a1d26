import type { ScannedFile } from "../platform/scan-folders.ts";
import { createPairs, encodePairs } from "./pair-filter.ts";
import { readLog } from "./read-log.ts";
import { type CoveredLog, encodeSegment, type SearchDocument } from "./search-segment.ts";
import { forEachWord } from "./search-words.ts";
import { searchableTexts } from "./searchable-text.ts";

/** Records are taken together up to this much text: small enough to read in no time, large enough to keep the index small. */
const documentCharacters = 16 * 1024;
const mostCounted = 255;

export type LogToCover = { readonly file: ScannedFile; readonly key: string; readonly from: number };

export type SegmentBuilder = {
  /** Reads a log from a place on. Throws when it cannot be read. */
  add(log: LogToCover, tailSumAt: (to: number) => number): void;
  /** Characters of text taken so far. */
  readonly characters: number;
  encode(): Buffer;
};

export function createSegmentBuilder(): SegmentBuilder {
  const logs: CoveredLog[] = [];
  const documents: SearchDocument[] = [];
  const postings = new Map<string, number[]>();
  let characters = 0;

  function addDocument(log: number, { start, end, counts, words, pairs, characters: length }: OpenDocument): void {
    characters += length;
    const number = documents.length;
    documents.push({ log, offset: start, bytes: end - start, words, filter: encodePairs(pairs) });
    for (const [word, count] of counts) {
      const list = postings.get(word);
      const counted = Math.min(count, mostCounted);
      if (list) list.push(number, counted);
      else postings.set(word, [number, counted]);
    }
  }

  return {
    get characters() {
      return characters;
    },
    add({ file, key, from }, tailSumAt) {
      const { inode, size, mtimeMs } = file;
      const log = logs.length;
      // until it is read to its end it is nobody's
      logs.push({ key: "", inode, size, mtimeMs, from, to: from, tailSum: 0 });
      let to = from;
      let open: OpenDocument | undefined;
      for (const found of readLog(file.path)) {
        const end = found.offset + found.bytes;
        if (found.offset < from) continue;
        // it may have grown since it was looked at
        if (end > size) break;
        // a record that is still being written is read next time
        if (!("entry" in found)) {
          if (found.kind !== "torn-tail") to = Math.max(to, end);
          continue;
        }
        to = Math.max(to, end);
        const texts = searchableTexts(found.entry);
        if (texts.length === 0) continue;
        open ??= { start: found.offset, end, counts: new Map(), pairs: new Set(), words: 0, characters: 0 };
        open.end = end;
        for (const { text, weight } of texts) countWords(open, text, weight);
        if (open.characters < documentCharacters) continue;
        addDocument(log, open);
        open = undefined;
      }
      if (open) addDocument(log, open);
      logs[log] = { key, inode, size, mtimeMs, from, to, tailSum: tailSumAt(to) };
    },
    encode: () => encodeSegment({ logs, documents, postings }),
  };
}

type OpenDocument = {
  readonly start: number;
  end: number;
  readonly counts: Map<string, number>;
  readonly pairs: Set<number>;
  words: number;
  characters: number;
};

function countWords(open: OpenDocument, text: string, weight: number): void {
  const { counts } = open;
  const pairs = createPairs(open.pairs);
  forEachWord(text, (word, kind) => {
    counts.set(word, (counts.get(word) ?? 0) + weight);
    open.words++;
    pairs.take(word, kind);
  });
  open.characters += text.length;
}
