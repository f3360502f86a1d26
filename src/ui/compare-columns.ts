import type { PolicyReport } from "../contracts/comparison.ts";
import { thousands } from "./receipt-line.ts";

/** What a total has that a single session has not. */
export type ComparedRow = Omit<PolicyReport, "series" | "counts"> & { readonly medianCostVsNone?: number };

export type CompareColumn = {
  readonly title: string;
  readonly explains: string;
  readonly text: (row: ComparedRow) => string;
};

const percent = (share: number | undefined) => (share === undefined ? "–" : `${(100 * share).toFixed(1)} %`);
const count = (number: number) => (number === 0 ? "–" : String(number));
const tokens = (number: number) =>
  number >= 1e6 ? `${(number / 1e6).toFixed(2)}M` : number === 0 ? "–" : thousands(Math.round(number));

/** The columns of the comparison, for the terminal, the page and the benchmark's tables. */
export const compareColumns: readonly CompareColumn[] = [
  {
    title: "cost",
    explains: "what the session would have cost, fetching again included",
    text: (row) => dollars(row.costUsd),
  },
  { title: "vs none", explains: "against keeping everything", text: (row) => row.costVsNone.toFixed(3) },
  {
    title: "median",
    explains: "the middle one of the sessions' own ratios",
    text: ({ medianCostVsNone }) => medianCostVsNone?.toFixed(3) ?? "",
  },
  { title: "cache", explains: "share of the input read from the cache", text: (row) => percent(row.cacheReadShare) },
  {
    title: "rewritten",
    explains: "tokens sent before and paid as new again",
    text: (row) => tokens(row.rewrittenTokens),
  },
  { title: "summaries", explains: "calls made to write a summary", text: (row) => count(row.summaries) },
  { title: "cuts", explains: "times the window was cut", text: (row) => count(row.batches) },
  { title: "mean", explains: "tokens in the window, on average", text: (row) => tokens(row.meanTokens) },
  { title: "peak", explains: "tokens in the window, at most", text: (row) => tokens(row.peakTokens) },
  {
    title: "too long",
    explains: "calls over the window, which a vendor refuses",
    text: (row) => count(row.callsOverWindow),
  },
  { title: "direct", explains: "of what later calls needed: in the window", text: (row) => percent(row.direct) },
  { title: "one call", explains: "not in the window, but one call away", text: (row) => percent(row.oneCall) },
  { title: "lost", explains: "neither", text: (row) => percent(row.lost) },
  {
    title: "lines",
    explains: "old lines of edits that were in the window",
    text: (row) => percent(row.editLinesDirect),
  },
  { title: "after cut", explains: "direct, in the 20 calls after a cut", text: (row) => percent(row.directAfterCut) },
];

function dollars(amount: number): string {
  return `$${amount.toFixed(amount < 1 ? 3 : 2)}`;
}

/** Columns that say something about these rows: "median" is for totals alone. */
export function columnsFor(rows: readonly ComparedRow[]): readonly CompareColumn[] {
  return compareColumns.filter(({ text }) => rows.some((row) => text(row) !== ""));
}
