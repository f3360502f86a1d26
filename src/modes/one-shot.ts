import { createApp } from "../app.ts";
import { type ExitCode, exitCode, UserError } from "../contracts/errors.ts";
import type { TurnOutcome } from "../contracts/event.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { readStandardInput } from "../platform/standard-input.ts";
import { describeOutcome, exitCodeOf } from "../ui/describe-outcome.ts";
import { printJsonLines } from "../ui/json-lines.ts";
import { paint } from "../ui/output.ts";
import { printEvents } from "../ui/print.ts";
import { findExtensions } from "./extensions.ts";
import { appOptions, type ModeContext } from "./mode-context.ts";

/** After a signal everything must be over within a second. */
const shutdownMs = 900;

export async function runOneShot(context: ModeContext): Promise<ExitCode> {
  const { parsed, output } = context;
  const prompt = parsed.run.prompt ?? (await readStandardInput());
  if (prompt.trim() === "")
    throw new UserError(exitCode.usage, 'The prompt is empty. Say what to do: corecoder -p "…".');
  const isText = parsed.run.outputFormat === "text";
  const extensions = await findExtensions(context, "absent");
  const app = createApp({
    ...appOptions(context),
    extensions,
    // without a sandbox and without anybody to ask, edits inside the folder are what -p is for
    permissionMode: context.resolved.loaded.settings.permissionMode ?? "acceptEdits",
    wantsPrices: !isText,
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  });
  const stop = new AbortController();
  const signals = watchSignals(stop, context.exit);
  try {
    const events = app.agent.send(prompt, stop.signal);
    const session = {
      sessionId: app.id,
      model: app.model(),
      cwd: context.cwd,
      tools: app.tools.map((tool) => tool.name),
      permissionMode: app.permissions.mode,
      endpoint: app.provider().endpoint,
    };
    const outcome: TurnOutcome = isText
      ? await printEvents(events, output)
      : await printJsonLines({
          events,
          session,
          output,
          every: parsed.run.outputFormat === "stream-json",
          partial: parsed.run.includePartialMessages,
          finalText: () => app.agent.lastText,
        });
    const problem = describeOutcome(outcome, session);
    if (problem) output.err(`${paint(output, "red", problem)}\n`);
    return outcome.type === "interrupted" ? signals.exit : exitCodeOf(outcome);
  } finally {
    killAllGroups();
    await app.close();
    await Promise.all(extensions.map((extension) => extension.close?.()));
  }
}

/** The first signal stops the work in order; what is not over soon after, or a second signal, ends it at once. */
function watchSignals(stop: AbortController, exitNow: (code: number) => never): { readonly exit: ExitCode } {
  let exit: ExitCode = exitCode.interrupted;
  const end = () => {
    killAllGroups();
    exitNow(exit);
  };
  const on = (code: ExitCode) => () => {
    if (stop.signal.aborted) end();
    exit = code;
    stop.abort();
    setTimeout(end, shutdownMs).unref();
  };
  process.on("SIGINT", on(exitCode.interrupted));
  process.on("SIGTERM", on(exitCode.terminated));
  process.on("SIGHUP", on(exitCode.terminated));
  return {
    get exit() {
      return exit;
    },
  };
}
