import { execFileSync } from "node:child_process";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parseDeclarations } from "./shell-declarations.ts";

function declared(env: Record<string, string>, script = "declare -px"): Map<string, string> {
  return parseDeclarations(
    execFileSync("bash", ["-c", script], {
      env: { PATH: "/usr/bin:/bin", ...env },
      encoding: "utf8",
      stdio: ["ignore", "pipe", "inherit"],
    }),
  );
}

describe("what bash prints about its exported variables", () => {
  test.each(["C.UTF-8", "C"])("is read back exactly, whatever the values hold (locale %s)", (locale) => {
    const value = fc.string({
      unit: fc.oneof(
        fc.constantFrom("\\", '"', "'", "$", "`", "\n", "\t", "\x1b", "\x01", "=", "!", "é", "日", "😀"),
        fc.string({ unit: "grapheme-ascii", minLength: 1, maxLength: 3 }),
      ),
      maxLength: 12,
    });
    const values = fc.array(value, { minLength: 20, maxLength: 20 });
    fc.assert(
      fc.property(values, (list) => {
        const env = Object.fromEntries(list.map((text, index) => [`V${index}`, text]));
        const found = declared({ ...env, LC_ALL: locale });
        for (const [name, text] of Object.entries(env)) expect(found.get(name)).toBe(text);
      }),
      { numRuns: 30 },
    );
  });

  test("a value that looks like a declaration declares nothing", () => {
    const found = declared({ TRICK: 'x"\ndeclare -x FAKE="1"\n' });
    expect(found.has("FAKE")).toBe(false);
    expect(found.get("TRICK")).toBe('x"\ndeclare -x FAKE="1"\n');
  });

  test("attributes do not matter; arrays and variables without a value are left out", () => {
    const found = declared({}, "declare -ix N=5; declare -rx R=r; declare -ax A=(1 2); export U; declare -px");
    expect([found.get("N"), found.get("R"), found.has("A"), found.has("U")]).toEqual(["5", "r", false, false]);
  });
});
