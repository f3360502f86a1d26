import { clustersOf, textWidth } from "../text-width.ts";

/** Colours, and links and marks: what a line may hold that takes no room. */
const sequence = /\u001b\[[\d;]*m|\u001b\][^\u0007\u001b]*(?:\u0007|\u001b\\)/g;

/** How many columns of the terminal a painted line takes. */
export function cellWidth(line: string): number {
  return textWidth(line.includes("\u001b") ? line.replace(sequence, "") : line);
}

type Piece = { readonly text: string; readonly width: number };

function* piecesOf(line: string): Generator<Piece> {
  let at = 0;
  for (const match of line.matchAll(sequence)) {
    yield* clustersOf(line.slice(at, match.index));
    yield { text: match[0], width: 0 };
    at = match.index + match[0].length;
  }
  yield* clustersOf(line.slice(at));
}

const linkEnd = "\u001b]8;;\u001b\\";
const isLink = (sequence: string) => sequence.startsWith("\u001b]8;");

/** The link that is open after this sequence; empty when none is. */
function linkAfter(sequence: string, open: string): string {
  if (!isLink(sequence)) return open;
  return /^\u001b\]8;[^;]*;(?:\u0007|\u001b\\)$/.test(sequence) ? "" : sequence;
}

/** As much of a line as fits, with `…` where it was cut. */
export function fitLine(line: string, width: number): string {
  if (cellWidth(line) <= width) return line;
  let cut = "";
  let used = 0;
  let link = "";
  for (const piece of piecesOf(line)) {
    if (used + piece.width > width - 1) break;
    cut += piece.text;
    used += piece.width;
    if (piece.width === 0) link = linkAfter(piece.text, link);
  }
  return line.includes("\u001b") ? `${cut}…${link === "" ? "" : linkEnd}\u001b[0m` : `${cut}…`;
}

/** The lines as rows that each fit, broken at blanks where that is possible; colours and links go on. */
export function wrapLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => (cellWidth(line) <= width ? [line] : wrapped(line, Math.max(width, 2))));
}

function wrapped(line: string, width: number): string[] {
  const rows: string[] = [];
  let row: Piece[] = [];
  let used = 0;
  let open = "";
  let link = "";
  for (const piece of piecesOf(line)) {
    if (used + piece.width > width) {
      const blank = link === "" ? row.findLastIndex(({ text }) => text === " ") : -1;
      const rest = blank > 0 ? row.splice(blank + 1) : [];
      rows.push(join(row).trimEnd() + (link === "" ? "" : linkEnd));
      row = [{ text: open + link, width: 0 }, ...rest];
      used = rest.reduce((sum, each) => sum + each.width, 0);
    }
    if (piece.width === 0) link = linkAfter(piece.text, link);
    if (piece.width === 0 && piece.text.endsWith("m")) open = piece.text === "\u001b[0m" ? "" : open + piece.text;
    row.push(piece);
    used += piece.width;
  }
  return [...rows, join(row)];
}

const join = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("");
