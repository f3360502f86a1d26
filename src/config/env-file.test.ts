import { mkdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { findEnvFile, parseEnvFile } from "./env-file.ts";

const parsed = (text: string) => Object.fromEntries(parseEnvFile(text));

describe("a line of a .env file", () => {
  it.each([
    ["a plain value", "A=one", "one"],
    ["a value with blanks inside", "A=one two", "one two"],
    ["blanks around name and value", "  A  =  one  ", "one"],
    ["export in front", "export A=one", "one"],
    ["double quotes", 'A="one two"', "one two"],
    ["single quotes", "A='one two'", "one two"],
    ["a comment behind the value", "A=one # two", "one"],
    ["a comment behind quotes", 'A="one" # two', "one"],
    ["a hash inside the value", "A=one#two", "one#two"],
    ["a hash inside double quotes", 'A="one # two"', "one # two"],
    ["a hash inside single quotes", "A='one # two'", "one # two"],
    ["a comment where the value should be", "A= # put the key here", ""],
    ["nothing", "A=", ""],
    ["empty quotes", 'A=""', ""],
    ["an equals sign in the value", "A=x=y==", "x=y=="],
    ["an escaped newline in double quotes", 'A="one\\ntwo"', "one\ntwo"],
    ["no escapes in single quotes", "A='one\\ntwo'", "one\\ntwo"],
    ["escaped quotes", 'A="say \\"hi\\""', 'say "hi"'],
    ["an escaped backslash before an n", 'A="C:\\\\new"', "C:\\new"],
    ["a quote inside the value", "A=don't", "don't"],
  ])("may hold %s", (_name, line, value) => {
    expect(parsed(line)).toEqual({ A: value });
  });

  it.each(["$HOME/x", "${HOME}", "$(id)", "`id`", '"$HOME"', '"$(id)"'])("is never expanded: %s", (raw) => {
    expect(parsed(`A=${raw}`)).toEqual({ A: raw.replaceAll('"', "") });
  });

  it.each(["# A=one", "  # A=one", "A one", "=one", "1A=one", "A-B=one", "", "export", "no equals"])(
    "that says nothing sets nothing: %j",
    (line) => {
      expect(parsed(line)).toEqual({});
    },
  );
});

describe("a .env file", () => {
  it("may have CRLF line ends and a byte order mark", () => {
    expect(parsed('\uFEFFA=one\r\nB="two"\r\n\r\nC=three\r\n')).toEqual({ A: "one", B: "two", C: "three" });
  });

  it("gives the last of two lines for the same name", () => {
    expect(parsed("A=one\nA=two")).toEqual({ A: "two" });
  });
});

describe("looking for .env", () => {
  let home: string;
  let above: string;
  let project: string;
  const write = (folder: string, value: string) => writeFileSync(join(folder, ".env"), `WHERE=${value}\n`);
  const whereFrom = (cwd: string, homeFolder = home) => findEnvFile(cwd, homeFolder)?.values.get("WHERE");

  beforeEach(() => {
    above = makeTempFolder();
    home = join(above, "home");
    project = join(home, "work/project/src");
    mkdirSync(project, { recursive: true });
  });
  afterEach(() => removeTempFolder(above));

  it("takes the nearest one upwards and answers with its path", () => {
    write(home, "home");
    write(join(home, "work"), "work");
    expect(findEnvFile(project, home)).toMatchObject({ path: join(home, "work/.env") });
    write(project, "here");
    expect(whereFrom(project)).toBe("here");
  });

  it("looks into the home folder last and no further", () => {
    write(above, "above");
    expect(findEnvFile(project, home)).toBeUndefined();
    write(home, "home");
    expect(whereFrom(project)).toBe("home");
    expect(whereFrom(home)).toBe("home");
  });

  it("stops at a home folder that is written with a slash at its end", () => {
    write(above, "above");
    expect(whereFrom(project, `${home}/`)).toBeUndefined();
  });

  it("knows the home folder also when its name is a link", () => {
    symlinkSync(home, join(above, "link"));
    write(above, "above");
    expect(whereFrom(project, join(above, "link"))).toBeUndefined();
  });

  it("does not take a folder that only begins like the home folder for a part of it", () => {
    const sibling = join(above, "home-of-somebody");
    mkdirSync(sibling);
    write(above, "above");
    expect(whereFrom(sibling)).toBe("above");
  });

  it("passes over a folder that is named .env", () => {
    mkdirSync(join(project, ".env"));
    write(home, "home");
    expect(whereFrom(project)).toBe("home");
  });
});
