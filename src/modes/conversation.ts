import { createApp } from "../app.ts";
import { commands, readCommandLine } from "../commands/index.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Receipt } from "../contracts/context.ts";
import { type ExitCode, exitCode, messageOf } from "../contracts/errors.ts";
import { createGit, gitDiff } from "../platform/git.ts";
import { displayPath } from "../platform/paths.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { stripControl } from "../platform/terminal-text.ts";
import { createInputHistory } from "../session/input-history.ts";
import { createInteractive } from "../ui/interactive.ts";
import { paint } from "../ui/output.ts";
import { receiptLine } from "../ui/receipt-line.ts";
import { windowPicture } from "../ui/window-picture.ts";
import { version } from "../version.ts";
import { appOptions, environmentForChildren, type ModeContext } from "./mode-context.ts";

/** The agent in a terminal, until the person leaves. */
export async function runConversation(context: ModeContext): Promise<ExitCode> {
  const { output, cwd, resolved } = context;
  const { stateFolder, settings } = resolved.loaded;
  const app = createApp({
    ...appOptions(context),
    permissionMode: settings.permissionMode ?? "default",
    ask: (question, signal) => interactive.ask(question, signal),
    wantsPrices: true,
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  });
  const receipts: Receipt[] = [];
  /** Ctrl-C while a slash command works ends the command, not the conversation; elsewhere the terminal is in raw mode and no signal comes. */
  let command = new AbortController();
  process.on("SIGINT", () => command.abort());
  const idle = createIdleWatch(app.cacheMs, (signal) => app.agent.prepareForIdle(signal));
  const host: CommandHost = {
    ...reports(context, app, { receipts, commandSignal: () => command.signal }),
    commands,
    print: (text) => output.out(text),
    model: app.model,
    setModel: app.setModel,
    reset: app.agent.reset,
  };
  const interactive = createInteractive({
    output,
    banner: `corecoder ${version} · ${app.model()} · ${displayPath(cwd, cwd) === "." ? cwd : cwd}\n${paint(output, "dim", "/help for commands, Ctrl-C stops the agent, Ctrl-D quits")}\n`,
    async *send(prompt, signal) {
      idle.stop();
      for await (const event of app.agent.send(prompt, signal)) {
        if (event.type === "context.edited" && event.receipt && !event.parentCallId) receipts.push(event.receipt);
        yield event;
      }
      idle.start();
    },
    async runCommand(line, { print }) {
      const found = readCommandLine(line);
      if (found === undefined) return undefined;
      command = new AbortController();
      if ("problem" in found) {
        print(`${found.problem}\n`);
        return "continue";
      }
      try {
        return await found.command.run(found.argument, host);
      } catch (error) {
        print(`${command.signal.aborted ? "Interrupted." : messageOf(error)}\n`);
        return "continue";
      }
    },
    commandNames: commands.flatMap(({ name, aliases = [] }) => [name, ...aliases]).map((name) => `/${name}`),
    target: () => ({ endpoint: app.provider().endpoint, model: app.model() }),
    history: createInputHistory(`${stateFolder}/history`),
  });
  const leave = (code: ExitCode) => () => {
    killAllGroups();
    app.close();
    context.exit(code);
  };
  process.on("SIGTERM", leave(exitCode.terminated));
  process.on("SIGHUP", leave(exitCode.terminated));
  try {
    await interactive.run();
    return exitCode.done;
  } finally {
    app.close();
    killAllGroups();
  }
}

/** Time left for a summary before the vendor forgets the prefix. */
const idleLeadMs = 45_000;

/** One timer, once, while the person is away; nothing is shown and nothing moves. */
function createIdleWatch(cacheMs: number, prepare: (signal: AbortSignal) => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let stop = new AbortController();
  return {
    start() {
      stop = new AbortController();
      const { signal } = stop;
      // a summary that fails now is put together by code later
      timer = setTimeout(() => void prepare(signal).catch(() => {}), Math.max(cacheMs - idleLeadMs, 10_000));
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      stop.abort();
    },
  };
}

type Reports = Pick<
  CommandHost,
  "compact" | "contextReport" | "usageReport" | "costReport" | "sessionReport" | "permissionReport" | "diffReport"
>;

type ReportSources = { readonly receipts: Receipt[]; readonly commandSignal: () => AbortSignal };

/** What the commands that only show something show. */
function reports(
  context: ModeContext,
  app: ReturnType<typeof createApp>,
  { receipts, commandSignal }: ReportSources,
): Reports {
  const { cwd, environment, resolved } = context;
  const costText = async () => {
    const cost = await app.agent.costUsd();
    return cost === null ? undefined : `$${cost.toFixed(4)}`;
  };
  return {
    async compact(focus) {
      const receipt = await app.agent.compact(focus, commandSignal());
      if (receipt === undefined) return "Nothing to fold yet: the conversation is short.\n";
      receipts.push(receipt);
      return `${receiptLine(receipt)}\n`;
    },
    async contextReport() {
      const contents = app.agent.contents();
      return contents ? windowPicture(contents, receipts) : "The whole conversation is sent every time.\n";
    },
    async usageReport() {
      const { inputTokens, outputTokens, cacheReadTokens } = app.agent.usage;
      const cost = await costText();
      const cached = cacheReadTokens > 0 ? ` (${cacheReadTokens} of the prompt from cache)` : "";
      return `Tokens: ${inputTokens} prompt + ${outputTokens} completion = ${inputTokens + outputTokens}${cost ? ` (~${cost})` : ""}${cached}\n`;
    },
    async costReport() {
      const cost = await costText();
      return cost === undefined ? `Cost: unknown, there is no price for ${app.model()}.\n` : `Cost: ${cost}\n`;
    },
    async sessionReport() {
      return `This session: ${app.id}\nSessions of this folder: ${app.logFolder}\n`;
    },
    async permissionReport() {
      const { allowedTools = [], disallowedTools = [] } = resolved.loaded.settings;
      const list = (name: string, rules: readonly string[] | undefined) =>
        `${name}: ${rules?.length ? rules.join(", ") : "none"}\n`;
      return `Mode: ${app.permissions.mode}\n${list("Allowed", allowedTools)}${list("Refused", disallowedTools)}`;
    },
    async diffReport() {
      const changed = [...app.workspace.changed];
      if (changed.length === 0) return "No files changed in this session.\n";
      const names = changed.map((path) => `  ${displayPath(path, cwd)}`).join("\n");
      const diff = await gitDiff(createGit(cwd, environmentForChildren(environment, resolved.apiKey)), changed);
      return `Changed in this session:\n${names}\n${diff ? `\nAgainst the last commit:\n${stripControl(diff)}` : ""}`;
    },
  };
}
