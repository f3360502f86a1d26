import type { Comparison } from "../contracts/comparison.ts";
import { showControl } from "../platform/terminal-text.ts";
import { type ComparedRow, columnsFor } from "./compare-columns.ts";
import { thousands } from "./receipt-line.ts";

/** The comparison for a terminal: one block a session, and one for all of them. */
export function compareTable({ sessions, totals, prices, windowTokens }: Comparison): string {
  const blocks = sessions.map(({ name, reports, damagedLines }) => {
    const calls = reports[0]?.calls ?? 0;
    const damage = damagedLines > 0 ? `, ${damagedLines} damaged ${damagedLines === 1 ? "line" : "lines"} skipped` : "";
    return `${showControl(name)}: ${calls} model ${calls === 1 ? "call" : "calls"}${damage}\n${rowsText(reports)}`;
  });
  const last = totals ? [`All ${sessions.length} sessions\n${rowsText(totals)}`] : [];
  const foot = `Prices of ${prices}, a window of ${thousands(windowTokens)} tokens (estimated at three characters each).\n`;
  return `${[...blocks, ...last, foot].join("\n")}`;
}

function rowsText(rows: readonly ComparedRow[]): string {
  const columns = columnsFor(rows);
  const cells = [
    ["policy", ...columns.map(({ title }) => title)],
    ...rows.map((row) => [row.policy, ...columns.map(({ text }) => text(row))]),
  ];
  const widths = cells[0]?.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0))) ?? [];
  return cells
    .map((line) =>
      line
        .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
        .join("  "),
    )
    .map((line) => `  ${line}\n`)
    .join("");
}
