import { chmodSync, lstatSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, type ScriptedCall, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

const read = (path: string) => call("read_file", { file_path: path });
const edit = (path: string, before: string, after: string, more: Record<string, unknown> = {}) =>
  call("edit_file", { file_path: path, old_string: before, new_string: after, ...more });

/** Plays the calls one round each; answers with what the model was told after each. */
async function told(world: World, rounds: readonly (ScriptedCall | (() => ScriptedCall))[]): Promise<string[]> {
  const model = await world.model((_, index) => {
    const round = rounds[index];
    return round === undefined ? text("ok") : typeof round === "function" ? round() : round;
  });
  expect((await world.run(["-p", "go"], { model })).code).toBe(0);
  return model.requests.slice(1).map(lastToolText);
}

describe("edit_file", () => {
  it("changes the one match and shows a diff", async ({ world }) => {
    world.write("a.txt", "alpha\nbeta\ngamma\n");
    const [, answer] = await told(world, [read("a.txt"), edit("a.txt", "beta", "BETA")]);
    expect(world.read("a.txt")).toBe("alpha\nBETA\ngamma\n");
    expect(answer).toMatch(/^-beta$/m);
    expect(answer).toMatch(/^\+BETA$/m);
  });

  it("changes nothing without a match and shows the nearest place", async ({ world }) => {
    world.write("a.py", "def total(items):\n    return sum(items)\n");
    const [, answer] = await told(world, [read("a.py"), edit("a.py", "def total(items):\n  return sum(items)", "x")]);
    expect(world.read("a.py")).toBe("def total(items):\n    return sum(items)\n");
    expect(answer).toContain("return sum(items)");
    expect(answer).toMatch(/whitespace|indent|space/i);
  });

  it("changes nothing with two matches and tells their lines", async ({ world }) => {
    world.write("a.txt", "same\nother\nsame\n");
    const [, answer] = await told(world, [read("a.txt"), edit("a.txt", "same", "x")]);
    expect(world.read("a.txt")).toBe("same\nother\nsame\n");
    expect(answer).toMatch(/\b2\b/);
    expect(answer).toMatch(/\b1\b.*\b3\b/s);
  });

  it("changes all matches with replace_all", async ({ world }) => {
    world.write("a.txt", "same\nother\nsame\n");
    await told(world, [read("a.txt"), edit("a.txt", "same", "x", { replace_all: true })]);
    expect(world.read("a.txt")).toBe("x\nother\nx\n");
  });

  it("leaves every other byte alone: BOM, CRLF, mode, missing final newline", async ({ world }) => {
    const path = world.write("win.txt", "\ufeffone\r\ntwo\r\nthree");
    chmodSync(path, 0o750);
    await told(world, [read("win.txt"), edit("win.txt", "one\ntwo", "1\n2")]);
    expect(readFileSync(path, "utf8")).toBe("\ufeff1\r\n2\r\nthree");
    expect(statSync(path).mode & 0o777).toBe(0o750);
  });

  it("takes $&, $1, $$ and $` literally", async ({ world }) => {
    world.write("a.js", "const x = old;\n");
    await told(world, [read("a.js"), edit("a.js", "old", "'$& $1 $$ $` $<n>'")]);
    expect(world.read("a.js")).toBe("const x = '$& $1 $$ $` $<n>';\n");
  });

  it("refuses a file that was never read, and tells to read it", async ({ world }) => {
    world.write("a.txt", "alpha\n");
    const [answer, , after] = await told(world, [
      edit("a.txt", "alpha", "x"),
      read("a.txt"),
      edit("a.txt", "alpha", "beta"),
    ]);
    expect(answer).toMatch(/read/i);
    expect(after).toMatch(/^\+beta$/m);
    expect(world.read("a.txt")).toBe("beta\n");
  });

  it("refuses a file that changed after it was read, until it is read again", async ({ world }) => {
    world.write("a.txt", "alpha\n");
    const changedMeanwhile = () => {
      world.write("a.txt", "alpha\nnew line by the person\n");
      return edit("a.txt", "alpha", "x");
    };
    const answers = await told(world, [read("a.txt"), changedMeanwhile, read("a.txt"), edit("a.txt", "alpha", "beta")]);
    expect(answers[1]).toMatch(/changed/i);
    expect(world.read("a.txt")).toBe("beta\nnew line by the person\n");
  });

  it("creates a missing file from an empty old_string, but never overwrites one", async ({ world }) => {
    world.write("full.txt", "kept\n");
    await told(world, [edit("new/file.txt", "", "fresh\n"), read("full.txt"), edit("full.txt", "", "lost\n")]);
    expect(world.read("new/file.txt")).toBe("fresh\n");
    expect(world.read("full.txt")).toBe("kept\n");
  });

  it("says so when nothing would change", async ({ world }) => {
    world.write("a.txt", "alpha\n");
    const [, answer] = await told(world, [read("a.txt"), edit("a.txt", "alpha", "alpha")]);
    expect(answer).toMatch(/same|identical|no change|nothing/i);
  });

  it("edits through a link and leaves it a link", async ({ world }) => {
    world.write("real.txt", "alpha\n");
    symlinkSync("real.txt", join(world.cwd, "link.txt"));
    await told(world, [read("link.txt"), edit("link.txt", "alpha", "beta")]);
    expect(world.read("real.txt")).toBe("beta\n");
    expect(lstatSync(join(world.cwd, "link.txt")).isSymbolicLink()).toBe(true);
  });
});
