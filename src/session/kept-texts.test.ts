import {
  appendFileSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { checkKept, createKeptTexts, type KeptEntry } from "./kept-texts.ts";

let state: string;
let folder: string;
let entries: KeptEntry[];
beforeEach(() => {
  state = makeTempFolder();
  folder = join(state, "project/s1");
  entries = [];
});
afterEach(() => removeTempFolder(state));

const create = (where = folder) => {
  const noted = entries;
  return createKeptTexts({ folder: where, onKept: (entry) => void noted.push(entry) });
};

describe("a text too long for the conversation", () => {
  it("is kept whole in a private file with a short name, whose path is the answer", () => {
    const text = "line\n".repeat(100_000);
    const path = create().keep("#12", text) as string;
    expect(dirname(path)).toBe(folder);
    expect(basename(path)).toMatch(/^[0-9a-f]{20}\.txt$/);
    expect(readFileSync(path, "utf8")).toBe(text);
    expect([statSync(folder).mode & 0o777, statSync(path).mode & 0o777]).toEqual([0o700, 0o600]);
  });

  it("is noted for the log, with its whole hash, when it is in its file", () => {
    const seen: boolean[] = [];
    const kept = createKeptTexts({
      folder,
      onKept(entry) {
        entries.push(entry);
        seen.push(checkKept(folder, entry) === "intact");
      },
    });
    kept.keep("#1", "é");
    expect(entries).toEqual([
      { type: "kept", handle: "#1", hash: expect.stringMatching(/^sha256:[0-9a-f]{64}$/), bytes: 2 },
    ]);
    expect(seen).toEqual([true]);
  });

  it("is stored once however often it is kept, under each of its handles", () => {
    const kept = create();
    const [one, two, other] = [kept.keep("#1", "same"), kept.keep("#2", "same"), kept.keep("#3", "other")];
    expect(one).toBe(two);
    expect(other).not.toBe(one);
    expect(readdirSync(folder)).toHaveLength(2);
    expect(entries.map(({ handle }) => handle)).toEqual(["#1", "#2", "#3"]);
  });

  it("is read back as it was, also by a session that is taken up again", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.string({ unit: "grapheme" })), (texts) => {
        entries = [];
        const kept = create();
        for (const [handle, text] of Object.entries(texts)) kept.keep(handle, text);
        const later = create();
        later.restore(entries);
        for (const [handle, text] of Object.entries(texts))
          for (const one of [kept, later]) expect(one.read(handle)).toEqual({ type: "text", text });
      }),
      { numRuns: 30 },
    );
  });

  it("stays in its folder whatever the handle", () => {
    expect(dirname(create().keep("../../x", "text") as string)).toBe(folder);
  });

  it("is given up without an error when there is no place for it", () => {
    writeFileSync(join(state, "file"), "");
    const kept = create(join(state, "file/s1"));
    expect([kept.keep("#1", "text"), kept.folder(), entries]).toEqual([undefined, undefined, []]);
    expect(kept.read("#1")).toEqual({ type: "missing" });
  });

  it("can still be kept when the folder was deleted in between", () => {
    const kept = create();
    kept.keep("#1", "one");
    rmSync(folder, { recursive: true });
    expect(readFileSync(kept.keep("#2", "two") as string, "utf8")).toBe("two");
    expect([kept.read("#1"), kept.read("#2").type]).toEqual([{ type: "missing" }, "text"]);
    kept.keep("#3", "one");
    expect(kept.read("#1").type).toBe("text");
  });
});

describe("a kept text that is not what it was", () => {
  it.each([
    ["gone", (path: string) => rmSync(path), "missing"],
    ["empty", (path: string) => writeFileSync(path, ""), "damaged"],
    ["changed", (path: string) => writeFileSync(path, "tExt"), "damaged"],
    ["longer", (path: string) => appendFileSync(path, "x"), "damaged"],
    [
      "a folder",
      (path: string) => {
        rmSync(path);
        mkdirSync(path);
      },
      "damaged",
    ],
    [
      "a link to something else",
      (path: string) => {
        rmSync(path);
        symlinkSync("/etc/passwd", path);
      },
      "damaged",
    ],
  ] as const)("because it is %s is not believed", (_name, damage, type) => {
    const kept = create();
    damage(kept.keep("#1", "text") as string);
    expect(kept.read("#1")).toEqual({ type });
    expect(checkKept(folder, entries[0] as KeptEntry)).toBe(type);
  });

  it("is written again when it is kept again", () => {
    const kept = create();
    const path = kept.keep("#1", "text") as string;
    writeFileSync(path, "tExt");
    kept.keep("#2", "text");
    expect(kept.read("#1")).toEqual({ type: "text", text: "text" });
  });

  it.each(["", "../../../etc/passwd", "sha256:../../x", `sha256:${"0".repeat(63)}`, `md5:${"0".repeat(64)}`])(
    "is never looked for by a hash such as %j",
    (hash) => {
      const kept = create();
      kept.restore([{ type: "kept", handle: "#1", hash, bytes: 4 }]);
      expect(kept.read("#1")).toEqual({ type: "damaged" });
    },
  );
});

describe("the folder for outputs", () => {
  it("is made, private, when it is asked for and not before", () => {
    const kept = create();
    expect(() => statSync(folder)).toThrow("ENOENT");
    expect(kept.folder()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(kept.folder()).toBe(folder);
  });

  it("gives a file that was written there the name of its content, and the call its handle", () => {
    const kept = create();
    const written = join(kept.folder() as string, "12-output.txt");
    writeFileSync(written, "a long output", { mode: 0o600 });
    const path = kept.adopt("#12", written);
    expect(path).not.toBe(written);
    expect(readFileSync(path, "utf8")).toBe("a long output");
    expect(() => statSync(written)).toThrow("ENOENT");
    expect(kept.read("#12")).toEqual({ type: "text", text: "a long output" });
    expect(entries.at(-1)).toMatchObject({ type: "kept", handle: "#12", bytes: 13 });
  });

  it("leaves a file that cannot be kept where it is", () => {
    const kept = create();
    expect(kept.adopt("#1", join(folder, "none.txt"))).toBe(join(folder, "none.txt"));
    expect(kept.read("#1")).toEqual({ type: "missing" });
    expect(entries).toEqual([]);
  });
});
