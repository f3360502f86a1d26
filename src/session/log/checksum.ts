import * as zlib from "node:zlib";
import { crc32 } from "./crc32.ts";

/** CRC-32 of much at once: by zlib where it has one, which not every Node 20 does. */
export function checksum(bytes: Buffer): number {
  return typeof zlib.crc32 === "function" ? zlib.crc32(bytes) : crc32(bytes, bytes.length);
}
