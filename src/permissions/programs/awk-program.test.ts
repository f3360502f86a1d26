import { describe, expect, it } from "vitest";
import { isHarmlessAwkProgram } from "./awk-program.ts";

describe("an awk program", () => {
  it("is harmless when it only computes and prints", () => {
    for (const program of [
      "{print $1, $NF}",
      "NR > 5 && NR < 10",
      "/foo|bar/ {n++} END {print n}",
      'BEGIN {FS = ","} {s += $2} END {printf "%.2f\\n", s / NR}',
      "{if ($1 > 5) print; else next}",
      '!seen[$0]++ {gsub(/a+/, "b"); print toupper(substr($0, 1, 3))}',
      "$3 ~ /^x/ # comment",
      "",
    ]) {
      expect([program, isHarmlessAwkProgram(program)]).toEqual([program, true]);
    }
  });

  it("is not harmless when it starts a program, opens a file or looks at the environment", () => {
    for (const program of [
      'BEGIN{system("id")}',
      'BEGIN{system ("id")}',
      '{print > "out"}',
      '{print >> "out"}',
      '{print | "sh"}',
      '{"id" | getline x}',
      '{getline < "x"}',
      'BEGIN{print ENVIRON["X"]}',
      'BEGIN{ARGV[1]="x"}',
      "@load",
      "function f(x) {return x}",
      "BEGIN{f()}",
    ]) {
      expect([program, isHarmlessAwkProgram(program)]).toEqual([program, false]);
    }
  });

  it("is not harmless when a slash could hide code from it", () => {
    for (const program of [
      '1 / system("id") / 1',
      'x++ / system("id") / 1',
      '/a/ / system("id") / 1',
      'x\n/"/{system("id")}#"',
      '/[/]"/{system("id")}#"/',
      'if (x) /"/ ; system("id") #"',
      'x \\\n / system("id") / 1',
    ]) {
      expect([program, isHarmlessAwkProgram(program)]).toEqual([program, false]);
    }
  });

  it("is not harmless when its brackets do not match", () => {
    expect(isHarmlessAwkProgram("{print")).toBe(false);
    expect(isHarmlessAwkProgram("(1")).toBe(false);
    expect(isHarmlessAwkProgram('{print "a}')).toBe(false);
  });
});
