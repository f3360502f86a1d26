import { appendFileSync, cpSync, readdirSync, readFileSync, statSync, truncateSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { openObjectStore } from "./object-store.ts";
import { decodeRecord, recordBytes } from "./pack-records.ts";

let folder: string;

beforeEach(() => {
  folder = makeTempFolder();
});
afterEach(() => removeTempFolder(folder));

const files = (ending: string, at = folder) =>
  readdirSync(at)
    .filter((name) => name.endsWith(ending))
    .map((name) => join(at, name));

describe("an object store", () => {
  it("gives back what was put, by the hash of it, in this process and the next", async () => {
    const store = await openObjectStore(folder);
    const contents = ["", "a", "text ".repeat(1000), "x".repeat(400_000)].map((text) => Buffer.from(text));
    const hashes = contents.map((bytes) => store.put(bytes));
    await store.flush();
    const next = await openObjectStore(folder);
    for (const [index, hash] of hashes.entries()) {
      expect(store.read(hash)?.equals(contents[index] as Buffer)).toBe(true);
      expect(next.read(hash)?.equals(contents[index] as Buffer)).toBe(true);
      expect(next.has(hash)).toBe(true);
    }
    expect(next.read(`sha256:${"0".repeat(64)}`)).toBeUndefined();
    store.close();
    next.close();
  });

  it("finds what another process wrote after it was opened", async () => {
    const [one, two] = [await openObjectStore(folder), await openObjectStore(folder)];
    const hash = one.put(Buffer.from("later"));
    await one.flush();
    expect(two.read(hash)).toEqual(Buffer.from("later"));
    one.close();
    two.close();
  });

  it("takes much at once without holding it all in memory, and compresses it", async () => {
    const store = await openObjectStore(folder);
    const hashes: string[] = [];
    for (let i = 0; i < 2_000; i++) {
      hashes.push(store.put(Buffer.from(`${i} ${"compressible text ".repeat(500)}`)));
      await store.catchUp();
    }
    await store.flush();
    expect(statSync(files(".pack")[0] as string).size).toBeLessThan(2_000 * 9_000 * 0.2);
    for (const [i, hash] of hashes.entries()) expect(store.read(hash)?.toString().startsWith(`${i} comp`)).toBe(true);
    store.close();
  });

  it("says when a write fails, and goes on with another pack when it can", async () => {
    const blocked = join(folder, "blocked");
    writeFileSync(blocked, "a file where the folder should be");
    const store = await openObjectStore(blocked);
    const hash = store.put(Buffer.from("x"));
    await expect(store.flush()).rejects.toThrow(/EEXIST|ENOTDIR/);
    expect(store.has(hash)).toBe(false);
    removeTempFolder(blocked);
    store.put(Buffer.from("x"));
    await store.flush();
    expect(store.read(hash)).toEqual(Buffer.from("x"));
    store.close();
  });
});

describe("whatever a crash leaves", () => {
  it("is read as far as it was written: an object comes back whole or not at all", async () => {
    const whole = join(folder, "whole");
    const store = await openObjectStore(whole);
    const contents = new Map<string, Buffer>();
    for (let i = 0; i < 40; i++) {
      const bytes = Buffer.from(`${i} `.repeat(1 + ((i * 37) % 400)));
      contents.set(store.put(bytes), bytes);
      if (i % 3 === 0) await store.flush();
    }
    await store.flush();
    store.close();
    const [pack = "", index = ""] = [...files(".pack", whole), ...files(".idx", whole)];
    const records = readFileSync(index);
    let round = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: statSync(pack).size }),
        fc.nat({ max: records.length }),
        fc.uint8Array({ maxLength: 90 }),
        async (packCut, indexCut, garbage) => {
          const copy = join(folder, `copy${round++}`);
          cpSync(whole, copy, { recursive: true });
          truncateSync(files(".pack", copy)[0] as string, packCut);
          truncateSync(files(".idx", copy)[0] as string, indexCut);
          appendFileSync(files(".idx", copy)[0] as string, garbage);
          const torn = await openObjectStore(copy);
          for (const [hash, bytes] of contents) {
            const found = torn.read(hash);
            if (found !== undefined) expect(found).toEqual(bytes);
          }
          for (let at = 0; at + recordBytes <= indexCut; at += recordBytes) {
            const { hash, blockAt, storedBytes } = decodeRecord(records, at);
            if (blockAt + storedBytes <= packCut) expect(torn.read(hash)).toEqual(contents.get(hash));
          }
          // What is missing can be put again.
          const [first, bytes] = [...contents][0] as [string, Buffer];
          torn.put(bytes);
          await torn.flush();
          expect(torn.read(first)).toEqual(bytes);
          torn.close();
        },
      ),
      { numRuns: 60 },
    );
  });
});
