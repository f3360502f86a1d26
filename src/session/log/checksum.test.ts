import fc from "fast-check";
import { expect, it } from "vitest";
import { checksum } from "./checksum.ts";
import { crc32 } from "./crc32.ts";

it("comes to the same, whoever sums up", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(checksum(Buffer.from(bytes))).toBe(crc32(bytes, bytes.length));
    }),
  );
  expect(checksum(Buffer.from("123456789"))).toBe(0xcbf43926);
});
