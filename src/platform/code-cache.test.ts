import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { loadWithCodeCache } from "./code-cache.ts";

// One process stands for several: without this V8 remembers every source it has compiled and looks at no cache.
setFlagsFromString("--no-compilation-cache");

const require = createRequire(import.meta.url);
let folder: string;
let file: string;
let cache: string;
beforeEach(() => {
  folder = makeTempFolder();
  file = join(folder, "core.cjs");
  cache = join(folder, "cache/core.cache");
  writeProgram("one");
});
afterEach(() => removeTempFolder(folder));

/** Programs of the same length, as two builds may be. */
function writeProgram(word: "one" | "two"): void {
  writeFileSync(
    file,
    `exports.answer = () => "${word}"; exports.sep = require("node:path").sep; exports.place = [__filename, __dirname];`,
  );
}

type Program = { answer(): string; readonly sep: string; readonly place: readonly string[] };
function run(caches: readonly string[] = [cache]): string {
  const loaded = loadWithCodeCache<Program>({ file, require, caches });
  const answer = loaded.exports.answer();
  loaded.saveCache();
  return answer;
}
/** Each save makes a new file, so the same file means that the cache was used. */
const identity = (path = cache) => statSync(path).ino;

describe("loading with a code cache", () => {
  it("runs a CommonJS file with its own require and place", () => {
    const { exports } = loadWithCodeCache<Program>({ file, require, caches: [] });
    expect([exports.answer(), exports.sep, exports.place]).toEqual(["one", "/", [file, folder]]);
  });

  it("honours module.exports", () => {
    writeFileSync(file, "module.exports = () => 42;");
    expect(loadWithCodeCache<() => number>({ file, require, caches: [] }).exports()).toBe(42);
  });

  it("survives a last line that is a comment", () => {
    writeFileSync(file, "exports.answer = () => 'one'; // the end");
    expect(run()).toBe("one");
  });

  it("writes no cache before it is told to", () => {
    loadWithCodeCache({ file, require, caches: [cache] });
    expect(existsSync(cache)).toBe(false);
  });

  it("saves the compiled code for the person alone, and uses it from then on", () => {
    expect(run()).toBe("one");
    expect(statSync(cache).mode & 0o777).toBe(0o600);
    const first = identity();
    expect([run(), run(), identity() === first]).toEqual(["one", "one", true]);
  });

  it("looks in every place and writes to the last", () => {
    const shipped = join(folder, "shipped.cache");
    run([shipped, cache]);
    expect([existsSync(shipped), existsSync(cache)]).toEqual([false, true]);
    const first = identity();
    run([shipped, cache]);
    expect(identity()).toBe(first);
  });

  it("does not write a second cache when the first place has a good one", () => {
    const shipped = join(folder, "shipped.cache");
    run([shipped]);
    run([shipped, cache]);
    expect(existsSync(cache)).toBe(false);
  });

  it("uses the second place when the first holds rubbish", () => {
    run();
    const shipped = join(folder, "shipped.cache");
    writeFileSync(shipped, "rubbish");
    const first = identity();
    expect([run([shipped, cache]), identity() === first]).toEqual(["one", true]);
  });
});

describe("a bad code cache", () => {
  it.each([
    ["empty", () => Buffer.alloc(0)],
    ["rubbish", () => Buffer.from("rubbish")],
    ["cut in half", (good: Buffer) => good.subarray(0, good.length / 2)],
    ["of another V8", (good: Buffer) => Buffer.from(good).fill(0xff, 4, 8)],
  ])("that is %s is survived and made anew", (_name, damage) => {
    run();
    writeFileSync(cache, damage(readFileSync(cache)));
    const bad = identity();
    expect(run()).toBe("one");
    expect(identity()).not.toBe(bad);
    const mended = identity();
    expect([run(), identity() === mended]).toEqual(["one", true]);
  });

  it("with a block overwritten inside is made anew instead of being run", () => {
    run();
    const damaged = readFileSync(cache);
    damaged.fill(0, Math.floor(damaged.length / 2), Math.floor(damaged.length / 2) + 256);
    writeFileSync(cache, damaged);
    expect(run()).toBe("one");
    expect(readFileSync(cache).equals(damaged)).toBe(false);
  });

  it("that is a folder is survived", () => {
    mkdirSync(cache, { recursive: true });
    expect(run()).toBe("one");
  });

  it("in a place that cannot be written is survived", () => {
    writeFileSync(join(folder, "cache"), "in the way");
    expect([run(), run()]).toEqual(["one", "one"]);
    expect(readFileSync(join(folder, "cache"), "utf8")).toBe("in the way");
  });
});

describe("a file that cannot be loaded", () => {
  it("throws what is wrong with it", () => {
    expect(() => loadWithCodeCache({ file: join(folder, "missing.cjs"), require, caches: [cache] })).toThrow("ENOENT");
    writeFileSync(file, "this is no program");
    expect(() => loadWithCodeCache({ file, require, caches: [cache] })).toThrow(SyntaxError);
    writeFileSync(file, "throw new Error('at start');");
    expect(() => loadWithCodeCache({ file, require, caches: [cache] })).toThrow("at start");
  });
});
