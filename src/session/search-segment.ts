import { createByteWriter } from "./byte-stream.ts";
import { crc32 } from "./crc32.ts";

/**
 * One part of the search index: words in order, each with the documents it stands in. Words lie in blocks with a checksum each, so that a
 * question reads a few kilobytes, and what it reads is what was written.
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
  /** Which words stand side by side in it, as a filter. */
  readonly filterBytes: number;
  readonly filterSum: number;
};

export type SegmentContent = {
  readonly logs: readonly CoveredLog[];
  readonly documents: readonly SearchDocument[];
  /** Of all documents, one after the other. */
  readonly filters: readonly Buffer[];
  /** For each word: document, count, document, count…; documents rise. */
  readonly postings: ReadonlyMap<string, readonly number[]>;
};

/** The last bytes of the file: magic, place, length and checksum of the table of contents. */
export const segmentMagic = 0x63637332;
export const footerBytes = 16;
const wordsInBlock = 64;

export function encodeSegment({ logs, documents, filters, postings }: SegmentContent): Buffer {
  const file = createByteWriter();
  const blocks: { readonly first: string; readonly offset: number; readonly bytes: number }[] = [];
  const words = [...postings.keys()].sort();
  for (let at = 0; at < words.length; at += wordsInBlock) {
    const inBlock = words.slice(at, at + wordsInBlock);
    const block = encodeBlock(inBlock, postings);
    blocks.push({ first: inBlock[0] as string, offset: file.length, bytes: block.length });
    file.bytes(block);
  }
  const meta = createByteWriter();
  meta.number(file.length);
  for (const filter of filters) file.bytes(filter);
  meta.number(logs.length);
  for (const { key, inode, size, mtimeMs, from, to, tailSum } of logs) {
    meta.text(key);
    meta.text(String(mtimeMs));
    for (const number of [inode, size, from, to, tailSum]) meta.number(number);
  }
  meta.number(documents.length);
  for (const { log, offset, bytes, words: count, filterBytes, filterSum } of documents)
    for (const number of [log, offset, bytes, count, filterBytes, filterSum]) meta.number(number);
  meta.number(blocks.length);
  for (const { first, offset, bytes } of blocks) {
    meta.text(first);
    meta.number(offset);
    meta.number(bytes);
  }
  const footer = Buffer.alloc(footerBytes);
  const metaBytes = meta.take();
  [segmentMagic, file.length, metaBytes.length, crc32(metaBytes, metaBytes.length)].forEach((value, index) => {
    footer.writeUInt32LE(value, 4 * index);
  });
  file.bytes(metaBytes);
  file.bytes(footer);
  return file.take();
}

/** A checksum, then for each word: what it shares with the one before, its rest, its documents. */
function encodeBlock(words: readonly string[], postings: SegmentContent["postings"]): Buffer {
  const block = createByteWriter();
  block.bytes(Buffer.alloc(4));
  let before = "";
  for (const word of words) {
    const list = encodePostings(postings.get(word) ?? []);
    let shared = 0;
    while (shared < before.length && word.charCodeAt(shared) === before.charCodeAt(shared)) shared++;
    block.number(shared);
    block.text(word.slice(shared));
    block.number(list.length);
    block.bytes(list);
    before = word;
  }
  const bytes = block.take();
  bytes.writeUInt32LE(crc32(bytes.subarray(4), bytes.length - 4), 0);
  return bytes;
}

function encodePostings(list: readonly number[]): Buffer {
  const writer = createByteWriter();
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
