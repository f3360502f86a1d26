import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { promptParts } from "./prompt-parts.ts";

const folder = makeTempFolder();
afterAll(() => removeTempFolder(folder));
const png = Buffer.from("\x89PNG\r\n\x1a\n and more", "latin1");
for (const name of ["a.png", "with blank.PNG"]) writeFileSync(join(folder, name), png);
writeFileSync(join(folder, "fake.png"), "no picture at all");

const picturesIn = (text: string) => promptParts(text, folder).filter(({ type }) => type === "image").length;

describe("the pictures of a prompt", () => {
  it.each([
    ["look at a.png please", 1],
    ["look at @a.png, please", 1],
    [`compare a.png and ${join(folder, "a.png")}`, 2],
    ["a dropped with\\ blank.PNG", 1],
    ["a quoted 'with blank.PNG'", 1],
    ['and "with blank.PNG".', 1],
    ["missing.png stays a word, fake.png too", 0],
    ["nothing here", 0],
  ])("in %j are %i", (text, count) => {
    expect(picturesIn(text)).toBe(count);
    expect(promptParts(text, folder)[0]).toEqual({ type: "text", text });
  });
});
