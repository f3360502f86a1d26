import type { createApp } from "../app.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Receipt } from "../contracts/context.ts";
import type { RuleLists } from "../contracts/permission.ts";
import { displayPath } from "../platform/paths.ts";
import { indexWithoutPrices } from "../session/saved/session-index.ts";
import { receiptLine } from "../ui/receipt-line.ts";
import { sessionTable } from "../ui/session-table.ts";
import { visibleText } from "../ui/visible-text.ts";
import { windowPicture } from "../ui/window-picture.ts";
import type { ModeContext } from "./mode-context.ts";

type App = ReturnType<typeof createApp>;

export type ReportSources = {
  /** The session may be changed for another. */
  readonly app: () => App;
  readonly receipts: Receipt[];
  readonly commandSignal: () => AbortSignal;
};

type Reports = Pick<
  CommandHost,
  "compact" | "contextReport" | "usageReport" | "costReport" | "sessionReport" | "permissionReport"
>;

const shownSessions = 15;

/** What the commands that only show something show. */
export function conversationReports(
  { resolved, output }: ModeContext,
  { app, receipts, commandSignal }: ReportSources,
): Reports {
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
      return contents ? windowPicture(contents, receipts) : "The whole conversation is sent every time.\n";
    },
    async usageReport() {
      const { inputTokens, outputTokens, cacheReadTokens } = app().agent.usage;
      const cost = await costText();
      const cached = cacheReadTokens > 0 ? ` (${cacheReadTokens} of the prompt from cache)` : "";
      return `Tokens: ${inputTokens} prompt + ${outputTokens} completion = ${inputTokens + outputTokens}${cost ? ` (~${cost})` : ""}${cached}\n`;
    },
    async costReport() {
      const cost = await costText();
      return cost === undefined ? `Cost: unknown, there is no price for ${app().model()}.\n` : `Cost: ${cost}\n`;
    },
    async sessionReport() {
      const { sessions } = indexWithoutPrices({ stateFolder: resolved.loaded.stateFolder, folder: app().logFolder });
      const width = process.stdout.columns ?? 80;
      const recent = sessions.filter(({ turns }) => turns > 0).slice(0, shownSessions);
      const table = sessionTable(recent, { width, now: Date.now(), output, isGrouped: false });
      return `This session: ${app().id}\n${table}/resume ID goes on with one of them.\n`;
    },
    async permissionReport() {
      const { permissions, allowedTools = [], disallowedTools = [] } = resolved.loaded.settings;
      const list = (name: string, key: keyof RuleLists, more: readonly string[]) => {
        const own = permissions?.[key].map(({ rule, file }) => `${rule} (${displayPath(file, app().workspace.root)})`);
        const rules = [...more, ...(own ?? [])];
        return `${name}: ${rules.length > 0 ? rules.join(", ") : "none"}\n`;
      };
      const lists = [
        list("Allowed", "allow", allowedTools),
        list("Asked", "ask", []),
        list("Refused", "deny", disallowedTools),
      ];
      return `Mode: ${app().permissions.mode}\n${visibleText(lists.join(""))}`;
    },
  };
}
