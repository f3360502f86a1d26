import type { createApp } from "../app.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Receipt } from "../contracts/context.ts";
import type { TurnTotals } from "../contracts/event.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { receiptLine } from "../ui/receipt-line.ts";
import { chooseTheme } from "../ui/rendering/theme.ts";
import { sessionTable } from "../ui/session-table.ts";
import type { ModeContext } from "./mode-context.ts";
import { permissionReport } from "./permission-report.ts";
import { themeFor, wantsPlain } from "./terminal-facts.ts";

type App = ReturnType<typeof createApp>;

export type ReportSources = {
  /** The session may be changed for another. */
  readonly app: () => App;
  readonly receipts: Receipt[];
  /** Of the prompts since the session was opened. */
  readonly turns: readonly TurnTotals[];
  readonly commandSignal: () => AbortSignal;
};

type Reports = Pick<
  CommandHost,
  "compact" | "contextReport" | "usageReport" | "costReport" | "sessionReport" | "permissionReport"
>;

const shownSessions = 15;

/** What the commands that only show something show. */
export function conversationReports(
  context: ModeContext,
  { app, receipts, turns, commandSignal }: ReportSources,
): Reports {
  const { resolved, output } = context;
  const costText = async () => {
    const cost = await app().agent.costUsd();
    return cost === null ? undefined : `$${cost.toFixed(4)}`;
  };
  return {
    async compact(focus) {
      const receipt = await app().agent.compact(focus, commandSignal());
      if (receipt === undefined) return "Nothing to fold yet: the conversation is short.\n";
      receipts.push(receipt);
      return `${receiptLine(receipt)}\n`;
    },
    async contextReport() {
      const contents = app().agent.contents();
      if (contents === undefined) return "The whole conversation is sent every time.\n";
      const { contextMap } = await import("../ui/rendering/context-map.ts");
      return contextMap(contents, receipts, drawingOf(context));
    },
    async usageReport() {
      const { inputTokens, outputTokens, cacheReadTokens } = app().agent.usage;
      const cost = await costText();
      const cached = cacheReadTokens > 0 ? ` (${cacheReadTokens} of the prompt from cache)` : "";
      return `Tokens: ${inputTokens} prompt + ${outputTokens} completion = ${inputTokens + outputTokens}${cost ? ` (~${cost})` : ""}${cached}\n`;
    },
    async costReport() {
      const { costChart } = await import("../ui/rendering/cost-chart.ts");
      const { costFigures } = await import("./cost-figures.ts");
      return costChart(await costFigures(app(), turns, context), drawingOf(context));
    },
    async sessionReport() {
      const { sessions } = indexWithoutPrices({ stateFolder: resolved.loaded.stateFolder, folder: app().logFolder });
      const width = process.stdout.columns ?? 80;
      const recent = sessions.filter(({ turns }) => turns > 0).slice(0, shownSessions);
      const table = sessionTable(recent, { width, now: Date.now(), output, isGrouped: false });
      return `This session: ${app().id}\n${table}/resume ID goes on with one of them.\n`;
    },
    async permissionReport() {
      const { permissions, workspace, answeredRules } = app();
      return permissionReport({
        loaded: resolved.loaded,
        mode: permissions.mode,
        root: workspace.root,
        answered: answeredRules(),
        recent: permissions.recent(),
      });
    },
  };
}

/** Plain lines are for screen readers and simple terminals: the same without colours. */
function drawingOf({ environment, resolved }: ModeContext) {
  const { settings } = resolved.loaded;
  const theme = wantsPlain(environment, settings.interface)
    ? chooseTheme({ wish: "ansi", colours: "none" })
    : themeFor(environment, settings.theme).theme;
  return { theme, width: process.stdout.columns || 80 };
}
