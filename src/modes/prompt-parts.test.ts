import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { pictureAt, promptParts, withPictureNames } from "./prompt-parts.ts";

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

  it("are shown by their names", () => {
    const shown = withPictureNames(`see '${join(folder, "with blank.PNG")}', a.png and fake.png`, folder);
    expect(shown).toBe("see [image: with blank.PNG], [image: a.png] and fake.png");
  });

  it.each([
    ["as it is", (path: string) => path],
    ["quoted", (path: string) => `'${path}' `],
    ["escaped", (path: string) => path.replaceAll(" ", "\\ ")],
    ["as an address", (path: string) => `file://${path.replaceAll(" ", "%20")}\n`],
  ])("are recognised when dropped on the terminal %s", (_, write) => {
    const dropped = pictureAt(write(join(folder, "with blank.PNG")), "/");
    expect(dropped?.name).toBe("with blank.PNG");
    expect(promptParts(`see ${dropped?.path}.`, "/")).toHaveLength(2);
  });

  it("are no part of other pastes", () => {
    expect(["fake.png", "see a.png", "a.png\nb.png", "text"].map((text) => pictureAt(text, folder))).toEqual(
      Array(4).fill(undefined),
    );
  });
});
