import { blockEnd, decodeRecord, keyAt, keyOf, type PackRecord, recordBytes, roomAt } from "./pack-records.ts";

export type ObjectPlace = PackRecord & { readonly pack: string };

/** Where objects lie. Records stay as they were read and are taken apart when asked for: a large project has hundreds of thousands. */
export type ObjectIndex = {
  has(hash: string): boolean;
  find(hash: string): ObjectPlace | undefined;
  /** Whole records of a pack that is `packBytes` long; what is known already stays where it is. Answers with how many bytes were read. */
  add(pack: string, records: Buffer, packBytes: number): number;
  remove(hash: string): void;
  clear(): void;
};

export function createObjectIndex(): ObjectIndex {
  const positions = new Map<string, number>();
  const packs: string[] = [];
  let table = Buffer.alloc(0);
  let used = 0;

  function append(records: Buffer, from: number, pack: number): void {
    if (used + recordBytes > table.length) table = Buffer.concat([table], Math.max(table.length * 2, 64 * recordBytes));
    records.copy(table, used, from, from + recordBytes);
    table.writeUInt32BE(pack, used + roomAt);
    used += recordBytes;
  }

  return {
    has: (hash) => positions.has(keyOf(hash)),
    find(hash) {
      const at = positions.get(keyOf(hash));
      const pack = at === undefined ? undefined : packs[table.readUInt32BE(at + roomAt)];
      return at === undefined || pack === undefined ? undefined : { ...decodeRecord(table, at), pack };
    },
    add(pack, records, packBytes) {
      const number = packs.push(pack) - 1;
      const end = records.length - (records.length % recordBytes);
      for (let at = 0; at < end; at += recordBytes) {
        const key = keyAt(records, at);
        if (positions.has(key) || blockEnd(records, at) > packBytes) continue;
        positions.set(key, used);
        append(records, at, number);
      }
      return end;
    },
    remove: (hash) => void positions.delete(keyOf(hash)),
    clear() {
      positions.clear();
      packs.length = 0;
      used = 0;
    },
  };
}
