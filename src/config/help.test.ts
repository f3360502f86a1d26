import { describe, expect, it } from "vitest";
import { exitCode } from "../contracts/errors.ts";
import { runOptions } from "./arguments.ts";
import { helpPage } from "./help.ts";
import { type Setting, settingsTable } from "./settings-table.ts";

const page = helpPage();
const lineOf = (option: string) =>
  page.split("\n").find((line) => line.match(/^ {2}(?:-\w,| {3}) --([\w-]+)/)?.[1] === option);

describe("the help page", () => {
  it("has a line for every option of a run, with its short name and what it does", () => {
    for (const { name, short, help } of runOptions) {
      expect(lineOf(name), name).toContain(help);
      if (short) expect(lineOf(name)).toContain(`-${short}, --${name}`);
    }
  });

  it("has a line for every setting that is an option, with its short name and its variables", () => {
    for (const { option, short, help, variables = [] } of settingsTable as readonly Setting[]) {
      if (option === undefined) continue;
      expect(lineOf(option), option).toContain(help);
      if (short) expect(lineOf(option)).toContain(`-${short}, --${option}`);
      for (const variable of variables) expect(lineOf(option)).toContain(variable);
    }
  });

  it("names every exit code", () => {
    const codes = page.split("\n").find((line) => line.startsWith("Exit codes"));
    for (const code of Object.values(exitCode)) expect(codes).toMatch(new RegExp(`\\b${code} \\w`));
  });

  it("names the subcommands", () => {
    for (const name of ["demo", "config", "doctor", "permissions explain"]) expect(page).toContain(`corecoder ${name}`);
  });
});
