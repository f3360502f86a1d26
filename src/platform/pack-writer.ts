import { closeSync, fdatasync, fstatSync, openSync } from "node:fs";
import { join } from "node:path";
import { writeAt } from "./open-file.ts";
import { encodeRecords, type PackRecord } from "./pack-records.ts";
import { makePrivateFolder } from "./private-files.ts";
import { randomName } from "./random-name.ts";

/** Small objects share a block: they compress better together, and reading one costs no more than unpacking this much. */
const blockBytes = 64 * 1024;
/** So many blocks may be waiting for their compression. */
const mostWaiting = 64;

export type Compress = (bytes: Buffer) => Promise<Buffer>;

export type PackWriter = {
  /** The file that holds the bytes. */
  readonly pack: string;
  /** Copies the bytes. When so much is waiting that memory matters, answers with when to go on. */
  add(hash: string, bytes: Buffer): Promise<void> | undefined;
  /** What was added is with the operating system and can be read by others when this resolves. Answers with its records. */
  flush(): Promise<Buffer>;
  /** Of both files, as far as flushed. */
  bytes(): number;
  /** What was flushed survives a power cut when this resolves. */
  sync(): Promise<void>;
  /** Somebody removed the files under us: what was written is lost. */
  isLost(): boolean;
  close(): void;
};

type Block = {
  readonly bytes: Buffer;
  readonly objects: readonly Pick<PackRecord, "hash" | "start" | "length">[];
  readonly packed: Promise<Buffer | undefined>;
};

/**
 * Appends to a pack of its own in the folder and, once the bytes are there, to the pack's index. A crash leaves bytes without a
 * record, or half a record: neither is ever read. After an error nothing more can be written: begin another pack.
 */
export function createPackWriter(folder: string, compress?: Compress): PackWriter {
  // Sorts by time; the process and a random part make the name nobody else's.
  const path = join(folder, `${Date.now().toString(36)}-${process.pid}-${randomName(6)}`);
  const pack = `${path}.pack`;
  const files = createPackFiles(folder, path);
  let open = emptyBlock();
  let waiting: Block[] = [];
  let records: PackRecord[] = [];
  let writing: Promise<void> = Promise.resolve();

  function seal(): void {
    if (open.objects.length === 0) return;
    const { objects, filled } = open;
    const bytes = open.bytes.subarray(0, filled);
    // Whoever waits for the block is told of a failure; nobody may be waiting yet.
    const packed = compress && filled > 512 ? compress(bytes) : Promise.resolve(undefined);
    packed.catch(() => {});
    waiting.push({ bytes, objects, packed });
    open = emptyBlock();
  }

  /** In order, one after the other. */
  function writeWaiting(): Promise<void> {
    const blocks = waiting;
    waiting = [];
    writing = writing.then(async () => {
      for (const block of blocks) writeBlock(block, await block.packed);
    });
    return writing;
  }

  function writeBlock({ bytes, objects }: Block, packed: Buffer | undefined): void {
    const isCompressed = packed !== undefined && packed.length < bytes.length;
    const stored = isCompressed ? packed : bytes;
    const blockAt = files.appendBlock(stored);
    for (const { hash, start, length } of objects)
      records.push({ hash, start, length, blockAt, storedBytes: stored.length, isCompressed });
  }

  return {
    pack,
    add(hash, bytes) {
      if (open.filled + bytes.length > open.bytes.length) {
        seal();
        open = emptyBlock(bytes.length);
      }
      bytes.copy(open.bytes, open.filled);
      open.objects.push({ hash, start: open.filled, length: bytes.length });
      open.filled += bytes.length;
      return waiting.length >= mostWaiting ? writeWaiting() : undefined;
    },
    async flush() {
      seal();
      await writeWaiting();
      const written = encodeRecords(records);
      records = [];
      if (written.length > 0) files.appendRecords(written);
      return written;
    },
    bytes: files.bytes,
    async sync() {
      await files.sync();
      // One that was under way may have begun before the last write.
      await files.sync();
    },
    isLost: files.isLost,
    close: files.close,
  };
}

type OpenBlock = { readonly bytes: Buffer; readonly objects: Block["objects"][number][]; filled: number };

/** Memory is taken when there is something to put in. */
function emptyBlock(atLeast = 0): OpenBlock {
  const size = atLeast === 0 ? 0 : Math.max(atLeast, blockBytes);
  return { bytes: Buffer.allocUnsafe(size), objects: [], filled: 0 };
}

/** The two files of a pack; made with the first block. */
function createPackFiles(folder: string, path: string) {
  let files: { readonly pack: number; readonly index: number } | undefined;
  let packAt = 0;
  let indexAt = 0;
  let syncing: Promise<void> | undefined;
  let isClosed = false;

  function opened() {
    if (files) return files;
    makePrivateFolder(folder);
    files = { pack: openSync(`${path}.pack`, "wx", 0o600), index: openSync(`${path}.idx`, "wx", 0o600) };
    return files;
  }

  function close(): void {
    isClosed = true;
    if (files === undefined || syncing) return;
    closeSync(files.pack);
    closeSync(files.index);
    files = undefined;
  }

  function sync(): Promise<void> {
    const open = files;
    if (open === undefined) return Promise.resolve();
    syncing ??= new Promise((resolve) =>
      fdatasync(open.pack, () =>
        fdatasync(open.index, () => {
          syncing = undefined;
          if (isClosed) close();
          resolve();
        }),
      ),
    );
    return syncing;
  }

  return {
    /** Answers with where it lies. */
    appendBlock(bytes: Buffer): number {
      const at = packAt;
      writeAt(opened().pack, bytes, at);
      packAt += bytes.length;
      return at;
    },
    appendRecords(bytes: Buffer): void {
      writeAt(opened().index, bytes, indexAt);
      indexAt += bytes.length;
      // A power cut may take what was written in the last moments, a killed process nothing.
      void sync();
    },
    bytes: () => packAt + indexAt,
    sync,
    isLost: () => files !== undefined && (fstatSync(files.pack).nlink === 0 || fstatSync(files.index).nlink === 0),
    close,
  };
}
