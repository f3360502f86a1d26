import { describe, expect, it } from "vitest";
import { similarNames, twinNames } from "./similar-names.ts";

describe("similarNames", () => {
  it("finds other case, other extensions and small slips, best first", () => {
    expect(similarNames("Index.ts", ["index.js", "index.ts", "main.ts"])).toEqual(["index.ts", "index.js"]);
    expect(similarNames("pakage.json", ["package.json", "tsconfig.json"])[0]).toBe("package.json");
  });

  it("names at most three, and nothing that is not alike", () => {
    expect(similarNames("a1.txt", ["a1.md", "a1.js", "a1.ts", "a1.py"])).toHaveLength(3);
    expect(similarNames("quux", ["alpha", "beta"])).toEqual([]);
  });
});

describe("twinNames", () => {
  it("finds names that differ in case or Unicode form only", () => {
    expect(twinNames("caf\u00e9.ts", ["cafe\u0301.ts", "cafe.ts", "caf\u00e9.ts"])).toEqual(["cafe\u0301.ts"]);
    expect(twinNames("readme", ["README"])).toEqual(["README"]);
  });
});
