import { openRandomAccess, type RandomAccess } from "../platform/random-access.ts";
import { type ByteReader, createByteReader } from "./byte-stream.ts";
import { crc32 } from "./crc32.ts";
import { mayHoldPair } from "./pair-filter.ts";
import { type CoveredLog, footerBytes, type SearchDocument, segmentMagic } from "./search-segment.ts";

/** Thrown when a block is not what was written; the segment has to be made again. */
export class DamagedSegment extends Error {
  override readonly name = "DamagedSegment";
  constructor(readonly path: string) {
    super(`${path} is damaged`);
  }
}

export type Segment = {
  readonly path: string;
  readonly logs: readonly CoveredLog[];
  readonly documents: readonly SearchDocument[];
  /** How often the word, or all words that begin with it, stand in which document. */
  find(word: string, match: "whole" | "beginning"): Map<number, number>;
  /** May these words stand side by side, in this order, in the document? Says yes too often, never no. */
  mayHold(document: number, pairs: readonly number[]): boolean;
  close(): void;
};

/** Undefined when the file is not a whole segment of this version. */
export function openSegment(path: string, content?: Buffer): Segment | undefined {
  let file: RandomAccess | undefined;
  try {
    file = content === undefined ? openRandomAccess(path) : inMemory(content);
    const meta = readMeta(file);
    if (meta) return segmentOf(path, file, meta);
  } catch {
    // gone meanwhile, or no file: as good as damaged
  }
  file?.close();
  return undefined;
}

function segmentOf(path: string, file: RandomAccess, meta: NonNullable<ReturnType<typeof readMeta>>): Segment {
  const { logs, documents, blocks, filtersAt } = meta;
  const filterOffsets: number[] = [];
  documents.reduce((offset, { filterBytes }) => {
    filterOffsets.push(offset);
    return offset + filterBytes;
  }, filtersAt);
  return {
    ...{ path, logs, documents, close: file.close, find: finder(path, file, blocks) },
    mayHold(document, pairs) {
      const { filterBytes = 0, filterSum } = documents[document] ?? {};
      const filter = file.read(filterOffsets[document] ?? 0, filterBytes);
      if (sumOf(filter) !== filterSum) throw new DamagedSegment(path);
      return pairs.every((pair) => mayHoldPair(filter, pair));
    },
  };
}

function inMemory(content: Buffer): RandomAccess {
  const read = (offset: number, length: number) => content.subarray(offset, offset + length);
  return { size: content.length, read, close() {} };
}

type Block = { readonly first: string; readonly offset: number; readonly bytes: number };

function readMeta(file: RandomAccess) {
  const footer = file.read(file.size - footerBytes, footerBytes);
  if (footer.length < footerBytes || footer.readUInt32LE(0) !== segmentMagic) return undefined;
  const bytes = file.read(footer.readUInt32LE(4), footer.readUInt32LE(8));
  if (bytes.length !== footer.readUInt32LE(8) || sumOf(bytes) !== footer.readUInt32LE(12)) return undefined;
  const meta = createByteReader(bytes);
  const filtersAt = meta.number();
  const logs = listOf(meta, (): CoveredLog => {
    const [key, mtimeMs] = [meta.text(), Number(meta.text())];
    const [inode, size, from, to, tailSum] = [
      meta.number(),
      meta.number(),
      meta.number(),
      meta.number(),
      meta.number(),
    ];
    return { key, inode, size, mtimeMs, from, to, tailSum };
  });
  const documents = listOf(meta, (): SearchDocument => {
    const [log, offset, bytes] = [meta.number(), meta.number(), meta.number()];
    return { log, offset, bytes, words: meta.number(), filterBytes: meta.number(), filterSum: meta.number() };
  });
  const blocks = listOf(meta, (): Block => ({ first: meta.text(), offset: meta.number(), bytes: meta.number() }));
  return { logs, documents, blocks, filtersAt };
}

function listOf<Item>(reader: ByteReader, read: () => Item): Item[] {
  const list: Item[] = [];
  for (let left = reader.number(); left > 0; left--) list.push(read());
  return list;
}

function finder(path: string, file: RandomAccess, blocks: readonly Block[]): Segment["find"] {
  return (word, match) => {
    const found = new Map<number, number>();
    for (let at = Math.max(0, blockBefore(blocks, word)); at < blocks.length; at++) {
      const { first, offset, bytes } = blocks[at] as Block;
      if (first > word && !first.startsWith(word)) break;
      const block = file.read(offset, bytes);
      if (block.length !== bytes || sumOf(block.subarray(4)) !== block.readUInt32LE(0)) throw new DamagedSegment(path);
      if (searchBlock(block, { word, match, found }) === "past") break;
    }
    return found;
  };
}

/** The last block that begins before the word, or with it. */
function blockBefore(blocks: readonly Block[], word: string): number {
  let low = 0;
  let high = blocks.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((blocks[middle] as Block).first <= word) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

type Wanted = { readonly word: string; readonly match: "whole" | "beginning"; readonly found: Map<number, number> };

function searchBlock(block: Buffer, { word, match, found }: Wanted): "past" | "go on" {
  const reader = createByteReader(block, 4);
  let current = "";
  while (!reader.isAtEnd) {
    current = current.slice(0, reader.number()) + reader.text();
    const bytes = reader.number();
    const isHit = match === "whole" ? current === word : current.startsWith(word);
    if (isHit) takePostings(createByteReader(block, reader.position, reader.position + bytes), found);
    else if (current > word) return "past";
    reader.skip(bytes);
  }
  return "go on";
}

function takePostings(list: ByteReader, found: Map<number, number>): void {
  let document = -1;
  while (!list.isAtEnd) {
    const step = list.number();
    document += Math.floor(step / 2);
    const count = step % 2 === 1 ? list.number() : 1;
    found.set(document, (found.get(document) ?? 0) + count);
  }
}

function sumOf(bytes: Buffer): number {
  return crc32(bytes, bytes.length);
}
