import { showControl, stripControl } from "../platform/terminal-text.ts";

/**
 * Text of several lines for a page: without terminal sequences, and with everything written out that is invisible or turns the direction
 * of what follows. Line ends, tabs and the joints of composed emoji stay.
 */
export function visibleText(text: string): string {
  const clean = stripControl(text);
  if (/^[\x20-\x7e\n\t]*$/.test(clean)) return clean;
  return clean
    .split(/([\n\t]|(?<=\p{Extended_Pictographic}\ufe0f?)\u200d)/u)
    .map((piece, at) => (at % 2 === 1 ? piece : showControl(piece)))
    .join("");
}
