import type { Receipt, WindowContents } from "../../contracts/context.ts";
import { showControl } from "../../platform/terminal-text.ts";
import { percentText, tokensText } from "../figures.ts";
import { receiptLine } from "../receipt-line.ts";
import { cutToWidth, padToWidth, textWidth } from "../text-width.ts";
import { breakIntoRows } from "./rows.ts";
import type { Role, Theme } from "./theme.ts";

export type MapOptions = { readonly theme: Theme; readonly width: number };

type Part = { readonly name: string; readonly tokens: number; readonly sign: string };

const widest = 50;
const rowsOfMap = 8;
const partRoles: readonly Role[] = ["accent", "success", "warning", "code", "removed", "quote", "strong"];
const shownReceipts = 5;

/** The window as a map, one cell for so many tokens; a legend with sizes; where the next fold comes; the last receipts. */
export function contextMap(contents: WindowContents, receipts: readonly Receipt[], options: MapOptions): string {
  const { theme, width } = options;
  const { windowTokens, foldAtTokens } = contents;
  const parts = signed(contents.parts, theme);
  const used = parts.reduce((sum, { tokens }) => sum + tokens, 0);
  const columns = Math.max(8, Math.min(widest, width - 4));
  const perCell = Math.max(1, windowTokens) / (columns * rowsOfMap);
  const done = receipts.slice(-shownReceipts).flatMap((receipt) => wrapped(receiptLine(receipt), options));
  const fold = `${tokensText(used)} of ${tokensText(windowTokens)} tokens (${percentText(used, windowTokens)}); the next fold comes at ${tokensText(foldAtTokens)}`;
  return `${[
    ...mapRows(cellsOf(parts, contents, { perCell, count: columns * rowsOfMap, theme }), columns),
    "",
    ...legend(parts, { used, contents, ...options }),
    "",
    ...wrapped(fold, options),
    ...(done.length > 0 ? ["", `  ${theme.strong("Last receipts")}`, ...done] : []),
  ].join("\n")}\n`;
}

/** A colour for each kind, or a letter where there are no colours. */
function signed(parts: WindowContents["parts"], theme: Theme): Part[] {
  const hasColours = theme.accent("x") !== "x";
  const taken = new Set<string>();
  return parts.map(({ name, tokens }, at) => {
    const role = partRoles[at] ?? "dim";
    if (hasColours) return { name, tokens, sign: theme[role]("█") };
    const words = name.replace(/^(?:results of|the|your) /, "");
    const letter =
      [...words.toUpperCase(), ..."ABCDEFGHIJKLMNOPQRSTUVWXYZ"].find((l) => /[A-Z]/.test(l) && !taken.has(l)) ?? "*";
    taken.add(letter);
    return { name, tokens, sign: letter };
  });
}

type CellOptions = { readonly perCell: number; readonly count: number; readonly theme: Theme };

/** Every kind that has a token has a cell, as long as there is room. */
function cellsOf(
  parts: readonly Part[],
  { foldAtTokens }: WindowContents,
  { perCell, count, theme }: CellOptions,
): string[] {
  const cells: string[] = [];
  let sum = 0;
  for (const { tokens, sign } of parts) {
    sum += tokens;
    const until = Math.min(count, Math.max(Math.round(sum / perCell), cells.length + (tokens > 0 ? 1 : 0)));
    while (cells.length < until) cells.push(sign);
  }
  while (cells.length < count) cells.push(theme.dim("·"));
  const mark = Math.round(foldAtTokens / perCell);
  if (mark < count) cells[mark] = theme.error("┃");
  return cells;
}

function mapRows(cells: readonly string[], columns: number): string[] {
  return Array.from({ length: rowsOfMap }, (_, row) => `  ${merged(cells.slice(row * columns, (row + 1) * columns))}`);
}

/** Cells alike in one stretch of colour. */
function merged(cells: readonly string[]): string {
  const runs: { cell: string; count: number }[] = [];
  for (const cell of cells) {
    const last = runs.at(-1);
    if (last?.cell === cell) last.count++;
    else runs.push({ cell, count: 1 });
  }
  return runs.map(({ cell, count }) => cell.replace(/[█·┃A-Z*]/, (sign) => sign.repeat(count))).join("");
}

type LegendOptions = MapOptions & { readonly used: number; readonly contents: WindowContents };

function legend(parts: readonly Part[], { used, contents, theme, width }: LegendOptions): string[] {
  const { windowTokens } = contents;
  const free = { name: "free", tokens: Math.max(windowTokens - used, 0), sign: theme.dim("·") };
  const mark = { name: "next fold", tokens: contents.foldAtTokens, sign: theme.error("┃") };
  const rows = [...parts, free];
  const name = Math.min(Math.max(...rows.map((row) => textWidth(showControl(row.name)))), Math.max(6, width - 20));
  return [...rows, mark].map((row) => {
    const title = padToWidth(cutToWidth(showControl(row.name), name), name, "left");
    return `  ${row.sign} ${title} ${tokensText(row.tokens).padStart(6)} ${percentText(row.tokens, windowTokens).padStart(5)}`;
  });
}

function wrapped(text: string, { theme, width }: MapOptions): string[] {
  const indent = [{ text: "  ", paint: theme.text }];
  return breakIntoRows([{ text: showControl(text), paint: theme.dim }], width, { first: indent, rest: indent });
}
