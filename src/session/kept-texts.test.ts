import { readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createKeptTexts } from "./kept-texts.ts";

let state: string;
beforeEach(() => {
  state = makeTempFolder();
});
afterEach(() => removeTempFolder(state));

describe("a text too long for the conversation", () => {
  it("is kept whole under its handle, in a private file whose path is the answer", () => {
    const kept = createKeptTexts(join(state, "s1"));
    const text = "line\n".repeat(100_000);
    const path = kept.keep("#12", text) as string;
    expect(path).toBe(join(state, "s1/12.txt"));
    expect(readFileSync(path, "utf8")).toBe(text);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("does not replace that of another handle", () => {
    const kept = createKeptTexts(state);
    const [one, two] = [kept.keep("#1", "one"), kept.keep("#11", "two")];
    expect([readFileSync(one as string, "utf8"), readFileSync(two as string, "utf8")]).toEqual(["one", "two"]);
  });

  it("stays in its folder whatever the handle", () => {
    expect(dirname(createKeptTexts(state).keep("../../x", "text") as string)).toBe(state);
  });

  it("is given up without an error when there is no place for it", () => {
    writeFileSync(join(state, "file"), "");
    const kept = createKeptTexts(join(state, "file/s1"));
    expect([kept.keep("#1", "text"), kept.folder()]).toEqual([undefined, undefined]);
  });
});

describe("the folder for outputs", () => {
  it("is made, private, when it is asked for and not before", () => {
    const folder = join(state, "a/s1");
    const kept = createKeptTexts(folder);
    expect(() => statSync(folder)).toThrow("ENOENT");
    expect(kept.folder()).toBe(folder);
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect(kept.folder()).toBe(folder);
  });
});
