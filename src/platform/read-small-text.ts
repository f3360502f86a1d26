import { isUtf8 } from "node:buffer";
import { closeSync } from "node:fs";
import { messageOf } from "../contracts/errors.ts";
import { errnoOf, FileFault } from "./file-fault.ts";
import { openRegular, readWhole } from "./open-file.ts";

/** A text that somebody wrote by hand, or what is wrong with the file: words that go on after its name. A last link is not followed. */
export function readSmallText(
  path: string,
  limitBytes: number,
): { readonly text: string } | { readonly problem: string } {
  try {
    const file = openRegular(path);
    try {
      const bytes = readWhole(file, limitBytes);
      return isUtf8(bytes) && !bytes.includes(0) ? { text: bytes.toString("utf8") } : { problem: "is no text." };
    } finally {
      closeSync(file.fd);
    }
  } catch (error) {
    if (error instanceof FileFault && error.code === "too-large")
      return { problem: `is too large: at most ${limitBytes / 1024} KB are read. Make it shorter.` };
    if (error instanceof FileFault) return { problem: `is a ${error.subject.replace(/^a /, "")}, not a file.` };
    return { problem: `cannot be read (${errnoOf(error) ?? messageOf(error)}).` };
  }
}
