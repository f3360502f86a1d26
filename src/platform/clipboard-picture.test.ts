import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { makeTempFolder, removeTempFolder } from "../../test/support/temp.ts";
import { saveClipboardPicture } from "./clipboard-picture.ts";

const folder = makeTempFolder();
afterAll(() => removeTempFolder(folder));

/** A folder for PATH with one program in it. */
function pathWith(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return `${folder}:/usr/bin:/bin`;
}

describe("the picture in the clipboard", () => {
  it("is what the program for this display gives out, without our keys in its environment", async () => {
    const PATH = pathWith("xclip", `printf 'picture %s%s' "$4" "$OPENAI_API_KEY"`);
    const saved = await saveClipboardPicture({ PATH, DISPLAY: ":0", OPENAI_API_KEY: "sk-secret" });
    expect("path" in saved && readFileSync(saved.path, "utf8")).toBe("picture image/png");
  });

  it("is missed in words: no picture in it, or no program to read it", async () => {
    const PATH = pathWith("xclip", "echo 'target image/png not available' >&2; exit 1");
    expect(await saveClipboardPicture({ PATH, DISPLAY: ":0" })).toEqual({ problem: "The clipboard holds no picture" });
    expect(await saveClipboardPicture({ PATH: "/nowhere" })).toEqual({
      problem: expect.stringContaining("wl-paste, xclip, pngpaste"),
    });
  });
});
