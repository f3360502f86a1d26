import { sizeOfFile } from "../platform/file-kind.ts";
import { withoutHidden } from "../platform/invisible-text.ts";
import { readIfThere } from "../platform/private-files.ts";
import type { InstructionFile } from "./sections/instructions.ts";

/** A file above this is no text that somebody wrote for an agent. */
const largestBytes = 1024 * 1024;

/**
 * Undefined when there is nothing to read. Links are not followed: a link in a repository must not send some other file of the person's to the
 * model.
 */
export function readInstructions(path: string, warn: (text: string) => void): InstructionFile | undefined {
  const size = sizeOfFile(path);
  if (size === undefined) return undefined;
  if (size > largestBytes) {
    warn(`${path} is left out: it is larger than 1 MB. Shorten it, or name what matters in it.`);
    return undefined;
  }
  const found = readIfThere(path);
  if (found === undefined || found.trim() === "") return undefined;
  const { text, hadHidden } = withoutHidden(found);
  if (hadHidden) warn(`${path} holds invisible characters; they were left out.`);
  return { path, text };
}
