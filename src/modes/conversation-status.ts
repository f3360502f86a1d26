import { homedir } from "node:os";
import type { createApp } from "../app.ts";
import type { PermissionMode } from "../contracts/permission.ts";
import { currentBranch } from "../platform/current-branch.ts";
import { pickRow } from "../ui/ask-person.ts";
import type { StatusFacts } from "../ui/terminal/status-line.ts";
import type { ModeContext } from "./mode-context.ts";

export type App = ReturnType<typeof createApp>;

/** What the status line tells. `onChange` is called when something of it changes by itself. */
export async function statusFacts(app: App, extent: "quick" | "whole", onChange: () => void): Promise<StatusFacts> {
  const { workspace, agent } = app;
  const contents = agent.contents();
  const isFresh = agent.usage.inputTokens + agent.usage.outputTokens === 0;
  return {
    model: app.model(),
    mode: app.permissions.mode,
    folder: homely(workspace.cwd),
    branch: currentBranch(workspace.cwd),
    window: contents && {
      tokens: contents.parts.reduce((sum, part) => sum + part.tokens, 0),
      windowTokens: contents.windowTokens,
      foldAtTokens: contents.foldAtTokens,
    },
    // prices are loaded when there is something to price
    costUsd: isFresh ? 0 : extent === "quick" ? null : await agent.costUsd(),
    jobs: watched(app, onChange),
  };
}

const seenJobs = new WeakSet<object>();

/** How many run; the end of each is told once. */
function watched(app: App, onChange: () => void): number {
  const jobs = app.runningJobs();
  for (const job of jobs) {
    if (seenJobs.has(job)) continue;
    seenJobs.add(job);
    void job.finished.then(onChange);
  }
  return jobs.length;
}

/** As a person writes it, from their home folder. */
function homely(path: string): string {
  const home = homedir();
  return path === home ? "~" : path.startsWith(`${home}/`) ? `~${path.slice(home.length)}` : path;
}

const cycle: readonly PermissionMode[] = ["default", "acceptEdits", "plan", "auto"];

export const meanings: Readonly<Record<PermissionMode, string>> = {
  default: "edits and commands are asked about",
  acceptEdits: "edits need no question",
  plan: "only reading; changes are proposed",
  auto: "commands run in the sandbox without a question",
  bypassPermissions: "nothing is asked",
};

/** The next permission mode; bypassing is only ever chosen at the start. */
export function cycleMode({ permissions }: App): string {
  if (permissions.mode === "bypassPermissions") return "Permissions are bypassed for this whole session";
  const next = cycle[(cycle.indexOf(permissions.mode) + 1) % cycle.length] ?? "default";
  permissions.setMode(next);
  return `${next}: ${meanings[next]}`;
}

/** Any other can be typed behind /model. */
export async function pickModel(app: App, context: ModeContext): Promise<string | undefined> {
  const now = app.model();
  const names = [now, ...(await knownModels(context)).filter((name) => name !== now)];
  const picked = await pickRow(`Model: ${now}. Which one from now on?`, names);
  return picked === undefined ? undefined : names[picked];
}

async function knownModels({ resolved }: ModeContext): Promise<readonly string[]> {
  const { modelsTable } = await import("../providers/models-table.ts");
  const { rows } = await modelsTable("", resolved.loaded.settings.models);
  const own = resolved.choice.vendor.name;
  const names = (isOwn: boolean) => rows.filter(({ vendor }) => (vendor === own) === isOwn).map(({ model }) => model);
  return [...new Set([...names(true), ...names(false)])];
}
