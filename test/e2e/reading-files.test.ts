import { execFileSync } from "node:child_process";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect } from "vitest";
import { call, text } from "../../src/testing/index.ts";
import { lastToolText } from "../support/wire-messages.ts";
import { it, type World } from "../support/world.ts";

async function readFile(world: World, input: Record<string, unknown>): Promise<string> {
  const model = await world.model([call("read_file", input), text("ok")]);
  expect((await world.run(["-p", "read"], { model })).code).toBe(0);
  return lastToolText(model.requests[1]);
}

/** The numbers in front of the lines. */
function lineNumbers(answer: string): number[] {
  return [...answer.matchAll(/^ *(\d+)[\t|:→ ]/gm)].map((match) => Number(match[1]));
}

const fiveThousand = Array.from({ length: 5000 }, (_, i) => `line ${i + 1}`).join("\n");

describe("read_file", () => {
  it("gives 2,000 lines and says how to go on", async ({ world }) => {
    world.write("big.txt", fiveThousand);
    const answer = await readFile(world, { file_path: "big.txt" });
    expect(answer).toContain("line 2000");
    expect(answer).not.toContain("line 2001");
    expect(answer).toMatch(/5[,.]?000/);
    expect(answer).toMatch(/offset/);
  });

  it("gives the lines that were asked for, by their numbers", async ({ world }) => {
    world.write("big.txt", fiveThousand);
    const answer = await readFile(world, { file_path: "big.txt", offset: 10, limit: 5 });
    expect(lineNumbers(answer)).toEqual([10, 11, 12, 13, 14]);
    expect(answer).toContain("line 14");
  });

  it("says that the file ends before the offset", async ({ world }) => {
    world.write("big.txt", fiveThousand);
    const answer = await readFile(world, { file_path: "big.txt", offset: 99_999 });
    expect(answer).toMatch(/5[,.]?000/);
    expect(answer).not.toMatch(/empty/i);
  });

  it("says that a file is empty", async ({ world }) => {
    world.write("empty.txt", "");
    expect(await readFile(world, { file_path: "empty.txt" })).toMatch(/empty/i);
  });

  it("cuts a line of 1 MB and says so", async ({ world }) => {
    world.write("wide.txt", `${"x".repeat(1_000_000)}\nnext line\n`);
    const answer = await readFile(world, { file_path: "wide.txt" });
    expect(answer.length).toBeLessThan(50_000);
    expect(answer).toContain("next line");
    expect(answer).toMatch(/cut|truncated|shortened/i);
  });

  it("names a binary file instead of printing it", async ({ world }) => {
    world.write("data.bin", Buffer.from([0x7f, 0x45, 0x4c, 0x46, 0, 1, 2, 3, 0, 0, 255, 254]));
    const answer = await readFile(world, { file_path: "data.bin" });
    expect(answer).toMatch(/binary/i);
    expect(answer).not.toContain("\u0000");
  });

  it("lists a folder", async ({ world }) => {
    world.write("docs/one.md", "1");
    world.write("docs/two.md", "2");
    const answer = await readFile(world, { file_path: "docs" });
    expect(answer).toContain("one.md");
    expect(answer).toContain("two.md");
  });

  it("says what is missing, and what has a similar name", async ({ world }) => {
    world.write("readme.md", "1");
    expect(await readFile(world, { file_path: "nothing-like-it.txt" })).toMatch(
      /nothing-like-it\.txt.*(not|no )|(not|no ).*nothing-like-it\.txt/i,
    );
  });

  it("refuses a FIFO at once", async ({ world }) => {
    mkdirSync(join(world.cwd, "pipes"));
    execFileSync("mkfifo", [join(world.cwd, "pipes/p")]);
    const startedAt = performance.now();
    expect(await readFile(world, { file_path: "pipes/p" })).toMatch(/fifo|pipe/i);
    expect(performance.now() - startedAt).toBeLessThan(4000);
  });

  it("reads UTF-16 and Latin-1", async ({ world }) => {
    world.write("utf16.txt", Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from("grün\n", "utf16le")]));
    world.write("latin1.txt", Buffer.from("grün und schön\n", "latin1"));
    expect(await readFile(world, { file_path: "utf16.txt" })).toContain("grün");
    expect(await readFile(world, { file_path: "latin1.txt" })).toContain("grün und schön");
  });

  it("understands ~", async ({ world }) => {
    writeFileSync(join(world.home, "at-home.txt"), "sweet home");
    expect(await readFile(world, { file_path: "~/at-home.txt" })).toContain("sweet home");
  });
});
