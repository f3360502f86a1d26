/**
 * CRC-32 as in zip and PNG of the bytes before `end`, eight a step. An own one: `zlib.crc32` is not in every Node 20, and loading zlib
 * would cost at every start. Indexed without helpers, because the first records are summed by code that is not compiled yet.
 */
export function crc32(bytes: Uint8Array, end: number): number {
  const table = (tables ??= makeTables());
  let sum = -1;
  let at = 0;
  for (const last = end - 7; at < last; at += 8) {
    const word =
      sum ^
      ((bytes[at] as number) |
        ((bytes[at + 1] as number) << 8) |
        ((bytes[at + 2] as number) << 16) |
        ((bytes[at + 3] as number) << 24));
    sum =
      (table[0x700 | (word & 0xff)] as number) ^
      (table[0x600 | ((word >>> 8) & 0xff)] as number) ^
      (table[0x500 | ((word >>> 16) & 0xff)] as number) ^
      (table[0x400 | (word >>> 24)] as number) ^
      (table[0x300 | (bytes[at + 4] as number)] as number) ^
      (table[0x200 | (bytes[at + 5] as number)] as number) ^
      (table[0x100 | (bytes[at + 6] as number)] as number) ^
      (table[bytes[at + 7] as number] as number);
  }
  for (; at < end; at++) sum = (table[(sum ^ (bytes[at] as number)) & 0xff] as number) ^ (sum >>> 8);
  return ~sum >>> 0;
}

let tables: Int32Array | undefined;

/** 256 entries for each place of a byte in the step. */
function makeTables(): Int32Array {
  const made = new Int32Array(8 * 256);
  let value = 1;
  for (let step = 128; step > 0; step >>= 1) {
    value = (value >>> 1) ^ (value & 1 ? 0xedb88320 : 0);
    for (let index = 0; index < 256; index += 2 * step) made[index + step] = value ^ (made[index] as number);
  }
  for (let index = 256; index < made.length; index++) {
    const earlier = made[index - 256] as number;
    made[index] = (earlier >>> 8) ^ (made[earlier & 0xff] as number);
  }
  return made;
}
