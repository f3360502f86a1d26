import { readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { createInputHistory } from "./input-history.ts";

let state: string;
let path: string;
beforeEach(() => {
  state = makeTempFolder();
  path = join(state, "new/history");
});
afterEach(() => removeTempFolder(state));

describe("prompts typed before", () => {
  it("come back newest first, also those of several lines", () => {
    const history = createInputHistory(path);
    expect(history.lines).toEqual([]);
    for (const line of ["first", "second\nof two lines", 'third "quoted" \\']) history.remember(line);
    expect(createInputHistory(path).lines).toEqual(['third "quoted" \\', "second\nof two lines", "first"]);
  });

  it("are kept in a private file", () => {
    const umask = process.umask(0);
    try {
      createInputHistory(path).remember("secret plan");
    } finally {
      process.umask(umask);
    }
    expect([statSync(path).mode & 0o777, statSync(join(state, "new")).mode & 0o777]).toEqual([0o600, 0o700]);
  });

  it("are the last 500", () => {
    const file = join(state, "history");
    writeFileSync(file, Array.from({ length: 700 }, (_, index) => `${JSON.stringify(`line ${index}`)}\n`).join(""));
    const { lines } = createInputHistory(file);
    expect([lines.length, lines[0], lines.at(-1)]).toEqual([500, "line 699", "line 200"]);
  });

  it("are read around lines that are damaged", () => {
    const file = join(state, "history");
    writeFileSync(file, '"one"\nbroken\n{"a":1}\n\n"two"\n"cut');
    expect(createInputHistory(file).lines).toEqual(["two", "one"]);
  });

  it("are no reason to fail when they cannot be saved", () => {
    writeFileSync(join(state, "file"), "x");
    const history = createInputHistory(join(state, "file/history"));
    history.remember("line");
    expect(readFileSync(join(state, "file"), "utf8")).toBe("x");
  });
});
