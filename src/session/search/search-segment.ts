import { checksum } from "../log/checksum.ts";
import { type ByteWriter, createByteWriter } from "./byte-stream.ts";

/**
 * One part of the search index: words in order, each with the documents it stands in. Words lie in blocks with a checksum each, so that a
 * question reads a few kilobytes, and what it reads is what was written. Tables are columns of numbers, so that opening one decodes nothing.
 */

/** A stretch of a log that a segment covers, and the file as it was then. */
export type CoveredLog = {
  readonly key: string;
  readonly inode: number;
  readonly size: number;
  readonly mtimeMs: number;
  readonly from: number;
  readonly to: number;
  /** Of the last bytes before `to`: tells whether the log only grew since. */
  readonly tailSum: number;
};

/** Some records of a log that follow each other. */
export type SearchDocument = {
  readonly log: number;
  readonly offset: number;
  readonly bytes: number;
  readonly words: number;
  /** Which words stand side by side in it. */
  readonly filter: Buffer;
};

export type SegmentContent = {
  readonly logs: readonly CoveredLog[];
  readonly documents: readonly SearchDocument[];
  /** For each word: document, count, document, count…; documents rise. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
};

/** The last bytes of the file: magic, place, length and checksum of the table of contents. */
export const segmentMagic = 0x63637333;
export const footerBytes = 16;
const wordsInBlock = 64;

export function encodeSegment({ logs, documents, postings }: SegmentContent): Buffer {
  const file = createByteWriter();
  const meta = createByteWriter();
  const scratch = createByteWriter();
  const firsts: string[] = [];
  const blockStarts = [0];
  const words = [...postings.keys()].sort();
  for (let at = 0; at < words.length; at += wordsInBlock) {
    firsts.push(words[at] as string);
    file.bytes(encodeBlock(words.slice(at, at + wordsInBlock), postings, scratch));
    blockStarts.push(file.length);
  }
  const filterStarts = [file.length];
  for (const { filter } of documents) {
    file.bytes(filter);
    filterStarts.push(file.length);
  }
  meta.number(logs.length);
  for (const { key, inode, size, mtimeMs, from, to, tailSum } of logs) {
    meta.text(key);
    meta.text(String(mtimeMs));
    for (const number of [inode, size, from, to, tailSum]) meta.number(number);
  }
  meta.column(Float64Array.from(documents, ({ offset }) => offset));
  meta.column(Uint32Array.from(documents, ({ log }) => log));
  meta.column(Uint32Array.from(documents, ({ bytes }) => bytes));
  meta.column(Uint32Array.from(documents, (document) => document.words));
  meta.column(Uint32Array.from(documents, ({ filter }) => checksum(filter)));
  meta.column(Uint32Array.from(filterStarts));
  meta.column(Uint32Array.from(blockStarts));
  meta.column(Uint32Array.from(textStarts(firsts)));
  meta.text(firsts.join(""));
  const tables = meta.take();
  const footer = Buffer.alloc(footerBytes);
  [segmentMagic, file.length, tables.length, checksum(tables)].forEach((value, index) => {
    footer.writeUInt32LE(value, 4 * index);
  });
  file.bytes(tables);
  file.bytes(footer);
  return file.take();
}

/** Where each begins when they are joined, and where the last ends. */
function textStarts(texts: readonly string[]): number[] {
  const starts = [0];
  for (const text of texts) starts.push((starts.at(-1) as number) + text.length);
  return starts;
}

/** A checksum, then for each word: what it shares with the one before, its rest, its documents. */
function encodeBlock(words: readonly string[], postings: SegmentContent["postings"], scratch: ByteWriter): Buffer {
  const block = createByteWriter();
  block.bytes(Buffer.alloc(4));
  let before = "";
  for (const word of words) {
    const list = encodePostings(postings.get(word) ?? [], scratch);
    let shared = 0;
    while (shared < before.length && word.charCodeAt(shared) === before.charCodeAt(shared)) shared++;
    block.number(shared);
    block.text(word.slice(shared));
    block.number(list.length);
    block.bytes(list);
    before = word;
  }
  const bytes = block.take();
  bytes.writeUInt32LE(checksum(bytes.subarray(4)), 0);
  return bytes;
}

function encodePostings(list: readonly number[], writer: ByteWriter): Buffer {
  writer.clear();
  let before = -1;
  for (let at = 0; at < list.length; at += 2) {
    const document = list[at] as number;
    const count = list[at + 1] as number;
    writer.number((document - before) * 2 + (count > 1 ? 1 : 0));
    if (count > 1) writer.number(count);
    before = document;
  }
  return writer.take();
}
