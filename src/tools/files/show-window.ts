import type { TextWindow, WindowLine } from "../../platform/read-window.ts";
import { invisibleIn, nameOfCharacter } from "./invisible-characters.ts";
import { lineRanges } from "./line-ranges.ts";

/** The window as the model reads it: numbered lines, then what cannot be seen in them. */
export function showWindow(window: TextWindow, offset: number): string {
  if (window.totalLines === 0) return "(empty file)";
  if (window.lines.length === 0) {
    return `(nothing there: the file has ${window.totalLines} ${plural(window.totalLines, "line")}, offset ${offset} is past its end)`;
  }
  const body = window.lines.map((line, index) => `${offset + index}\t${line.text}${cutNote(line)}`);
  return [...body, ...notes(window, offset).map((note) => `[${note}]`)].join("\n");
}

function cutNote({ text, cutCharacters }: WindowLine): string {
  if (cutCharacters === 0) return "";
  return ` … [line is ${Array.from(text).length + cutCharacters} characters; ${cutCharacters} cut]`;
}

function notes(window: TextWindow, offset: number): string[] {
  const last = offset + window.lines.length - 1;
  const total = window.isCounted ? `${window.totalLines}` : `more than ${window.totalLines}`;
  const found: string[] = [];
  if (last < window.totalLines || !window.isCounted)
    found.push(`lines ${offset}-${last} of ${total}; go on with offset ${last + 1}`);
  else if (offset > 1) found.push(`lines ${offset}-${last} of ${total}; end of file`);
  if (window.lineEnds === "CRLF" || window.lineEnds === "CR") found.push(`line ends: ${window.lineEnds}`);
  if (window.lineEnds === "mixed") found.push("line ends: mixed CRLF and LF");
  if (window.encoding !== "UTF-8") found.push(`encoding: ${window.encoding}${encodingAdvice(window.encoding)}`);
  else if (window.hasBom) found.push("starts with a byte order mark (BOM), not shown");
  const indentation = indentationNote(window.lines, offset);
  if (indentation) found.push(indentation);
  return [...found, ...invisibleNotes(window.lines, offset)];
}

function encodingAdvice(encoding: TextWindow["encoding"]): string {
  if (encoding === "UTF-8 with invalid bytes") return ", shown as U+FFFD; edit_file needs valid UTF-8";
  return "; edit_file needs UTF-8, convert with iconv in bash to edit";
}

function indentationNote(lines: readonly WindowLine[], offset: number): string | undefined {
  const tabbed: number[] = [];
  let spaced = 0;
  lines.forEach(({ text }, index) => {
    if (/^ *\t/.test(text)) tabbed.push(offset + index);
    else if (text.startsWith("  ")) spaced++;
  });
  if (tabbed.length === 0) return undefined;
  return spaced === 0
    ? "indentation: tabs"
    : `indentation: tabs on ${plural(tabbed.length, "line")} ${lineRanges(tabbed)}, spaces elsewhere`;
}

function invisibleNotes(lines: readonly WindowLine[], offset: number): string[] {
  const places = new Map<number, number[]>();
  lines.forEach(({ text }, index) => {
    for (const codePoint of invisibleIn(text)) {
      const at = places.get(codePoint);
      if (at) at.push(offset + index);
      else places.set(codePoint, [offset + index]);
    }
  });
  return [...places]
    .slice(0, 8)
    .map(([codePoint, at]) => `${nameOfCharacter(codePoint)} on ${plural(at.length, "line")} ${lineRanges(at)}`);
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
