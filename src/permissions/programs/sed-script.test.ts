import { describe, expect, it } from "vitest";
import { isHarmlessSedScript } from "./sed-script.ts";

describe("a sed script", () => {
  it("is harmless when it only prints, drops and replaces", () => {
    for (const script of [
      "1,20p",
      "$!d",
      "/rm -rf /p",
      "/a/,/b/{s/x/y/g;p}",
      "s|/usr|/opt|2",
      "s/a\\/b/c/I; y/abc/def/",
      "\\#^/home#d",
      "2~3!d;10q",
      ":a;N;$!ba;s/\\n/ /g",
      "1i\\\nhello",
      "# only a comment\np",
      "",
    ]) {
      expect([script, isHarmlessSedScript(script)]).toEqual([script, true]);
    }
  });

  it("is not harmless when it can write, read another file or run something", () => {
    for (const script of [
      "w out",
      "1W out",
      "s/a/b/w out",
      "s/a/b/e",
      "s/a/b/gpe",
      "1e id",
      "e",
      "r /etc/passwd",
      "R x",
      "/a/{p;w out\n}",
      "s/a/b/;w out",
      "p\nw out",
      "a\\",
    ]) {
      expect([script, isHarmlessSedScript(script)]).toEqual([script, false]);
    }
  });

  it("is not harmless when seds could disagree on where an expression ends", () => {
    expect(isHarmlessSedScript("s/[/]/;w out")).toBe(false);
    expect(isHarmlessSedScript("s/[/]/x/")).toBe(false);
  });

  it("is not harmless when it is not complete", () => {
    for (const script of ["s/a/b", "/a", "{p", "p}", "k", "1,"]) {
      expect([script, isHarmlessSedScript(script)]).toEqual([script, false]);
    }
  });
});
