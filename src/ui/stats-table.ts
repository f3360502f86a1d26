import type { NamedSum, UsageStats, UsageSum } from "../contracts/saved-session.ts";
import { displayPath } from "../platform/paths.ts";
import { showControl } from "../platform/terminal-text.ts";
import { bar } from "./bar.ts";
import { counted, dollars, durationText, percentText, tokensText } from "./figures.ts";
import { type Output, paint } from "./output.ts";
import { noFolder, titleOf } from "./session-table.ts";
import { type TableColumn, textTable } from "./text-table.ts";

export type StatsOptions = { readonly output: Output; readonly width: number; readonly days: number };

const barWidth = 24;

/** What was used and paid, by day with a small chart, by model, by project, and the dearest sessions. */
export function statsText(stats: UsageStats, options: StatsOptions): string {
  const { total, sessions } = stats;
  const head = [
    `${counted(options.days, "day")}: ${counted(sessions, "session")}`,
    counted(total.calls, "model call"),
    `${tokensText(total.usage.inputTokens)} tokens in (${percentText(total.usage.cacheReadTokens, total.usage.inputTokens)} from the cache)`,
    `${tokensText(total.usage.outputTokens)} out`,
    costText(total),
    `${durationText(total.busyMs)} at work`,
  ].join(", ");
  const unpriced =
    total.unpricedCalls > 0
      ? `\n${counted(total.unpricedCalls, "call")} of ${total.calls} ${total.unpricedCalls === 1 ? "has" : "have"} no known price: counted in tokens, not in money.\n`
      : "";
  const top = stats.topSessions.map(({ session, sum }) => ({ ...sum, name: `${session.id}  ${titleOf(session)}` }));
  const home = ({ name }: NamedSum) => showControl(name.startsWith("/") ? displayPath(name, noFolder) : name);
  return [
    `${paint(options.output, "bold", head)}\n`,
    section("by day", stats.days, { ...options, withBars: true, nameOf: ({ name }) => name }),
    section("by model", stats.models, { ...options, nameOf: ({ name }) => showControl(name) || "?" }),
    section("by folder", stats.projects, { ...options, nameOf: home }),
    section("by session", top, { ...options, nameOf: ({ name }) => name }),
    unpriced,
  ].join("");
}

/** A sum that leaves out calls says so. */
function costText({ costUsd, unpricedCalls, calls }: UsageSum): string {
  if (unpricedCalls === calls) return calls === 0 ? "–" : "?";
  return `${dollars(costUsd)}${unpricedCalls > 0 ? "+" : ""}`;
}

type SectionOptions = StatsOptions & {
  readonly nameOf: (row: NamedSum) => string;
  readonly withBars?: true;
};

function section(title: string, rows: readonly NamedSum[], options: SectionOptions): string {
  if (rows.length === 0) return "";
  const { output, width, nameOf, withBars } = options;
  const isPriced = rows.some(({ costUsd }) => costUsd > 0);
  const worth = (row: NamedSum) => (isPriced ? row.costUsd : row.usage.inputTokens + row.usage.outputTokens);
  const most = Math.max(...rows.map(worth));
  const columns: readonly TableColumn<NamedSum>[] = [
    { title, text: nameOf, ...(withBars ? {} : { isFlexible: true as const }) },
    { title: "calls", align: "right", text: ({ calls }) => String(calls), goes: 3 },
    { title: "tokens in", align: "right", text: ({ usage }) => tokensText(usage.inputTokens) },
    {
      title: "cache",
      align: "right",
      text: ({ usage }) => percentText(usage.cacheReadTokens, usage.inputTokens),
      goes: 2,
    },
    { title: "out", align: "right", text: ({ usage }) => tokensText(usage.outputTokens), goes: 4 },
    { title: "time", align: "right", text: ({ busyMs }) => durationText(busyMs), goes: 5 },
    { title: "cost", align: "right", text: costText },
    ...(withBars ? [{ title: "", text: (row: NamedSum) => bar(worth(row), most, barWidth), goes: 1 }] : []),
  ];
  const [titles = "", ...lines] = textTable(rows, columns, width);
  const shown = lines.map((line) => line.replace(/[▏▎▍▌▋▊▉█]+$/, (drawn) => paint(output, "cyan", drawn)));
  return `\n${[paint(output, "dim", titles), ...shown].join("\n")}\n`;
}
