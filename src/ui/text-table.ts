import { cutToWidth, padToWidth, textWidth } from "./text-width.ts";

export type TableColumn<Row> = {
  readonly title: string;
  readonly align?: "left" | "right";
  /** The text must be free of control characters. */
  readonly text: (row: Row) => string;
  /** Takes what room is left. At most one column does. */
  readonly isFlexible?: true;
  /** When there is not enough room, columns with the highest number go first; those without one stay. */
  readonly goes?: number;
};

const gap = "  ";
/** A flexible column narrower than this says nothing. */
const leastFlexible = 16;

/** Rows under their titles, fitted into a width. Answers with lines, titles first. */
export function textTable<Row>(
  rows: readonly Row[],
  columns: readonly TableColumn<Row>[],
  width: number,
): readonly string[] {
  const texts = new Map(columns.map((column) => [column, rows.map((row) => column.text(row))]));
  const widest = new Map(columns.map((column) => [column, widthOf([column.title, ...(texts.get(column) ?? [])])]));
  const natural = (column: TableColumn<Row>) => widest.get(column) ?? 0;
  const needs = (shown: readonly TableColumn<Row>[]) =>
    shown.reduce(
      (sum, column) => sum + (column.isFlexible ? leastFlexible : natural(column)) + gap.length,
      -gap.length,
    );
  let shown = columns.filter((column) => column.isFlexible || (texts.get(column) ?? []).some((text) => text !== ""));
  while (needs(shown) > width) {
    const last = shown.reduce((most, { goes = 0 }) => Math.max(most, goes), 0);
    if (last === 0) break;
    shown = shown.filter(({ goes }) => goes !== last);
  }
  const room = Math.max(leastFlexible, width - needs(shown) + leastFlexible);
  const widths = shown.map((column) => (column.isFlexible ? Math.min(natural(column), room) : natural(column)));
  const line = (cells: readonly string[]) =>
    cells
      .map((cell, at) => padToWidth(cutToWidth(cell, widths[at] ?? 0), widths[at] ?? 0, shown[at]?.align ?? "left"))
      .join(gap)
      .trimEnd();
  const titles = line(shown.map(({ title }) => title));
  return [titles, ...rows.map((_, row) => line(shown.map((column) => texts.get(column)?.[row] ?? "")))];
}

function widthOf(texts: readonly string[]): number {
  return texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
}
