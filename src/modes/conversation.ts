import { createApp } from "../app.ts";
import { commands, readCommandLine } from "../commands/index.ts";
import { idleAfterMs } from "../context/pricing.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Receipt } from "../contracts/context.ts";
import { type ExitCode, exitCode, messageOf } from "../contracts/errors.ts";
import { displayPath } from "../platform/paths.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { chooseVendor, type ModelChoice } from "../providers/choose-vendor.ts";
import { createInputHistory } from "../session/input-history.ts";
import { createInteractive } from "../ui/interactive.ts";
import { paint } from "../ui/output.ts";
import { version } from "../version.ts";
import { conversationReports } from "./conversation-reports.ts";
import { conversationSessions, recapOf } from "./conversation-sessions.ts";
import { findExtensions } from "./extensions.ts";
import { appOptions, type ModeContext } from "./mode-context.ts";
import type { ResumedSession } from "./resume.ts";

/** The agent in a terminal, until the person leaves. */
export async function runConversation(context: ModeContext): Promise<ExitCode> {
  const { output, cwd, resolved } = context;
  const { stateFolder, settings } = resolved.loaded;
  const extensions = await findExtensions(context, "present");
  const known = [...commands, ...extensions.flatMap((extension) => extension.commands ?? [])];
  const open = (resumed: ResumedSession | undefined) =>
    createApp({
      ...appOptions(resumed ? { ...context, resumed } : context),
      choice: choiceFor(resumed, context),
      extensions,
      permissionMode: settings.permissionMode ?? "default",
      ask: (question, signal) => interactive.ask(question, signal),
      wantsPrices: true,
      onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
    });
  let app = open(context.resumed);
  const receipts: Receipt[] = [];
  function switchTo(resumed: ResumedSession): void {
    void app.close();
    receipts.length = 0;
    app = open(resumed);
  }
  /** Ctrl-C while a slash command works ends the command, not the conversation; elsewhere the terminal is in raw mode and no signal comes. */
  let command = new AbortController();
  process.on("SIGINT", () => command.abort());
  const idle = createIdleWatch(app.cacheMs, (signal) => app.agent.prepareForIdle(signal));
  const host: CommandHost = {
    ...conversationReports(context, { app: () => app, receipts, commandSignal: () => command.signal }),
    ...conversationSessions(context, { app: () => app, switchTo }),
    commands: known,
    print: (text) => output.out(text),
    model: () => app.model(),
    setModel: (name) => app.setModel(name),
    reset: () => app.agent.reset(),
  };
  const interactive = createInteractive({
    output,
    banner: `corecoder ${version} · ${app.model()} · ${displayPath(cwd, cwd) === "." ? cwd : cwd}\n${paint(output, "dim", "/help for commands, Ctrl-C stops the agent, Ctrl-D quits")}\n${context.resumed ? recapOf(app.id, app.agent.history) : ""}`,
    async *send(prompt, signal) {
      idle.stop();
      for await (const event of app.agent.send(prompt, signal)) {
        if (event.type === "context.edited" && event.receipt && !event.parentCallId) receipts.push(event.receipt);
        yield event;
      }
      idle.start();
    },
    async runCommand(line, { print }) {
      const found = readCommandLine(line, known);
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
    commandNames: known.flatMap(({ name, aliases = [] }) => [name, ...aliases]).map((name) => `/${name}`),
    target: () => ({ endpoint: app.provider().endpoint, model: app.model() }),
    history: createInputHistory(`${stateFolder}/history`),
  });
  const leave = (code: ExitCode) => () => {
    killAllGroups();
    void app.close();
    context.exit(code);
  };
  process.on("SIGTERM", leave(exitCode.terminated));
  process.on("SIGHUP", leave(exitCode.terminated));
  try {
    await interactive.run();
    return exitCode.done;
  } finally {
    killAllGroups();
    await app.close();
    await Promise.all(extensions.map((extension) => extension.close?.()));
  }
}

/** A session goes on with its own model where that can be had at the same address. */
function choiceFor(resumed: ResumedSession | undefined, { resolved }: ModeContext): ModelChoice {
  const { choice, loaded } = resolved;
  const model = resumed?.session.model;
  if (model === undefined || resumed === undefined || model === choice.model) return choice;
  const { provider, baseUrl } = loaded.settings;
  const own = chooseVendor({ provider, model, baseUrl, keyVariable: undefined });
  return own.baseUrl === choice.baseUrl ? own : choice;
}

/** One timer, once, while the person is away; nothing is shown and nothing moves. */
function createIdleWatch(cacheMs: number, prepare: (signal: AbortSignal) => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let stop = new AbortController();
  return {
    start() {
      stop = new AbortController();
      const { signal } = stop;
      // a summary that fails now is put together by code later
      timer = setTimeout(() => void prepare(signal).catch(() => {}), idleAfterMs(cacheMs));
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      stop.abort();
    },
  };
}
