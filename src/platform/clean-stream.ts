import { StringDecoder } from "node:string_decoder";
import { cleanProgramOutput } from "./terminal-text.ts";

/** Bytes of a program's output in, clean text out, line by line: a line may still be redrawn until it ends. */
export type CleanStream = { push(bytes: Buffer): string; end(): string };

const longestOpenLine = 65_536;

export function createCleanStream(): CleanStream {
  const decoder = new StringDecoder("utf8");
  let openLine = "";

  function takeOverlong(): string {
    // A progress bar grows by carriage returns alone: only its last state counts.
    const redraw = openLine.lastIndexOf("\r", openLine.length - 2) + 1;
    const taken = redraw === 0 ? openLine : "";
    openLine = redraw === 0 ? "" : openLine.slice(redraw);
    return taken;
  }

  return {
    push(bytes) {
      const text = openLine + decoder.write(bytes);
      const cut = text.lastIndexOf("\n") + 1;
      openLine = text.slice(cut);
      const complete = text.slice(0, cut) + (openLine.length > longestOpenLine ? takeOverlong() : "");
      return complete === "" ? "" : cleanProgramOutput(complete);
    },
    end: () => cleanProgramOutput(openLine + decoder.end()),
  };
}

/**
 * Control characters that text does not have, or NULs side by side as in tables of numbers. Single NULs are separators
 * (`find -print0`), unless every second byte is one (UTF-16).
 */
export function looksBinary(bytes: Buffer): boolean {
  const length = Math.min(bytes.length, 1_024);
  if (length < 32) return false;
  let nuls = 0;
  let foreign = 0;
  for (let at = 0; at < length; at++) {
    const byte = bytes[at] as number;
    if (byte === 0) {
      nuls++;
      if (bytes[at + 1] === 0) foreign++;
    } else if (byte < 0x20 && (byte < 0x07 || (byte > 0x0d && byte !== 0x1b))) foreign++;
  }
  return foreign > length / 50 || nuls > length / 4;
}
