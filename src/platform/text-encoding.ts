import { isUtf8 } from "node:buffer";

export type TextEncoding = "UTF-8" | "UTF-8 with invalid bytes" | "Latin-1" | "UTF-16LE" | "UTF-16BE";

export const utf8Bom = Buffer.from([0xef, 0xbb, 0xbf]);

export function hasUtf8Bom(bytes: Buffer): boolean {
  return bytes.length >= 3 && bytes.subarray(0, 3).equals(utf8Bom);
}

/** By its byte order mark, or by NUL bytes that fill one half of the positions as they do in mostly Western text. */
export function utf16Of(head: Buffer): "UTF-16LE" | "UTF-16BE" | undefined {
  if (head[0] === 0xff && head[1] === 0xfe && !(head[2] === 0 && head[3] === 0)) return "UTF-16LE";
  if (head[0] === 0xfe && head[1] === 0xff) return "UTF-16BE";
  const pairs = Math.min(head.length, 4096) >> 1;
  if (pairs < 2) return undefined;
  let even = 0;
  let odd = 0;
  for (let at = 0; at < pairs * 2; at += 2) {
    if (head[at] === 0) even++;
    if (head[at + 1] === 0) odd++;
  }
  const isText = (decoded: string) => !/[\0-\x06\x0e-\x1a\x1c-\x1f]/.test(decoded);
  if (even === 0 && odd * 10 >= pairs * 9)
    return isText(decodeUtf16(head.subarray(0, pairs * 2), "UTF-16LE")) ? "UTF-16LE" : undefined;
  if (odd === 0 && even * 10 >= pairs * 9)
    return isText(decodeUtf16(head.subarray(0, pairs * 2), "UTF-16BE")) ? "UTF-16BE" : undefined;
  return undefined;
}

/** Without the byte order mark. */
export function decodeUtf16(bytes: Buffer, encoding: "UTF-16LE" | "UTF-16BE"): string {
  return new TextDecoder(encoding.toLowerCase()).decode(bytes);
}

/** What Windows puts at 0x80 to 0x9f. By hand, because the decoder of Node 20 gives control characters there. */
const windows1252 = "€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ";

/**
 * For bytes that are not valid UTF-8: mostly good UTF-8 with some damage (a cut log), or Latin-1?
 * Latin-1 is read as browsers do, as Windows-1252.
 */
export function decodeInvalidUtf8(bytes: Buffer): { readonly text: string; readonly encoding: TextEncoding } {
  const text = bytes.toString("utf8");
  let damaged = 0;
  let intact = 0;
  for (const [character] of text.matchAll(/[^\0-\x7f]/gu)) {
    if (character === "\ufffd") damaged++;
    else intact++;
  }
  if (intact > damaged) return { text, encoding: "UTF-8 with invalid bytes" };
  const latin = bytes
    .toString("latin1")
    .replace(/[\x80-\x9f]/g, (character) => windows1252[character.charCodeAt(0) - 0x80] ?? character);
  return { text: latin, encoding: "Latin-1" };
}

/** Checks a stream of chunks that may cut characters in two. */
export function utf8Checker(): { push(chunk: Buffer): void; isValid(): boolean } {
  let valid = true;
  let carry: Buffer = Buffer.alloc(0);
  return {
    push(chunk) {
      if (!valid) return;
      const bytes = carry.length > 0 ? Buffer.concat([carry, chunk]) : chunk;
      const whole = bytes.length - unfinishedTail(bytes);
      valid = isUtf8(bytes.subarray(0, whole));
      carry = Buffer.from(bytes.subarray(whole));
    },
    isValid: () => valid && carry.length === 0,
  };
}

/** Length of a character begun but not finished at the end: 0 to 3. */
function unfinishedTail(bytes: Buffer): number {
  for (let back = 1; back <= Math.min(3, bytes.length); back++) {
    const byte = bytes[bytes.length - back] as number;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return back < (byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2) ? back : 0;
  }
  return 0;
}
