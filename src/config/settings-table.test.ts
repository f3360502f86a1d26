import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readValue, splitList } from "./setting-values.ts";
import { type Setting, settingFor, settingsTable } from "./settings-table.ts";

const setting = (key: string) => settingFor(key) as Setting;

describe("a number", () => {
  it.each([
    ["temperature", "0.5", 0.5],
    ["temperature", 2, 2],
    ["maxTokens", "4096", 4096],
    ["maxTokens", " 7 ", 7],
    ["maxBudgetUsd", 0, 0],
  ])("of %s may be given as %j", (key, given, value) => {
    expect(readValue(setting(key), given)).toEqual({ value });
  });

  it.each([
    ["temperature", "warm"],
    ["temperature", ""],
    ["temperature", "  "],
    ["temperature", -0.1],
    ["temperature", "2.1"],
    ["temperature", true],
    ["temperature", null],
    ["temperature", [1]],
    ["temperature", Number.NaN],
    ["maxTokens", "1.5"],
    ["maxTokens", 0],
    ["maxTokens", "-1"],
    ["maxTokens", "Infinity"],
    ["maxTokens", "12abc"],
    ["maxTokens", "1,000"],
  ])("of %s is refused as %j, and the range is said", (key, given) => {
    expect(readValue(setting(key), given)).toEqual({
      problem: expect.stringMatching(/must be a (whole )?number of at least \d/),
    });
  });
});

describe("other kinds", () => {
  it("names the choices when a word is none of them", () => {
    expect(readValue(setting("permissionMode"), "yolo")).toEqual({
      problem: "must be one of default, acceptEdits, plan, auto, bypassPermissions",
    });
  });

  it.each([1, true, null, {}, ["a"]])("takes no %j for a text", (given) => {
    expect(readValue(setting("model"), given)).toEqual({ problem: "must be a text" });
  });

  it.each([[[1]], [{}], [5], [["a", null]]])("takes no %j for a list of texts", (given) => {
    expect(readValue(setting("allowedTools"), given)).toEqual({ problem: "must be a list of texts" });
  });
});

describe("a list in one text", () => {
  it.each([
    ["a,b", ["a", "b"]],
    ["a b", ["a", "b"]],
    [" a ,, b ", ["a", "b"]],
    ["bash(git log *),edit_file", ["bash(git log *)", "edit_file"]],
    ["bash(a, b) bash(c)", ["bash(a, b)", "bash(c)"]],
    ["bash(echo (x) y) grep", ["bash(echo (x) y)", "grep"]],
    ["", []],
  ])("splits %j at commas and blanks outside brackets", (text, items) => {
    expect(splitList(text)).toEqual(items);
  });

  it("comes back whole when rules without commas and blanks are joined", () => {
    const word = fc.stringMatching(/^[a-z_]{1,8}$/);
    const rule = fc.oneof(
      word,
      fc.tuple(word, fc.stringMatching(/^[a-z ,*-]{0,10}$/)).map(([name, inner]) => `${name}(${inner})`),
    );
    fc.assert(
      fc.property(fc.array(rule), fc.constantFrom(",", " ", ", "), (rules, between) => {
        expect(splitList(rules.join(between))).toEqual(rules);
      }),
    );
  });
});

describe("the table", () => {
  it("holds each key, option and variable once", () => {
    const rows = settingsTable as readonly Setting[];
    for (const names of [
      rows.map(({ key }) => key),
      rows.flatMap(({ option, aliases = [] }) => [option ?? [], ...aliases].flat()),
      rows.flatMap(({ variables = [] }) => variables),
    ]) {
      expect(names).toEqual([...new Set(names)]);
    }
  });

  it("has fallbacks that pass their own check", () => {
    for (const row of settingsTable as readonly Setting[]) {
      if (row.fallback !== undefined) expect(readValue(row, row.fallback)).toEqual({ value: row.fallback });
    }
  });
});
