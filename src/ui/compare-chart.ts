import type { PolicyReport, SeriesPoint, WindowShares } from "../contracts/comparison.ts";
import { at, callAxis, gridLine as drawGridLine, shownIndexes, ticks } from "./chart-parts.ts";
import { escapeHtml } from "./escape-html.ts";
import { thousands } from "./receipt-line.ts";

/** From the bottom of the stack to its top. */
export const layers = [
  { key: "system", title: "system and tools" },
  { key: "summary", title: "summary" },
  { key: "user", title: "user" },
  { key: "agent", title: "agent" },
  { key: "results", title: "tool results" },
] as const satisfies readonly { key: keyof WindowShares; title: string }[];

/** Both are the same for all charts of a session, so that heights compare. */
export type ChartScale = { readonly tokens: number; readonly costUsd: number; readonly windowTokens: number };

/** In the units of the drawing; the page's script finds calls by `left` and `right`. */
export const frame = {
  width: 660,
  left: 46,
  right: 648,
  top: 18,
  areaHeight: 180,
  costTop: 226,
  costHeight: 48,
  height: 296,
};

export function chartScale(reports: readonly PolicyReport[], windowTokens: number): ChartScale {
  const points = reports.flatMap(({ series }) => series);
  const most = (pick: (point: SeriesPoint) => number) => points.reduce((max, point) => Math.max(max, pick(point)), 0);
  return {
    tokens:
      Math.max(
        most((point) => point.tokens),
        1,
      ) * 1.04,
    costUsd:
      Math.max(
        most((point) => point.costUsd),
        1e-9,
      ) * 1.04,
    windowTokens,
  };
}

/** The window over time as stacked areas with its cuts; below it the cost so far, beside that of keeping everything. */
export function compareChart(report: PolicyReport, scale: ChartScale, none: PolicyReport | undefined): string {
  const { series } = report;
  const x = (index: number) => frame.left + (index / Math.max(series.length - 1, 1)) * (frame.right - frame.left);
  const y = (tokens: number) => frame.top + frame.areaHeight * (1 - tokens / scale.tokens);
  const costY = (cost: number) => frame.costTop + frame.costHeight * (1 - cost / scale.costUsd);
  const shown = indexesOf(series);
  const drawn = [
    tokenGrid(scale, y),
    ...areas(series, shown, { x, y }),
    windowLine(scale, y),
    ...cuts(series, x),
    costGrid(scale, costY),
    none && none !== report ? costLine(none.series, "none", { x, y: costY }) : "",
    costLine(series, "own", { x, y: costY }),
    callAxis(series.length, { x, bottom: frame.costTop + frame.costHeight + 15, left: frame.left }),
    `<line class="cross" x1="0" x2="0" y1="${frame.top}" y2="${frame.costTop + frame.costHeight}" visibility="hidden"/>`,
  ];
  const label = escapeHtml(`The window over time under ${report.policy}, and the cost so far`);
  return `<svg viewBox="0 0 ${frame.width} ${frame.height}" role="img" aria-label="${label}">${drawn.join("")}</svg>`;
}

type Place = { readonly x: (index: number) => number; readonly y: (value: number) => number };

/** Cuts, and what stood right before them, always stay. */
function indexesOf(series: readonly SeriesPoint[]): readonly number[] {
  return shownIndexes(series.length, (index) => series[index]?.cut !== undefined);
}

function areas(series: readonly SeriesPoint[], shown: readonly number[], { x, y }: Place): string[] {
  const floor = new Map(shown.map((index) => [index, 0]));
  return layers.map(({ key }) => {
    const below = shown.map((index) => `${at(x(index))} ${at(y(floor.get(index) ?? 0))}`).reverse();
    const above = shown.map((index) => {
      const top = (floor.get(index) ?? 0) + (series[index]?.[key] ?? 0);
      floor.set(index, top);
      return `${at(x(index))} ${at(y(top))}`;
    });
    return `<path class="${key}" d="M${above.join("L")}L${below.join("L")}Z"/>`;
  });
}

/** A summary is a line through the picture, every other cut a tick above it. */
function cuts(series: readonly SeriesPoint[], x: Place["x"]): string[] {
  return series.flatMap((point, index) => {
    if (!point.cut) return [];
    const left = at(x(index));
    if (!point.cut.isSummary)
      return `<line class="cut" x1="${left}" x2="${left}" y1="${frame.top - 7}" y2="${frame.top - 1}"/>`;
    const tip = frame.top - 2;
    return [
      `<line class="fold" x1="${left}" x2="${left}" y1="${tip}" y2="${frame.top + frame.areaHeight}"/>`,
      `<path class="tip" d="M${at(x(index) - 4.5)} ${tip - 8}h9l-4.5 8Z"/>`,
    ];
  });
}

function tokenGrid({ tokens }: ChartScale, y: Place["y"]): string {
  return ticks(tokens, 4)
    .map((tick) => gridLine(y(tick), tick === 0 ? "0" : thousands(tick)))
    .join("");
}

function costGrid({ costUsd }: ChartScale, y: Place["y"]): string {
  return ticks(costUsd, 2)
    .map((tick) => gridLine(y(tick), `$${Number(tick.toPrecision(3))}`))
    .join("");
}

const gridLine = (height: number, text: string) => drawGridLine(height, text, frame);

/** Where vendors refuse; drawn only when something came near it. */
function windowLine({ tokens, windowTokens }: ChartScale, y: Place["y"]): string {
  if (windowTokens > tokens) return "";
  const height = at(y(windowTokens));
  return `<line class="limit" x1="${frame.left}" x2="${frame.right}" y1="${height}" y2="${height}"/><text class="tick" x="${frame.left + 4}" y="${at(y(windowTokens) - 4)}">window ${thousands(windowTokens)}</text>`;
}

function costLine(series: readonly SeriesPoint[], kind: "own" | "none", { x, y }: Place): string {
  const points = indexesOf(series).map((index) => `${at(x(index))} ${at(y(series[index]?.costUsd ?? 0))}`);
  return `<path class="cost ${kind}" d="M${points.join("L")}"/>`;
}
