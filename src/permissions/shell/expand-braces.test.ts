import { describe, expect, it } from "vitest";
import { expandBraces } from "./expand-braces.ts";

describe("expanding braces", () => {
  it("makes the words that bash makes", () => {
    expect(expandBraces("{a,b}")).toEqual(["a", "b"]);
    expect(expandBraces("{a,b{c,d}}")).toEqual(["a", "bc", "bd"]);
    expect(expandBraces("{,x}")).toEqual(["", "x"]);
    expect(expandBraces("{3..1}")).toEqual(["3", "2", "1"]);
    expect(expandBraces("{a}")).toEqual(["{a}"]);
  });

  it("gives up on quotes, expansions and too many words", () => {
    expect(expandBraces('{a,"b"}')).toBeUndefined();
    expect(expandBraces("{a,$x}")).toBeUndefined();
    expect(expandBraces("{1..100}")).toBeUndefined();
    expect(expandBraces(`{${"a,b,".repeat(100)}c}`)).toBeUndefined();
  });
});
