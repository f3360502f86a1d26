import { ToolError } from "../../contracts/errors.ts";

/** UTF-8 of a text the model sent. What cannot be text is refused, never replaced by U+FFFD. */
export function encodeText(text: string, parameter: string): Buffer {
  refuseUnwritable(text, parameter);
  return Buffer.from(text, "utf8");
}

export function refuseUnwritable(text: string, parameter: string): void {
  if (/\p{Surrogate}/u.test(text)) {
    throw new ToolError(
      `Bad argument: ${parameter} holds half a surrogate pair, which cannot be encoded as UTF-8; nothing was changed. Send the whole character.`,
    );
  }
  if (text.includes("\0")) {
    throw new ToolError(
      `Bad argument: ${parameter} holds a NUL character; nothing was changed. Write binary data with bash (printf) instead.`,
    );
  }
}
