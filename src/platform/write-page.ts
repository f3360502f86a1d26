import { writeFileSync } from "node:fs";
import { exitCode, messageOf, UserError } from "../contracts/errors.ts";

/** Writes a file the person named, replacing what was there. Throws UserError 42 that names it. */
export function writePage(path: string, text: string): void {
  try {
    writeFileSync(path, text);
  } catch (error) {
    throw new UserError(
      exitCode.usage,
      `${path} cannot be written: ${messageOf(error)}. Name a file in a folder you may write.`,
    );
  }
}
