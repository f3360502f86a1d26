/** Text from programs and files may carry terminal commands. Nothing reaches the model or the person before it passed here. */

const anyControl = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/;
const nextControl = /[\x00-\x08\x0b-\x1f\x7f-\x9f]/g;
const endOfCommandString = /[\x00-\x1f\x7f-\x9f]/g;
const endOfDeviceString = /[\x18\x1a\x1b\x80-\x9f]/g;
const endOfControlSequence = /[^\x20-\x3f]/g;
const endOfIntermediates = /[^\x20-\x2f]/g;

const escapeCode = 0x1b;
const backspace = 0x08;
const firstC1 = 0x80;
const stringTerminator = 0x9c;

function find(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}

/** After the byte that ends a sequence, or before a character that cannot belong to it. */
function afterFinal(text: string, at: number): number {
  const code = text.charCodeAt(at);
  return code >= 0x30 && code <= 0x7e ? at + 1 : at;
}

/**
 * Where a string sequence (OSC, DCS, SOS, PM, APC) ends. Without its terminator only the introducer goes, so that an
 * unfinished one cannot hide the rest of the text. Stopping at the next control character keeps the whole scan linear.
 */
function afterString(text: string, from: number, ends: RegExp): number {
  const at = find(ends, text, from);
  const code = text.charCodeAt(at);
  if (code === escapeCode) return text[at + 1] === "\\" ? at + 2 : from;
  return code === stringTerminator || code === 0x07 || code === 0x18 || code === 0x1a ? at + 1 : from;
}

/** The end of the sequence (ECMA-48: 7-bit after ESC, or one 8-bit C1 character) or single control that starts at `start`. */
function afterSequence(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code !== escapeCode && code < firstC1) return start + 1;
  const from = code === escapeCode ? start + 2 : start + 1;
  const kind = code === escapeCode ? text.charCodeAt(start + 1) : code - 0x40;
  switch (kind) {
    case 0x5b:
      return afterFinal(text, find(endOfControlSequence, text, from));
    case 0x5d:
      return afterString(text, from, endOfCommandString);
    case 0x50:
    case 0x58:
    case 0x5e:
    case 0x5f:
      return afterString(text, from, endOfDeviceString);
  }
  if (code !== escapeCode) return from;
  if (kind >= 0x20 && kind <= 0x2f) return afterFinal(text, find(endOfIntermediates, text, from));
  return kind >= 0x30 && kind <= 0x7e ? from : start + 1;
}

/** A backspace takes back the character before it on the same line: `N\bN` and `_\bN` are how manual pages print bold. */
function takeBackOne(kept: string[]): void {
  const last = kept.at(-1);
  if (last === undefined || last.endsWith("\n")) return;
  const shorter = last.slice(0, /[\ud800-\udbff][\udc00-\udfff]$/.test(last.slice(-2)) ? -2 : -1);
  if (shorter === "") kept.pop();
  else kept[kept.length - 1] = shorter;
}

/** Removes terminal sequences, overstrikes and every other control character except newline and tab. Linear in the length. */
export function stripControl(text: string): string {
  if (!anyControl.test(text)) return text;
  const kept: string[] = [];
  let at = 0;
  while (at < text.length) {
    const control = find(nextControl, text, at);
    if (control > at) kept.push(text.slice(at, control));
    if (control === text.length) break;
    if (text.charCodeAt(control) === backspace) takeBackOne(kept);
    at = afterSequence(text, control);
  }
  return kept.join("");
}

/** A line that was redrawn with carriage returns, as its last state that shows something. */
function lastState(line: string): string {
  let end = line.length;
  while (end > 0) {
    const start = line.lastIndexOf("\r", end - 1) + 1;
    const state = stripControl(line.slice(start, end));
    if (start === 0 || state.trim() !== "") return state;
    end = start - 1;
  }
  return "";
}

/** stripControl for what a program printed: progress bars end as one line, and NUL separators as line ends. */
export function cleanProgramOutput(text: string): string {
  if (!anyControl.test(text)) return text;
  return text.replace(/\0+/g, "\n").split("\n").map(lastState).join("\n");
}

/** Control, format (bidi, zero-width, tags), separators, fillers without ink, lone surrogates; emoji keep the selector that colours them. */
const hidden = /(?!\ufe0e|\ufe0f)[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;

/** For one line on a screen: what would be invisible, reorder or move the cursor is written out as `<U+001B>`. */
export function showControl(text: string): string {
  return text.replace(hidden, (character) => {
    const code = character.codePointAt(0) ?? 0;
    return `<U+${code.toString(16).toUpperCase().padStart(4, "0")}>`;
  });
}
