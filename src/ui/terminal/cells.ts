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

/** As much of a line as fits, with `…` where it was cut. */
export function fitLine(line: string, width: number): string {
  if (cellWidth(line) <= width) return line;
  let cut = "";
  let used = 0;
  for (const piece of piecesOf(line)) {
    if (used + piece.width > width - 1) break;
    cut += piece.text;
    used += piece.width;
  }
  return line.includes("\u001b") ? `${cut}…\u001b[0m` : `${cut}…`;
}

/** The lines as rows that each fit, broken at blanks where that is possible; colours go on. */
export function wrapLines(lines: readonly string[], width: number): string[] {
  return lines.flatMap((line) => (cellWidth(line) <= width ? [line] : wrapped(line, Math.max(width, 2))));
}

function wrapped(line: string, width: number): string[] {
  const rows: string[] = [];
  let row: Piece[] = [];
  let used = 0;
  let open = "";
  for (const piece of piecesOf(line)) {
    if (used + piece.width > width) {
      const blank = row.findLastIndex(({ text }) => text === " ");
      const rest = blank > 0 ? row.splice(blank + 1) : [];
      rows.push(join(row).trimEnd());
      row = [{ text: open, width: 0 }, ...rest];
      used = rest.reduce((sum, each) => sum + each.width, 0);
    }
    if (piece.width === 0 && piece.text.endsWith("m")) open = piece.text === "\u001b[0m" ? "" : open + piece.text;
    row.push(piece);
    used += piece.width;
  }
  return [...rows, join(row)];
}

const join = (pieces: readonly Piece[]) => pieces.map(({ text }) => text).join("");
