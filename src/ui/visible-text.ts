import { showControl, stripControl } from "../platform/terminal-text.ts";

/**
 * Text of several lines for a page: without terminal sequences, and with everything written out that is invisible or turns the direction
 * of what follows. Line ends, tabs and the joints of composed emoji stay.
 */
export function visibleText(text: string): string {
  return visibleLine(stripControl(text));
}

/** The same for text of ours that is painted already: colours stay, every other sequence goes. */
export function paintedText(text: string): string {
  return text
    .split(/(\u001b\[[\d;]*m)/)
    .map((piece, at) => (at % 2 === 1 ? piece : stripControl(piece)))
    .join("");
}

/** The same with terminal sequences written out too, instead of removed. */
export function visibleLine(text: string): string {
  if (/^[\x20-\x7e\n\t]*$/.test(text)) return text;
  return text
    .split(/([\n\t]|(?<=[\p{Extended_Pictographic}\p{Emoji_Modifier}]\ufe0f?)\u200d)/u)
    .map((piece, at) => (at % 2 === 1 ? piece : showControl(piece)))
    .join("");
}
