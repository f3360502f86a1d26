import { randomBytes } from "node:crypto";
import { gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { kindOf } from "./content-kind.ts";

const bytes = (text: string) => Buffer.from(text, "latin1");

describe("kindOf", () => {
  it.each([
    ["image/png", "\x89PNG\r\n\x1a\n\0\0"],
    ["image/jpeg", "\xff\xd8\xff\xe0"],
    ["image/gif", "GIF89a"],
    ["image/webp", "RIFF\x10\0\0\0WEBPVP8 "],
  ])("knows %s", (mediaType, head) => {
    expect(kindOf(bytes(head))).toMatchObject({ type: "image", mediaType });
  });

  it("names what it knows and says binary of the rest", () => {
    expect(kindOf(gzipSync("text"))).toMatchObject({ type: "binary", name: "gzip archive" });
    expect(kindOf(bytes("%PDF-1.7\n"))).toMatchObject({ type: "binary", name: "PDF document" });
    expect(kindOf(bytes("MZ\x90\0\x03\0"))).toMatchObject({ type: "binary", name: "Windows program or library" });
    expect(kindOf(bytes("a\0b"))).toEqual({ type: "binary", name: "binary data" });
  });

  it("takes noise without a NUL byte for binary", () => {
    const noise = randomBytes(4000).map((byte) => (byte === 0 ? 1 : byte));
    expect(kindOf(Buffer.from(noise)).type).toBe("binary");
  });

  it("takes text for text: empty, coloured, Latin-1, or beginning like a short signature", () => {
    for (const text of ["", "\x1b[31mred\x1b[0m\n", "gr\xfcn\n", "MZ is a name\n", "BM, ID3 and PACK\n"])
      expect(kindOf(bytes(text))).toEqual({ type: "text" });
  });
});
