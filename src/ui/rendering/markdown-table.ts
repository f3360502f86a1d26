import { inlinePieces } from "../inline-pieces.ts";
import { textWidth } from "../text-width.ts";
import { type InlineOptions, inlineSpans } from "./inline-spans.ts";
import { breakIntoRows, type Indent, rowWidth, type Span } from "./rows.ts";

type Align = "left" | "right" | "centre";

export type MarkdownTable = {
  readonly indent: Indent;
  readonly heads: readonly (readonly Span[])[];
  readonly aligns: readonly Align[];
  readonly rows: (readonly Span[])[][];
  /** Of the widest cell in each column. */
  readonly natural: number[];
  readonly options: InlineOptions;
  drawn: { readonly layout: string; readonly lines: string[]; readonly count: number } | undefined;
};

/** Longer lines are no rows. */
export const longestTableLine = 4_000;
/** Columns narrower than this say nothing: then every row becomes a small list. */
const narrowest = 6;

export const mayBeTableLine = (text: string) => text.length <= longestTableLine && text.slice(0, 120).includes("|");
const delimiter = /^ *\|? *:?-+:? *(?:\| *:?-+:? *)*\|? *$/;

/** Undefined when the second line does not make the first the head of a table. */
export function openTable(head: string, under: string, place: { indent: Indent; options: InlineOptions }) {
  if (!delimiter.test(under) || !under.includes("-")) return undefined;
  const titles = cellsOf(head);
  const marks = cellsOf(under);
  if (titles.length !== marks.length || !under.includes("|")) return undefined;
  const aligns = marks.map((mark): Align => (!mark.endsWith(":") ? "left" : mark.startsWith(":") ? "centre" : "right"));
  const { options, indent } = place;
  const heads = titles.map((title) => inlineSpans(inlinePieces(title), options.theme.strong, options));
  const natural = heads.map((head) => Math.max(1, spansWidth(head)));
  const table: MarkdownTable = { indent, heads, aligns, rows: [], natural, options, drawn: undefined };
  return table;
}

/** Missing cells are empty, and what is too many is left out. */
export function addTableRow(table: MarkdownTable, line: string): void {
  const cells = cellsOf(line);
  const { theme } = table.options;
  const row = table.heads.map((_, at) => inlineSpans(inlinePieces(cells[at] ?? ""), theme.text, table.options));
  table.rows.push(row);
  for (const [at, cell] of row.entries()) table.natural[at] = Math.max(table.natural[at] ?? 1, spansWidth(cell));
}

function cellsOf(line: string): string[] {
  return line
    .trim()
    .replace(/^\||(?<!\\)\|$/g, "")
    .split(/(?<!\\)\|/)
    .map((cell) =>
      cell
        .trim()
        .replaceAll("\\|", "|")
        .replace(/<br *\/?>/gi, " "),
    );
}

const spansWidth = (spans: readonly Span[]) => spans.reduce((sum, { text }) => sum + textWidth(text), 0);

export function drawTable(table: MarkdownTable, width: number): readonly string[] {
  const before = table.indent.first.map(({ text, paint }) => paint(text)).join("");
  const prefix = rowWidth(before) <= width / 2 ? before : "";
  const room = Math.max(4, width - rowWidth(prefix));
  const widths = columnWidths(table, room);
  const layout = `${width} ${widths?.join() ?? "list"}`;
  const kept = table.drawn?.layout === layout ? table.drawn : undefined;
  const lines = kept?.lines ?? (widths ? headLines(table, widths) : []);
  for (const row of table.rows.slice(kept?.count ?? 0))
    lines.push(...(widths ? gridLines(table, row, widths) : listLines(table, row, room)));
  table.drawn = { layout, lines, count: table.rows.length };
  return (lines.length > 0 ? lines : headOnly(table, room)).map((line) => (prefix + line).trimEnd());
}

function headOnly({ heads, options }: MarkdownTable, room: number): string[] {
  const gap: Span = { text: " ", paint: options.theme.text };
  return breakIntoRows(
    heads.flatMap((head) => [...head, gap]),
    room,
  );
}

/** The widest columns give way first. Undefined when there is not enough room for a grid. */
function columnWidths({ heads, natural }: MarkdownTable, room: number): number[] | undefined {
  const available = room - 3 * (heads.length - 1);
  const sum = (cap: number) => natural.reduce((total, width) => total + Math.min(width, cap), 0);
  let cap = Math.max(...natural);
  if (sum(cap) > available) {
    let [low, high] = [0, cap];
    while (high - low > 1) {
      const middle = Math.floor((low + high) / 2);
      if (sum(middle) <= available) low = middle;
      else high = middle;
    }
    cap = low;
  }
  if (cap < Math.min(narrowest, Math.max(...natural))) return undefined;
  return natural.map((width) => Math.min(width, cap));
}

function headLines(table: MarkdownTable, widths: readonly number[]): string[] {
  const rule = widths.map((width) => "─".repeat(width)).join("─┼─");
  return [...gridLines(table, table.heads, widths), table.options.theme.border(rule)];
}

function gridLines({ aligns, options }: MarkdownTable, row: readonly (readonly Span[])[], widths: readonly number[]) {
  const cells = row.map((spans, at) => breakIntoRows(spans, widths[at] ?? 1));
  const height = Math.max(...cells.map(({ length }) => length));
  const bar = options.theme.border(" │ ");
  return Array.from({ length: height }, (_, line) =>
    cells
      .map((cell, at) => aligned(cell[line] ?? "", { width: widths[at] ?? 0, align: aligns[at] ?? "left" }))
      .join(bar)
      .trimEnd(),
  );
}

function aligned(text: string, { width, align }: { width: number; align: Align }): string {
  const room = Math.max(0, width - rowWidth(text));
  const before = align === "left" ? 0 : align === "right" ? room : Math.floor(room / 2);
  return " ".repeat(before) + text + " ".repeat(room - before);
}

/** `head: value`, one below the other. */
function listLines({ heads, options }: MarkdownTable, row: readonly (readonly Span[])[], room: number): string[] {
  const { theme } = options;
  const hanging: Indent = { first: [], rest: [{ text: "  ", paint: theme.text }] };
  const lines = row.flatMap((spans, at) =>
    breakIntoRows([...(heads[at] ?? []), { text: ": ", paint: theme.dim }, ...spans], room, hanging),
  );
  return [...lines, theme.border("─".repeat(Math.min(room, 12)))];
}
