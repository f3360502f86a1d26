import type { Usage } from "../../contracts/message.ts";
import type { PermissionMode } from "../../contracts/permission.ts";
import { showControl } from "../../platform/terminal-text.ts";
import { dollars } from "../figures.ts";
import { thousands } from "../receipt-line.ts";
import type { Theme } from "../rendering/theme.ts";
import { cellWidth, fitLine } from "./cells.ts";

/** What the line at the bottom tells; asked for when something may have changed, never on a timer. */
export type StatusFacts = {
  readonly model: string;
  readonly mode: PermissionMode;
  /** As a person would write it. */
  readonly folder: string;
  readonly branch: string | undefined;
  readonly window:
    | { readonly tokens: number; readonly windowTokens: number; readonly foldAtTokens: number }
    | undefined;
  /** Null where a price is not known. */
  readonly costUsd: number | null;
  readonly jobs: number;
};

/** At once without what takes a while, or whole. */
export type StatusSource = (extent: "quick" | "whole") => Promise<StatusFacts>;

export type StatusDrawing = {
  readonly facts: StatusFacts;
  readonly lastUsage: Usage | undefined;
  readonly theme: Theme;
  readonly width: number;
  readonly hint: string | undefined;
};

/** One row. What matters least is left out first when the window is narrow. */
export function statusLine({ facts, lastUsage, theme, width, hint }: StatusDrawing): string {
  const { model, mode, folder, branch, costUsd, jobs } = facts;
  const place = branch === undefined ? folder : `${folder} (${branch})`;
  const parts = [
    { text: hint ?? "", weight: 10, paint: theme.warning },
    { text: model, weight: 9 },
    { text: mode, weight: mode === "default" ? 2 : 8, paint: mode === "bypassPermissions" ? theme.warning : undefined },
    { text: showControl(place), weight: 3 },
    { text: windowMeter(facts), weight: 7 },
    { text: costUsd === null || costUsd === 0 ? "" : dollars(costUsd), weight: 6 },
    { text: cacheShare(lastUsage), weight: 4 },
    { text: jobs === 0 ? "" : jobs === 1 ? "1 job" : `${jobs} jobs`, weight: 5 },
  ].filter(({ text }) => text !== "");
  const length = () => parts.reduce((sum, { text }) => sum + cellWidth(text) + 3, -3);
  while (parts.length > 1 && length() > width) {
    const least = Math.min(...parts.map(({ weight }) => weight));
    parts.splice(
      parts.findIndex(({ weight }) => weight === least),
      1,
    );
  }
  return fitLine(parts.map(({ text, paint = theme.dim }) => paint(text)).join(theme.dim(" · ")), width);
}

const meterCells = 8;

/** `12k/128k 9 % ▰▱▱▱▱▱┊▱`: how full the window is, and where the next fold comes. */
function windowMeter({ window }: StatusFacts): string {
  if (window === undefined || window.windowTokens <= 0) return "";
  const { tokens, windowTokens, foldAtTokens } = window;
  const share = Math.min(1, tokens / windowTokens);
  const filled = Math.round(share * meterCells);
  const fold = Math.min(meterCells - 1, Math.max(0, Math.round((foldAtTokens / windowTokens) * meterCells)));
  const bar = Array.from({ length: meterCells }, (_, at) => (at === fold ? "┊" : at < filled ? "▰" : "▱")).join("");
  return `${thousands(tokens)}/${thousands(windowTokens)} ${Math.round(share * 100)} % ${bar}`;
}

function cacheShare(usage: Usage | undefined): string {
  if (usage === undefined || usage.inputTokens === 0) return "";
  return `cache ${Math.round((100 * usage.cacheReadTokens) / usage.inputTokens)} %`;
}
