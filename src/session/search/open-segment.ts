import { openRandomAccess, type RandomAccess } from "../../platform/random-access.ts";
import { checksum } from "../log/checksum.ts";
import { type ByteReader, createByteReader } from "./byte-stream.ts";
import { mayHoldPair } from "./pair-filter.ts";
import { type CoveredLog, footerBytes, segmentMagic } from "./search-segment.ts";

/** Thrown when a block is not what was written; the segment has to be made again. */
export class DamagedSegment extends Error {
  override readonly name = "DamagedSegment";
  constructor(readonly path: string) {
    super(`${path} is damaged`);
  }
}

/** Columns of the table of documents. */
export type DocumentTable = {
  readonly count: number;
  readonly log: Uint32Array;
  readonly offset: Float64Array;
  readonly bytes: Uint32Array;
  readonly words: Uint32Array;
};

export type Segment = {
  readonly path: string;
  readonly logs: readonly CoveredLog[];
  readonly documents: DocumentTable;
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
    const tables = readTables(file);
    if (tables) return segmentOf(path, file, tables);
  } catch {
    // gone meanwhile, or no file: as good as damaged
  }
  file?.close();
  return undefined;
}

function inMemory(content: Buffer): RandomAccess {
  const read = (offset: number, length: number) => content.subarray(offset, offset + length);
  return { size: content.length, read, close() {} };
}

type Tables = NonNullable<ReturnType<typeof readTables>>;

function readTables(file: RandomAccess) {
  const footer = file.read(file.size - footerBytes, footerBytes);
  if (footer.length < footerBytes || footer.readUInt32LE(0) !== segmentMagic) return undefined;
  const bytes = file.read(footer.readUInt32LE(4), footer.readUInt32LE(8));
  if (bytes.length !== footer.readUInt32LE(8) || checksum(bytes) !== footer.readUInt32LE(12)) return undefined;
  const meta = createByteReader(bytes);
  const logs: CoveredLog[] = [];
  for (let left = meta.number(); left > 0; left--) {
    const [key, mtimeMs] = [meta.text(), Number(meta.text())];
    const [inode, size] = [meta.number(), meta.number()];
    logs.push({ key, mtimeMs, inode, size, from: meta.number(), to: meta.number(), tailSum: meta.number() });
  }
  const offset = meta.column(Float64Array);
  const [log, sizes, words] = [meta.column(Uint32Array), meta.column(Uint32Array), meta.column(Uint32Array)];
  return {
    logs,
    documents: { count: offset.length, log, offset, bytes: sizes, words },
    filterSums: meta.column(Uint32Array),
    filterStarts: meta.column(Uint32Array),
    blocks: { starts: meta.column(Uint32Array), firstStarts: meta.column(Uint32Array), firsts: meta.text() },
  };
}

function segmentOf(path: string, file: RandomAccess, tables: Tables): Segment {
  const { logs, documents, blocks, filterStarts, filterSums } = tables;
  return {
    ...{ path, logs, documents, close: file.close, find: finder(path, file, blocks) },
    mayHold(document, pairs) {
      const start = filterStarts[document] ?? 0;
      const filter = file.read(start, (filterStarts[document + 1] ?? start) - start);
      if (checksum(filter) !== filterSums[document]) throw new DamagedSegment(path);
      return pairs.every((pair) => mayHoldPair(filter, pair));
    },
  };
}

type Blocks = Tables["blocks"];

const firstOf = ({ firsts, firstStarts }: Blocks, block: number) =>
  firsts.slice(firstStarts[block], firstStarts[block + 1]);

function finder(path: string, file: RandomAccess, blocks: Blocks): Segment["find"] {
  const count = blocks.firstStarts.length - 1;
  return (word, match) => {
    const found = new Map<number, number>();
    for (let at = Math.max(0, blockBefore(blocks, word)); at < count; at++) {
      const first = firstOf(blocks, at);
      if (first > word && !first.startsWith(word)) break;
      const start = blocks.starts[at] as number;
      const block = file.read(start, (blocks.starts[at + 1] as number) - start);
      if (block.length < 4 || checksum(block.subarray(4)) !== block.readUInt32LE(0)) throw new DamagedSegment(path);
      if (searchBlock(block, { word, match, found }) === "past") break;
    }
    return found;
  };
}

/** The last block that begins before the word, or with it. */
function blockBefore(blocks: Blocks, word: string): number {
  let low = 0;
  let high = blocks.firstStarts.length - 1;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (firstOf(blocks, middle) <= word) low = middle + 1;
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
