import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../../test/support/temp.ts";
import { forEachWord } from "../../platform/search-words.ts";
import { createByteReader, createByteWriter } from "./byte-stream.ts";
import { DamagedSegment, openSegment } from "./open-segment.ts";
import { createPairs, encodePairs, pairsOf, wordHash } from "./pair-filter.ts";
import { encodeSegment, type SegmentContent } from "./search-segment.ts";

let folder: string;
beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

const log = { key: "p/a.jsonl", inode: 2 ** 40, size: 500, mtimeMs: 1794725357228.125, from: 0, to: 480, tailSum: 7 };

function content(postings: SegmentContent["postings"], documents = 3): SegmentContent {
  const filter = Buffer.from([1, 2, 3]);
  const table = Array.from({ length: documents }, (_, n) => ({ log: 0, offset: n * 100, bytes: 90, words: n, filter }));
  return { logs: [log], documents: table, postings };
}

describe("numbers and texts as bytes", () => {
  it("come back as they were", () => {
    const value = fc.oneof(fc.maxSafeNat(), fc.string({ unit: "grapheme" }));
    fc.assert(
      fc.property(fc.array(value), (values) => {
        const writer = createByteWriter();
        for (const each of values) typeof each === "number" ? writer.number(each) : writer.text(each);
        const reader = createByteReader(writer.take());
        for (const each of values) expect(typeof each === "number" ? reader.number() : reader.text()).toBe(each);
        expect(reader.isAtEnd).toBe(true);
      }),
    );
  });
});

describe("a segment of the search index", () => {
  it("finds every word it was made of, whole and by its beginning", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcé会"), minLength: 1, maxLength: 6 });
    const counts = fc.dictionary(fc.constantFrom("0", "1", "2"), fc.integer({ min: 1, max: 300 }), { minKeys: 1 });
    fc.assert(
      fc.property(fc.dictionary(word, counts, { minKeys: 1, maxKeys: 200 }), (words) => {
        const postings = new Map(
          Object.entries(words).map(([each, held]) => [
            each,
            Object.entries(held).flatMap(([at, n]) => [Number(at), n]),
          ]),
        );
        const segment = openSegment("memory", encodeSegment(content(postings)))!;
        for (const [each, held] of Object.entries(words)) {
          expect(Object.fromEntries(segment.find(each, "whole"))).toEqual(held);
          const beginning = each.slice(0, 2);
          const sums: Record<string, number> = {};
          for (const [other, theirs] of Object.entries(words))
            if (other.startsWith(beginning))
              for (const [at, n] of Object.entries(theirs)) sums[at] = (sums[at] ?? 0) + n;
          expect(Object.fromEntries(segment.find(beginning, "beginning"))).toEqual(sums);
        }
        expect(segment.find("zzz", "whole").size).toBe(0);
        expect(segment.logs).toEqual([log]);
      }),
    );
  });

  it("is not opened, or says so, whichever of its bytes is damaged", () => {
    const postings = new Map(Array.from({ length: 200 }, (_, n) => [`word${n}`, [0, 1, 2, n + 1]]));
    const whole = encodeSegment(content(postings));
    const path = join(folder, "a.segment");
    for (let at = 0; at < whole.length; at += 7) {
      const damaged = Buffer.from(whole);
      damaged[at] = (damaged[at] as number) ^ 0x55;
      writeFileSync(path, damaged);
      const segment = openSegment(path);
      const isNoticed = () => {
        try {
          for (const word of postings.keys()) segment?.find(word, "whole");
          for (const document of [0, 1, 2]) segment?.mayHold(document, []);
          return false;
        } catch (error) {
          return error instanceof DamagedSegment;
        }
      };
      expect({ at, noticed: segment === undefined || isNoticed() }).toEqual({ at, noticed: true });
      segment?.close();
    }
    writeFileSync(path, whole.subarray(0, whole.length - 5));
    expect(openSegment(path)).toBeUndefined();
    expect(openSegment(join(folder, "none"))).toBeUndefined();
    expect(readFileSync(path).length).toBe(whole.length - 5);
  });
});

describe("the filter of words side by side", () => {
  const filterOf = (text: string) => {
    const found = new Set<number>();
    const pairs = createPairs(found);
    forEachWord(text, (word, kind) => pairs.take(wordHash(word), kind));
    const documents = [{ log: 0, offset: 0, bytes: 1, words: 1, filter: encodePairs(found) }];
    return openSegment("memory", encodeSegment({ logs: [log], documents, postings: new Map() }))!;
  };

  it("never denies a pair that is there", () => {
    const word = fc.string({ unit: fc.constantFrom(..."abcAB1"), minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(fc.array(word, { minLength: 2, maxLength: 60 }), fc.nat(), (words, from) => {
        const segment = filterOf(words.join(" "));
        const at = from % (words.length - 1);
        const phrase = words.slice(at, at + 3).map((each) => each.toLowerCase());
        expect(segment.mayHold(0, pairsOf(phrase))).toBe(true);
      }),
    );
  });

  it("knows the pieces at the ends of compound words", () => {
    const segment = filterOf("open readLog fileName now");
    for (const phrase of [
      ["log", "filename"],
      ["readlog", "file"],
      ["log", "file"],
      ["open", "read"],
      ["name", "now"],
    ])
      expect(segment.mayHold(0, pairsOf(phrase))).toBe(true);
  });

  it("denies most pairs that are not there", () => {
    const segment = filterOf(Array.from({ length: 500 }, (_, n) => `w${n}`).join(" "));
    const wrong = Array.from({ length: 400 }, (_, n) => segment.mayHold(0, pairsOf([`w${n + 50}`, `w${n}`])));
    expect(wrong.filter(Boolean).length).toBeLessThan(80);
  });
});
