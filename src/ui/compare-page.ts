import type { ComparedSession, Comparison, PolicyReport } from "../contracts/comparison.ts";
import { chartScale, compareChart, frame, layers } from "./compare-chart.ts";
import { type ComparedRow, columnsFor } from "./compare-columns.ts";
import { pageScript, pageStyle } from "./compare-page-parts.ts";
import { escapeHtml, jsonForScript } from "./escape-html.ts";
import { thousands } from "./receipt-line.ts";

/** The comparison as one page that needs no network: tables, and the window over time for every policy. */
export function comparePage(comparison: Comparison): string {
  const { sessions, totals, prices, windowTokens } = comparison;
  const [only] = sessions;
  const title = sessions.length === 1 && only ? only.name : `${sessions.length} sessions`;
  const data = { frame, layers: layers.map((layer) => layer.title), sessions: sessions.map(hoverData) };
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'">
<title>Context policies: ${escapeHtml(title)}</title>
<style>${pageStyle}</style>
</head>
<body>
<h1>What each context policy makes of ${escapeHtml(title)}</h1>
<p class="about">${sessions.length === 1 && only ? `${escapeHtml(aboutSession(only))}. ` : ""}Every recorded model call played again under each policy, at the prices of ${escapeHtml(prices)}, in a window of ${thousands(windowTokens)} tokens
(three characters each). Direct: what a later call needed was in the window; one call: it could be had back; lost: neither.</p>
${totals ? table(totals) : ""}
${sessions.map((session, index) => sessionSection(session, windowTokens, sessions.length === 1 ? "alone" : index === 0 ? "first" : "later")).join("\n")}
<script type="application/json" id="data">${jsonForScript(data)}</script>
<script>${pageScript}</script>
</body>
</html>
`;
}

function sessionSection(session: ComparedSession, windowTokens: number, place: "alone" | "first" | "later"): string {
  const { name, reports } = session;
  const none = reports.find(({ policy }) => policy === "none");
  const scale = chartScale(reports, windowTokens);
  const charts = reports.map(
    (report) =>
      `<figure><figcaption><b>${escapeHtml(report.policy)}</b><span>${escapeHtml(captionOf(report))}</span></figcaption><output></output>${compareChart(report, scale, none)}</figure>`,
  );
  const body = `${table(reports)}\n${legend()}\n<div class="charts">${charts.join("\n")}</div>`;
  if (place === "alone") return `<section class="session">${body}</section>`;
  const heading = `<summary><h2>${escapeHtml(name)}</h2><small>${escapeHtml(aboutSession(session))}</small></summary>`;
  return `<details class="session"${place === "first" ? " open" : ""}>${heading}\n${body}</details>`;
}

function aboutSession({ model, reports, damagedLines }: ComparedSession): string {
  const calls = reports[0]?.calls ?? 0;
  return [
    `${calls} model ${calls === 1 ? "call" : "calls"}`,
    ...(model === undefined ? [] : [model]),
    ...(damagedLines > 0 ? [`${damagedLines} damaged ${damagedLines === 1 ? "line" : "lines"} skipped`] : []),
  ].join(", ");
}

function captionOf({ policy, costUsd, costVsNone, batches, summaries, meanTokens }: PolicyReport): string {
  return [
    `$${costUsd.toFixed(2)}${policy === "none" ? "" : `, ${costVsNone.toFixed(2)} of none`}`,
    `${thousands(Math.round(meanTokens))} on average`,
    batches === 0 ? "never cut" : `${batches} ${batches === 1 ? "cut" : "cuts"}`,
    ...(summaries === 0 ? [] : [`${summaries} summary ${summaries === 1 ? "call" : "calls"}`]),
  ].join(" · ");
}

function table(rows: readonly ComparedRow[]): string {
  const columns = columnsFor(rows);
  const head = columns.map(({ title, explains }) => `<th title="${escapeHtml(explains)}">${escapeHtml(title)}</th>`);
  const body = rows.map((row) => {
    const cells = columns.map(({ title, text }) =>
      title === "vs none" ? ratioCell(row.costVsNone, text(row)) : `<td>${escapeHtml(text(row))}</td>`,
    );
    return `<tr><td>${escapeHtml(row.policy)}</td>${cells.join("")}</tr>`;
  });
  return `<div class="scroll"><table><thead><tr><th>policy</th>${head.join("")}</tr></thead><tbody>${body.join("")}</tbody></table></div>`;
}

function ratioCell(ratio: number, text: string): string {
  if (ratio > 1.0005) return `<td class="ratio dear">${escapeHtml(text)}</td>`;
  return `<td class="ratio" style="--share: ${(100 * ratio).toFixed(0)}%">${escapeHtml(text)}</td>`;
}

function legend(): string {
  const swatches = layers.toReversed().map(({ key, title }) => `<li><i class="${key}"></i>${title}</li>`);
  const marks = [
    [`<path class="tip" d="M5.5 1h9l-4.5 8Z"/>`, "cut with a summary"],
    [`<line class="cut" x1="10" x2="10" y1="2" y2="12"/>`, "other cut"],
    [`<path class="cost own" d="M0 10L20 4"/>`, "cost so far"],
    [`<path class="cost none" d="M0 10L20 4"/>`, "cost of keeping everything"],
  ].map(([drawing, title]) => `<li><svg viewBox="0 0 20 14">${drawing}</svg>${title}</li>`);
  return `<ul class="legend">${[...swatches, ...marks].join("")}</ul>`;
}

/** What the charts say under the pointer, as columns of numbers. */
function hoverData({ reports }: ComparedSession) {
  return reports.map(({ series }) => ({
    parts: layers.map(({ key }) => series.map((point) => Math.round(point[key]))),
    cost: series.map(({ costUsd }) => Number(costUsd.toFixed(4))),
    cuts: Object.fromEntries(
      series.flatMap(({ cut }, index) =>
        cut
          ? [
              [
                index,
                `${cut.stages.join(" + ")}, ${thousands(Math.round(cut.before))} to ${thousands(Math.round(cut.after))}`,
              ],
            ]
          : [],
      ),
    ),
  }));
}
