import type { ScannedFile } from "../../platform/scan-folders.ts";
import { readLog } from "../log/read-log.ts";
import { type CoveredLog, encodeSegment, type SearchDocument } from "./search-segment.ts";
import { searchableTexts } from "./searchable-text.ts";
import { createWordCounter } from "./word-counter.ts";

/** Records are taken together up to this much text: small enough to read in no time, large enough to keep the index small. */
const documentCharacters = 16 * 1024;

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
  const counter = createWordCounter();
  let characters = 0;

  function addDocument(log: number, { start, end, characters: length }: OpenDocument): void {
    characters += length;
    const about = counter.endDocument(documents.length);
    documents.push({ log, offset: start, bytes: end - start, ...about });
  }

  /** Answers with where it came to. */
  function takeLog(log: number, { file, from }: LogToCover): number {
    let to = from;
    let open: OpenDocument | undefined;
    for (const found of readLog(file.path)) {
      const end = found.offset + found.bytes;
      if (found.offset < from) continue;
      // it may have grown since it was looked at
      if (end > file.size) break;
      // a record that is still being written is read next time
      if ("entry" in found || found.kind !== "torn-tail") to = Math.max(to, end);
      const texts = "entry" in found ? searchableTexts(found.entry) : [];
      if (texts.length === 0) continue;
      open ??= { start: found.offset, end, characters: 0 };
      open.end = end;
      for (const { text, weight } of texts) {
        counter.take(text, weight);
        open.characters += text.length;
      }
      if (open.characters < documentCharacters) continue;
      addDocument(log, open);
      open = undefined;
    }
    if (open) addDocument(log, open);
    return to;
  }

  return {
    get characters() {
      return characters;
    },
    add(given, tailSumAt) {
      const { inode, size, mtimeMs } = given.file;
      const about = { inode, size, mtimeMs, from: given.from };
      const log = logs.length;
      // until it is read to its end it is nobody's
      logs.push({ ...about, key: "", to: given.from, tailSum: 0 });
      try {
        const to = takeLog(log, given);
        logs[log] = { ...about, key: given.key, to, tailSum: tailSumAt(to) };
      } finally {
        counter.discard();
      }
    },
    encode: () => encodeSegment({ logs, documents, postings: counter.postings() }),
  };
}

type OpenDocument = { readonly start: number; end: number; characters: number };
