/** Where the bytes of one object lie: `length` bytes at `start` of a block that fills `storedBytes` at `blockAt` of the pack. */
export type PackRecord = {
  readonly hash: string;
  readonly blockAt: number;
  readonly storedBytes: number;
  readonly isCompressed: boolean;
  readonly start: number;
  readonly length: number;
};

/** Every record has the same size, so that whatever a crash left at the end is recognised as no record. */
export const recordBytes = 56;
/** Where a record has room for what is known only in memory. */
export const roomAt = 51;
const hashPrefix = "sha256:";
const hashBytes = 32;

export function encodeRecords(records: readonly PackRecord[]): Buffer {
  const bytes = Buffer.alloc(records.length * recordBytes);
  records.forEach((record, index) => {
    const at = index * recordBytes;
    bytes.write(record.hash.slice(hashPrefix.length), at, "hex");
    bytes.writeUIntBE(record.blockAt, at + 32, 6);
    bytes.writeUInt32BE(record.storedBytes, at + 38);
    bytes.writeUInt8(record.isCompressed ? 1 : 0, at + 42);
    bytes.writeUInt32BE(record.start, at + 43);
    bytes.writeUInt32BE(record.length, at + 47);
  });
  return bytes;
}

export function decodeRecord(bytes: Buffer, at: number): PackRecord {
  return {
    hash: hashPrefix + bytes.toString("hex", at, at + hashBytes),
    blockAt: bytes.readUIntBE(at + 32, 6),
    storedBytes: bytes.readUInt32BE(at + 38),
    isCompressed: bytes[at + 42] === 1,
    start: bytes.readUInt32BE(at + 43),
    length: bytes.readUInt32BE(at + 47),
  };
}

/** How long a pack must be to hold a record's block. */
export function blockEnd(bytes: Buffer, at: number): number {
  return bytes.readUIntBE(at + 32, 6) + bytes.readUInt32BE(at + 38);
}

/** A hash in half the memory. */
export function keyOf(hash: string): string {
  return Buffer.from(hash.slice(hashPrefix.length), "hex").toString("latin1");
}

/** The same, of a record. */
export function keyAt(bytes: Buffer, at: number): string {
  return bytes.toString("latin1", at, at + hashBytes);
}
