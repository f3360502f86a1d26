import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { chooseVendor } from "../../src/providers/choose-vendor.ts";
import { vendors } from "../../src/providers/vendors.ts";
import { repoRoot } from "../support/repo-root.ts";

const page = readFileSync(join(repoRoot, "docs/models.md"), "utf8");
const lines = [...page.matchAll(/^\| ([a-z-]+) \| `(.*corecoder .*)` \|$/gm)].map(([, name, line]) => ({
  name: name!,
  line: line!,
}));

/** The value of an option in a command line. */
function option(line: string, ...names: readonly string[]): string | undefined {
  const words = line.split(" ");
  return words[words.findIndex((word) => names.includes(word)) + 1 || words.length];
}

describe("the page about models", () => {
  it("has a line for every vendor", () => {
    expect(lines.map(({ name }) => name).toSorted()).toEqual(vendors.map(({ name }) => name).toSorted());
  });

  it.each(lines)("has a line for $name that leads there, with its key", ({ name, line }) => {
    const choice = chooseVendor({
      provider: option(line, "--provider"),
      model: option(line, "-m"),
      baseUrl: option(line, "--base-url") ?? /\b[A-Z_]+_ENDPOINT=(\S+)/.exec(line)?.[1],
      keyVariable: undefined,
    });
    expect(choice.vendor.name).toBe(name);
    const variable = /^([A-Z_]+)=/.exec(line)?.[1];
    const known = [...choice.vendor.keyVariables, ...(name === "custom" ? ["CORECODER_API_KEY"] : [])];
    if (known.length > 0) expect(known).toContain(variable);
    else expect(variable).toBeUndefined();
  });

  it("links only to what exists", () => {
    for (const [, target] of page.matchAll(/\]\((?!https?:)([^)#]+)/g))
      expect(() => readFileSync(join(repoRoot, "docs", target!))).not.toThrow();
  });
});
