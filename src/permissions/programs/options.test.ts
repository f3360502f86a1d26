import { describe, expect, it } from "vitest";
import { literal, pattern, unknownValue, unquoted } from "../shell/value.ts";
import { isMisfit, parseArguments, splitArguments } from "./options.ts";

const grammar = { short: "nrk:C::", long: "key= color=? reverse", number: true } as const;
const words = (...texts: string[]) => texts.map(literal);
const parse = (...texts: string[]) => {
  const parsed = parseArguments(words(...texts), grammar);
  if (isMisfit(parsed)) return parsed;
  const options = parsed.options.map(({ name, value }) => (value ? `${name}=${value.text}` : name));
  return [options, parsed.operands.map(({ text }) => text)];
};

describe("parsing arguments", () => {
  it("takes clusters, attached and separate values, and options after operands", () => {
    expect(parse("-nrk2", "a", "-k", "3", "--key=4", "--key", "5", "-C", "-C9", "--color", "-5")).toEqual([
      ["-n", "-r", "-k=2", "-k=3", "--key=4", "--key=5", "-C", "-C=9", "--color", "-#"],
      ["a"],
    ]);
  });

  it("takes everything after -- and a lone dash as operands", () => {
    expect(parse("-", "--", "-n", "--other")).toEqual([[], ["-", "-n", "--other"]]);
  });

  it("does not accept what the grammar does not name", () => {
    for (const option of ["-o", "-no", "--output=x", "--rev", "--reverse=x", "-nk2o --x"]) {
      expect([option, "problem" in parse(option)]).toEqual([option, !option.startsWith("-nk2")]);
    }
  });

  it("does not accept a word that could turn out to be an option", () => {
    for (const word of [unknownValue, pattern("*.txt", 0), unquoted({ ...unknownValue, text: "a", unknownAt: 1 })]) {
      expect(isMisfit(parseArguments([word], grammar))).toBe(true);
      expect(isMisfit(parseArguments([literal("--"), word], grammar))).toBe(false);
      expect(isMisfit(parseArguments([word], { ...grammar, harmless: true }))).toBe(false);
    }
  });

  it("takes words for operands from the first one on where options only lead", () => {
    const parsed = parseArguments(words("-n", "ls", "-x"), { ...grammar, leading: true });
    expect(isMisfit(parsed) ? parsed : parsed.operands.map(({ text }) => text)).toEqual(["ls", "-x"]);
  });
});

describe("splitting arguments of a program without harmful options", () => {
  it("takes whatever begins with a dash for an option", () => {
    const { options, operands } = splitArguments(words("-zzz", "--from=x", "a", "-", "--", "-b"));
    expect(options.map(({ name, value }) => [name, value?.text])).toEqual([
      ["-zzz", undefined],
      ["--from", "x"],
    ]);
    expect(operands.map(({ text }) => text)).toEqual(["a", "-", "-b"]);
  });
});
