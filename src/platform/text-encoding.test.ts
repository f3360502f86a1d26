import { isUtf8 } from "node:buffer";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { decodeInvalidUtf8, decodeUtf16, utf8Checker, utf16Of } from "./text-encoding.ts";

const bigEndian = (text: string) => Buffer.from(text, "utf16le").swap16();

describe("utf8Checker", () => {
  const almostText = fc
    .array(
      fc.oneof(
        fc.string({ unit: "grapheme" }).map((text) => Buffer.from(text)),
        fc.uint8Array({ maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
      ),
    )
    .map((parts) => Buffer.concat(parts));

  it("agrees with a check of the whole, however it is cut", () => {
    fc.assert(
      fc.property(almostText, fc.array(fc.integer({ min: 1, max: 4 })), (bytes, sizes) => {
        const checker = utf8Checker();
        let at = 0;
        for (const size of [...sizes, bytes.length]) {
          checker.push(bytes.subarray(at, at + size));
          at += size;
        }
        expect(checker.isValid()).toBe(isUtf8(bytes));
      }),
    );
  });

  it("does not accept a character that is never finished", () => {
    const checker = utf8Checker();
    checker.push(Buffer.from("grü").subarray(0, 3));
    expect(checker.isValid()).toBe(false);
  });
});

describe("utf16Of", () => {
  it("knows both byte orders with and without a mark", () => {
    const text = "Grüße aus Köln\r\n";
    expect(utf16Of(Buffer.from(`\ufeff${text}`, "utf16le"))).toBe("UTF-16LE");
    expect(utf16Of(bigEndian(`\ufeff${text}`))).toBe("UTF-16BE");
    expect(utf16Of(Buffer.from(text, "utf16le"))).toBe("UTF-16LE");
    expect(utf16Of(bigEndian(text))).toBe("UTF-16BE");
    expect(utf16Of(bigEndian("\ufeff漢字"))).toBe("UTF-16BE");
  });

  it("takes neither UTF-8 nor tables of small numbers for it", () => {
    expect(utf16Of(Buffer.from("plain text\n"))).toBeUndefined();
    expect(utf16Of(Buffer.from([1, 0, 2, 0, 3, 0, 4, 0]))).toBeUndefined();
    expect(utf16Of(Buffer.from([0xff, 0xfe, 0, 0, 65, 0, 0, 0]))).toBeUndefined();
    expect(utf16Of(Buffer.alloc(0))).toBeUndefined();
  });

  it("decodes without the mark", () => {
    expect(decodeUtf16(bigEndian("\ufeffgrün"), "UTF-16BE")).toBe("grün");
  });
});

describe("decodeInvalidUtf8", () => {
  it("reads Latin-1, with the quotation marks of Windows", () => {
    expect(decodeInvalidUtf8(Buffer.from([0x93, 0x67, 0x72, 0xfc, 0x6e, 0x94]))).toEqual({
      text: "“grün”",
      encoding: "Latin-1",
    });
  });

  it("keeps good UTF-8 readable when a single byte of it is damaged", () => {
    const damaged = Buffer.concat([Buffer.from("grün, schön, süß "), Buffer.from([0xff]), Buffer.from(" Ende")]);
    expect(decodeInvalidUtf8(damaged)).toEqual({
      text: "grün, schön, süß \ufffd Ende",
      encoding: "UTF-8 with invalid bytes",
    });
  });
});
