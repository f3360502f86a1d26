import type { ReadableItem, ReadableModelCall, ReadableSession } from "../contracts/saved-session.ts";
import { at, callAxis, gridLine, shownIndexes, ticks } from "./chart-parts.ts";
import { escapeHtml } from "./escape-html.ts";
import { dollars, tokensText } from "./figures.ts";
import { receiptLine } from "./receipt-line.ts";

/** In the units of the drawing; the page's script finds calls by `left` and `right`. */
export const chartFrame = {
  width: 900,
  left: 52,
  right: 888,
  top: 16,
  windowHeight: 120,
  costTop: 168,
  costHeight: 44,
};

/** One model call of the conversation itself: what filled the window, and what everything cost so far. */
export type ChartPoint = {
  readonly item: number;
  readonly time: number;
  readonly tokens: number;
  readonly costUsd: number;
};

type Cut = { readonly item: number; readonly index: number; readonly text: string };

/** Sub-agents have windows of their own, which are not drawn; what they cost counts. */
export function chartPoints({ modelCalls }: ReadableSession): readonly ChartPoint[] {
  let spent = 0;
  return modelCalls.flatMap((call: ReadableModelCall): ChartPoint[] => {
    spent += call.costUsd ?? 0;
    if (call.isSubagent || call.usage === undefined) return [];
    return [{ item: call.item, time: call.time, tokens: call.usage.inputTokens, costUsd: spent }];
  });
}

/** The window and the cost over the calls, with a mark to click for every time the window was cut. Empty with fewer than two calls. */
export function sessionChart(session: ReadableSession, points: readonly ChartPoint[]): string {
  if (points.length < 2) return "";
  const { left, right, top, windowHeight, costTop, costHeight, width } = chartFrame;
  const most = points.reduce((largest, { tokens }) => Math.max(largest, tokens), 1) * 1.04;
  const dearest = points.at(-1)?.costUsd ?? 0;
  const x = (index: number) => left + (index / (points.length - 1)) * (right - left);
  const y = (tokens: number) => top + windowHeight * (1 - tokens / most);
  const costY = (cost: number) => costTop + costHeight * (1 - cost / (dearest * 1.04));
  const cuts = cutsOf(session.items, points);
  const isCut = new Set(cuts.map(({ index }) => index));
  const shown = shownIndexes(points.length, (index) => isCut.has(index));
  const line = (value: (point: ChartPoint) => number) =>
    shown.map((index) => `${at(x(index))} ${at(value(points[index] as ChartPoint))}`).join("L");
  const floor = at(y(0));
  const bottom = dearest > 0 ? costTop + costHeight : top + windowHeight;
  const drawn = [
    ...ticks(most, 3).map((tick) => gridLine(y(tick), tick === 0 ? "0" : tokensText(tick), chartFrame)),
    `<path class="window" d="M${at(left)} ${floor}L${line(({ tokens }) => y(tokens))}L${at(right)} ${floor}Z"/>`,
    ...(dearest > 0
      ? [
          ...ticks(dearest, 3).map((tick) => gridLine(costY(tick), tick === 0 ? "$0" : costTick(tick), chartFrame)),
          `<path class="spent" d="M${line(({ costUsd }) => costY(costUsd))}"/>`,
        ]
      : []),
    callAxis(points.length, { x, bottom: bottom + 15, left }),
    `<line class="cross" x1="0" x2="0" y1="${top}" y2="${bottom}" visibility="hidden"/>`,
    ...cuts.map(({ item, index, text }) => cutMark({ item, text, left: x(index) })),
  ];
  const label = `The window over ${points.length} model calls${dearest > 0 ? `, and the cost: ${dollars(dearest)}` : ""}`;
  const used = bottom + 24;
  return `<svg viewBox="0 0 ${width} ${used}" role="img" aria-label="${escapeHtml(label)}">${drawn.join("")}</svg>`;
}

function costTick(cost: number): string {
  return `$${Number(cost.toPrecision(3))}`;
}

/** A cut stands at the first call after it. */
function cutsOf(items: readonly ReadableItem[], points: readonly ChartPoint[]): readonly Cut[] {
  return items.flatMap((item): Cut[] => {
    if (item.type !== "receipt") return [];
    const index = points.findIndex((point) => point.item > item.number);
    return [{ item: item.number, index: index < 0 ? points.length - 1 : index, text: receiptLine(item.receipt) }];
  });
}

function cutMark({ item, text, left }: { item: number; text: string; left: number }): string {
  const { top, windowHeight } = chartFrame;
  const tip = top - 2;
  return `<a href="#i${item}" class="cutmark"><title>${escapeHtml(text)}</title><line class="fold" x1="${at(left)}" x2="${at(left)}" y1="${tip}" y2="${top + windowHeight}"/><path class="tip" d="M${at(left - 6)} ${tip - 10}h12l-6 10Z"/><rect class="grip" x="${at(left - 7)}" y="${tip - 12}" width="14" height="${windowHeight + 14}"/></a>`;
}
