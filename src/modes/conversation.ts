import { createApp } from "../app.ts";
import { commands, readCommandLine } from "../commands/index.ts";
import { idleAfterMs } from "../context/pricing.ts";
import type { CommandHost } from "../contracts/command.ts";
import type { Receipt } from "../contracts/context.ts";
import { type ExitCode, exitCode, messageOf } from "../contracts/errors.ts";
import type { TurnTotals } from "../contracts/event.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { chooseVendor, type ModelChoice } from "../providers/choose-vendor.ts";
import { paint } from "../ui/output.ts";
import { version } from "../version.ts";
import { openFace } from "./conversation-face.ts";
import { conversationReports } from "./conversation-reports.ts";
import { conversationSessions, recapOf } from "./conversation-sessions.ts";
import { type App, cycleMode, pickModel, statusFacts } from "./conversation-status.ts";
import { findExtensions } from "./extensions.ts";
import { appOptions, type ModeContext } from "./mode-context.ts";
import { createOwnCommands } from "./own-command.ts";
import { pastEvents } from "./past-events.ts";
import { promptParts } from "./prompt-parts.ts";
import { choiceInput } from "./resolve-model.ts";
import type { ResumedSession } from "./resume.ts";

/** The agent in a terminal, until the person leaves. */
export async function runConversation(given: ModeContext): Promise<ExitCode> {
  const face = await openFace(given, {
    banner: () => bannerOf(context, app, recapExtent()),
    past: () => (context.resumed ? past() : []),
    commands: () => known,
    todos: () => app.workspace.todos,
    async *send(prompt, signal) {
      idle.stop();
      for await (const event of app.agent.send(ownCommands.with(promptParts(prompt, app.workspace.cwd)), signal)) {
        if (event.type === "context.edited" && event.receipt && !event.parentCallId) receipts.push(event.receipt);
        if (event.type === "turn.finished" && !event.parentCallId) turns.push(event.totals);
        yield event;
      }
      idle.start();
    },
    isPrompt: (line) => readCommandLine(line, known) === undefined,
    async runCommand(line, signal) {
      const found = readCommandLine(line, known);
      if (found === undefined) return undefined;
      command = new AbortController();
      signal?.addEventListener("abort", () => command.abort());
      if ("problem" in found) {
        output.out(`${found.problem}\n`);
        return "continue";
      }
      try {
        return await found.command.run(found.argument, host);
      } catch (error) {
        output.out(`${command.signal.aborted ? "Interrupted." : messageOf(error)}\n`);
        return "continue";
      }
    },
    runOwnCommand: (line, signal) => ownCommands.run(line, { cwd: app.workspace.cwd, signal }),
    cycleMode: () => cycleMode(app),
    folder: () => app.workspace.cwd,
    status: (extent) => statusFacts(app, extent, () => face.refresh()),
    target: () => ({ endpoint: app.provider().endpoint, model: app.model() }),
  });
  const { output } = face;
  const past = () => pastEvents(app.agent.history, app.tools);
  const recapExtent = () => (face.showPast ? "title" : "whole");
  const context: ModeContext = { ...given, output };
  const { settings } = context.resolved.loaded;
  const extensions = await findExtensions(context, "present");
  const known = [...commands, ...extensions.flatMap((extension) => extension.commands ?? [])];
  const ownCommands = createOwnCommands(appOptions(context).childEnvironment);
  const open = (resumed: ResumedSession | undefined): App =>
    createApp({
      ...appOptions(resumed ? { ...context, resumed } : context),
      choice: choiceFor(resumed, context),
      extensions,
      permissionMode: settings.permissionMode ?? "default",
      ask: (question, signal) => face.ask(question, signal),
      pendingPrompts: () => face.takeQueued().map((text) => promptParts(text, app.workspace.cwd)),
      wantsPrices: true,
      onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
    });
  let app: App = open(context.resumed);
  const receipts: Receipt[] = [];
  const turns: TurnTotals[] = [];
  function switchTo(resumed: ResumedSession): void {
    void app.close();
    receipts.length = 0;
    turns.length = 0;
    app = open(resumed);
  }
  /** Ctrl-C while a slash command works ends the command, not the conversation; elsewhere the terminal is in raw mode and no signal comes. */
  let command = new AbortController();
  process.on("SIGINT", () => command.abort());
  const idle = createIdleWatch(
    () => app.cacheMs(),
    (signal) => app.agent.prepareForIdle(signal),
  );
  const host: CommandHost = {
    ...conversationReports(context, { app: () => app, receipts, turns, commandSignal: () => command.signal }),
    ...conversationSessions(context, {
      app: () => app,
      switchTo,
      tellPast() {
        output.out(recapOf(app.id, app.agent.history, recapExtent()));
        face.showPast?.(past());
      },
    }),
    commands: known,
    keys: face.keys,
    get columns() {
      return process.stdout.columns || 80;
    },
    report: (name) => extensions.map((extension) => extension.reports?.[name]?.()).find((text) => text !== undefined),
    print: (text) => output.out(text),
    printDiff: face.printDiff,
    model: () => app.model(),
    setModel: (name) => app.setModel(name),
    ...(face.hasPickers ? { pickModel: () => pickModel(app, context) } : {}),
    reset: () => app.agent.reset(),
  };
  const leave = (code: ExitCode) => () => {
    killAllGroups();
    void app.close();
    context.exit(code);
  };
  process.on("SIGTERM", leave(exitCode.terminated));
  process.on("SIGHUP", leave(exitCode.terminated));
  try {
    await face.run();
    return exitCode.done;
  } finally {
    killAllGroups();
    await app.close();
    await Promise.all(extensions.map((extension) => extension.close?.()));
  }
}

function bannerOf({ cwd, output, resumed }: ModeContext, app: App, extent: "title" | "whole"): readonly string[] {
  const recap = resumed ? recapOf(app.id, app.agent.history, extent).trimEnd().split("\n") : [];
  const hint = "/help for commands, Ctrl-C stops the agent, Ctrl-D quits";
  return [`corecoder ${version} · ${app.model()} · ${cwd}`, paint(output, "dim", hint), ...recap];
}

/** A session goes on with its own model where that can be had at the same address. */
function choiceFor(resumed: ResumedSession | undefined, { resolved }: ModeContext): ModelChoice {
  const { choice, loaded } = resolved;
  const model = resumed?.session.model;
  if (model === undefined || resumed === undefined || model === choice.model) return choice;
  const own = chooseVendor({ ...choiceInput(loaded, undefined), model });
  return own.baseUrl === choice.baseUrl ? own : choice;
}

/** One timer, once, while the person is away; nothing is shown and nothing moves. */
function createIdleWatch(cacheMs: () => number, prepare: (signal: AbortSignal) => Promise<void>) {
  let timer: NodeJS.Timeout | undefined;
  let stop = new AbortController();
  return {
    start() {
      stop = new AbortController();
      const { signal } = stop;
      // a summary that fails now is put together by code later
      timer = setTimeout(() => void prepare(signal).catch(() => {}), idleAfterMs(cacheMs()));
      timer.unref();
    },
    stop() {
      clearTimeout(timer);
      stop.abort();
    },
  };
}
