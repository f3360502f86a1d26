import { cutToWidth } from "../text-width.ts";
import { visibleLine } from "../visible-text.ts";
import { breakAnywhere, type Span } from "./rows.ts";
import type { Role, Theme } from "./theme.ts";
import { type DiffEntry, readUnifiedDiff } from "./unified-diff.ts";
import { markWords } from "./word-marks.ts";

export type DiffOptions = {
  readonly theme: Theme;
  readonly width: number;
  /** Above it the middle is left out, and counted. At least 3. */
  readonly maxLines?: number;
};

type Row = { readonly entry: DiffEntry; readonly partner: DiffEntry | undefined };

/** A unified diff for a screen: line numbers, signs, colours, and marks on the words that differ. Any other text comes out as it is. */
export function diffLines(unifiedDiff: string, { theme, width, maxLines }: DiffOptions): string[] {
  const entries = readUnifiedDiff(unifiedDiff);
  const isOneFile = entries.filter(({ type }) => type === "file").length <= 1;
  const named = entries.filter(({ type }) => !(isOneFile && type === "file"));
  const shown = named.filter(({ type }, at) => type !== "gap" || !(at === 0 || named[at - 1]?.type === "file"));
  const rows = paired(shown);
  const digits = entries.reduce((most, entry) => ("number" in entry ? Math.max(most, entry.number) : most), 0);
  const draw = (row: Row) => drawRow(row, { theme, width, digits: String(digits).length });
  if (maxLines === undefined) return rows.flatMap(draw);
  return cutInTheMiddle(rows, { draw, most: Math.max(3, maxLines), theme, width });
}

/** Runs of removed lines meet the added ones that follow, one by one. */
function paired(entries: readonly DiffEntry[]): Row[] {
  const rows: Row[] = entries.map((entry) => ({ entry, partner: undefined }));
  for (let at = 0; at < entries.length; ) {
    const removed = runOf(entries, at, "removed");
    const added = runOf(entries, at + removed, "added");
    for (let line = 0; line < Math.min(removed, added); line++) {
      const [old, now] = [entries[at + line], entries[at + removed + line]];
      if (!old || !now) continue;
      rows[at + line] = { entry: old, partner: now };
      rows[at + removed + line] = { entry: now, partner: old };
    }
    at += Math.max(1, removed + added);
  }
  return rows;
}

function runOf(entries: readonly DiffEntry[], from: number, type: DiffEntry["type"]): number {
  let length = 0;
  while (entries[from + length]?.type === type) length++;
  return length;
}

type RowOptions = { readonly theme: Theme; readonly width: number; readonly digits: number };

function drawRow({ entry, partner }: Row, { theme, width, digits }: RowOptions): string[] {
  if (entry.type === "file") return breakAnywhere([{ text: tidy(entry.text), paint: theme.heading }], width);
  if (entry.type === "note") return breakAnywhere([{ text: tidy(entry.text), paint: theme.dim }], width);
  if (entry.type === "gap") {
    const text = `${" ".repeat(digits)} ⋮${entry.text === "" ? "" : ` ${tidy(entry.text)}`}`;
    return breakAnywhere([{ text, paint: theme.dim }], width).slice(0, 1);
  }
  const sign = entry.type === "added" ? "+" : entry.type === "removed" ? "-" : " ";
  const role: Role = entry.type === "same" ? "text" : entry.type;
  const number: Span = { text: `${String(entry.number).padStart(digits)} `, paint: theme.dim };
  const indent = {
    first: [number, { text: sign, paint: theme[role] }],
    rest: [{ text: " ".repeat(digits + 2), paint: theme.text }],
  };
  return breakAnywhere(lineSpans(entry, partner, theme), width, indent);
}

function lineSpans(entry: DiffEntry, partner: DiffEntry | undefined, theme: Theme): Span[] {
  const role: Role = entry.type === "added" || entry.type === "removed" ? entry.type : "text";
  const text = tidy(entry.text);
  const other = partner ? tidy(partner.text) : "";
  const isAdded = entry.type === "added";
  const marks = partner ? markWords(isAdded ? other : text, isAdded ? text : other) : undefined;
  if (!marks) return [{ text, paint: theme[role] }];
  const word: Role = isAdded ? "addedWord" : "removedWord";
  return marks[isAdded ? "after" : "before"].map((piece) => ({
    text: piece.text,
    paint: theme[piece.isChanged ? word : role],
  }));
}

const tidy = (text: string) => visibleLine(text).replaceAll("\t", "    ");

type CutOptions = {
  readonly draw: (row: Row) => string[];
  readonly most: number;
  readonly theme: Theme;
  readonly width: number;
};

/** Only what is shown is drawn, however long the diff is. */
function cutInTheMiddle(rows: readonly Row[], { draw, most, theme, width }: CutOptions): string[] {
  const whole = rows.slice(0, most + 1).flatMap(draw);
  if (rows.length <= most && whole.length <= most) return whole;
  const [headRoom, tailRoom] = [Math.ceil((most - 1) / 2), Math.floor((most - 1) / 2)];
  const head: string[] = [];
  let from = 0;
  while (from < rows.length && head.length < headRoom) head.push(...drawAt(rows, from++, draw));
  const tail: string[] = [];
  let to = rows.length;
  while (to > from && tail.length < tailRoom) tail.unshift(...drawAt(rows, --to, draw));
  const left = to - from;
  const note = left > 0 ? `… ${left} more ${left === 1 ? "line" : "lines"} …` : "…";
  return [
    ...head.slice(0, headRoom),
    theme.dim(cutToWidth(note, width)),
    ...(tailRoom > 0 ? tail.slice(-tailRoom) : []),
  ];
}

function drawAt(rows: readonly Row[], at: number, draw: CutOptions["draw"]): string[] {
  const row = rows[at];
  return row ? draw(row) : [];
}
