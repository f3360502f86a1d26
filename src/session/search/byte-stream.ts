/** Numbers and texts as bytes, small ones in few of them. */
export type ByteWriter = {
  /** Of any whole number that is not negative. */
  number(value: number): void;
  text(value: string): void;
  bytes(value: Uint8Array): void;
  /** Numbers side by side, as this machine holds them. */
  column(values: Uint32Array | Float64Array): void;
  readonly length: number;
  /** What was written so far; good until something more is written. */
  take(): Buffer;
  /** Starts over in the same memory. */
  clear(): void;
};

export function createByteWriter(): ByteWriter {
  let buffer = Buffer.allocUnsafe(1024);
  let length = 0;

  function room(count: number): void {
    if (length + count <= buffer.length) return;
    const larger = Buffer.allocUnsafe(Math.max(buffer.length * 2, length + count));
    buffer.copy(larger, 0, 0, length);
    buffer = larger;
  }

  function number(value: number): void {
    room(8);
    let rest = value;
    for (; rest >= 0x80; rest = Math.floor(rest / 0x80)) buffer[length++] = (rest % 0x80) | 0x80;
    buffer[length++] = rest;
  }

  function bytes(value: Uint8Array): void {
    room(value.length);
    buffer.set(value, length);
    length += value.length;
  }

  return {
    number,
    bytes,
    text(value) {
      const count = Buffer.byteLength(value);
      number(count);
      room(count);
      length += buffer.write(value, length);
    },
    column(values) {
      number(values.length);
      bytes(new Uint8Array(values.buffer, values.byteOffset, values.byteLength));
    },
    get length() {
      return length;
    },
    take: () => buffer.subarray(0, length),
    clear() {
      length = 0;
    },
  };
}

export type ByteReader = {
  number(): number;
  text(): string;
  column<Column extends Uint32Array | Float64Array>(kind: ColumnKind<Column>): Column;
  skip(count: number): void;
  readonly position: number;
  readonly isAtEnd: boolean;
};

type ColumnKind<Column> = {
  new (buffer: ArrayBuffer): Column;
  readonly BYTES_PER_ELEMENT: number;
};

/** Reading over the end gives zeros and empty texts: what is read has a checksum, so it does not happen. */
export function createByteReader(buffer: Buffer, start = 0, end = buffer.length): ByteReader {
  let position = start;
  function number(): number {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = buffer[position++] ?? 0;
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
      factor *= 0x80;
    }
  }
  return {
    number,
    text() {
      const count = number();
      position += count;
      return buffer.toString("utf8", position - count, position);
    },
    column(kind) {
      const bytes = number() * kind.BYTES_PER_ELEMENT;
      // a copy, since the numbers must begin at a multiple of their size
      const copy = new Uint8Array(bytes);
      copy.set(buffer.subarray(position, position + bytes));
      position += bytes;
      return new kind(copy.buffer);
    },
    skip(count) {
      position += count;
    },
    get position() {
      return position;
    },
    get isAtEnd() {
      return position >= end;
    },
  };
}
