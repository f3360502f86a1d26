import type { Usage } from "../../contracts/message.ts";
import { showControl } from "../../platform/terminal-text.ts";
import { bar } from "../bar.ts";
import { counted, percentText, tokensText } from "../figures.ts";
import { type TableColumn, textTable } from "../text-table.ts";
import { padToWidth } from "../text-width.ts";
import { breakIntoRows } from "./rows.ts";
import type { Theme } from "./theme.ts";

/** `costUsd` is null where a price is not known. */
export type ModelCost = {
  readonly model: string;
  readonly calls: number;
  readonly usage: Usage;
  readonly costUsd: number | null;
};

export type KindCost = { readonly kind: string; readonly tokens: number; readonly costUsd: number | null };

export type CostFigures = {
  readonly models: readonly ModelCost[];
  readonly kinds: readonly KindCost[];
  /** The prompts since the program was started, oldest first. */
  readonly turns: readonly { readonly usage: Usage; readonly costUsd: number | null }[];
};

export type ChartOptions = { readonly theme: Theme; readonly width: number };

const shownTurns = 15;

/** What the session cost: by model, by kind of token, and prompt by prompt. */
export function costChart({ models, kinds, turns }: CostFigures, { theme, width }: ChartOptions): string {
  const calls = models.reduce((sum, model) => sum + model.calls, 0);
  if (calls === 0) return "Cost: nothing yet.\n";
  const unknown = models.filter(({ costUsd }) => costUsd === null);
  const known = models.reduce((sum, { costUsd }) => sum + (costUsd ?? 0), 0);
  const total =
    unknown.length === models.length ? "unknown" : `${exact(known)}${unknown.length > 0 ? " and more" : ""}`;
  const names = unknown.map(({ model }) => showControl(model)).join(", ");
  const unpriced = `There is no price for ${names}: counted in tokens, not in money.`;
  const [titles = "", ...rows] = textTable(models, columns, Math.max(20, width - 2));
  const shown = turns.slice(-shownTurns).map((turn, at) => ({
    name: `turn ${turns.length - Math.min(turns.length, shownTurns) + at + 1}`,
    tokens: turn.usage.inputTokens + turn.usage.outputTokens,
    costUsd: turn.costUsd,
  }));
  return `${[
    `${theme.strong(`Cost: ${total}`)} for ${counted(calls, "model call")}`,
    ...(unknown.length > 0 ? breakIntoRows([{ text: unpriced, paint: theme.warning }], width) : []),
    "",
    `  ${theme.dim(titles)}`,
    ...rows.map((row) => `  ${row}`),
    ...bars(
      "by kind of token",
      kinds.map(({ kind, ...rest }) => ({ name: kind, ...rest })),
      { theme, width },
    ),
    ...(shown.length > 1
      ? bars(turns.length > shownTurns ? `the last ${shownTurns} turns` : "by turn", shown, { theme, width })
      : []),
  ].join("\n")}\n`;
}

const columns: readonly TableColumn<ModelCost>[] = [
  { title: "model", text: ({ model }) => showControl(model), isFlexible: true },
  { title: "calls", align: "right", text: ({ calls }) => String(calls), goes: 2 },
  { title: "tokens in", align: "right", text: ({ usage }) => tokensText(usage.inputTokens) },
  {
    title: "cache",
    align: "right",
    text: ({ usage }) => percentText(usage.cacheReadTokens, usage.inputTokens),
    goes: 1,
  },
  { title: "out", align: "right", text: ({ usage }) => tokensText(usage.outputTokens), goes: 3 },
  { title: "cost", align: "right", text: ({ costUsd }) => (costUsd === null ? "?" : exact(costUsd)) },
];

type BarRow = { readonly name: string; readonly tokens: number; readonly costUsd: number | null };

/** By money where all of it is known, else by tokens. */
function bars(title: string, rows: readonly BarRow[], { theme, width }: ChartOptions): string[] {
  const isPriced = rows.every(({ costUsd }) => costUsd !== null) && rows.some(({ costUsd }) => (costUsd ?? 0) > 0);
  const worth = (row: BarRow) => (isPriced ? (row.costUsd ?? 0) : row.tokens);
  const most = Math.max(...rows.map(worth));
  const name = Math.max(...rows.map((row) => row.name.length));
  const room = Math.min(30, width - name - 24);
  const lines = rows.map((row) => {
    const figures = `${tokensText(row.tokens).padStart(7)} ${(row.costUsd === null ? "?" : exact(row.costUsd)).padStart(9)}`;
    const drawn = room >= 4 ? `  ${theme.accent(bar(worth(row), most, room))}` : "";
    return `  ${padToWidth(row.name, name, "left")} ${figures}${drawn}`.trimEnd();
  });
  return ["", `  ${theme.dim(title)}`, ...lines];
}

function exact(usd: number): string {
  return `$${usd.toFixed(4)}`;
}
