import { createApp } from "../app.ts";
import type { RunOptions } from "../config/arguments.ts";
import type { Settings } from "../config/settings-table.ts";
import type { SlashCommand } from "../contracts/command.ts";
import { type ExitCode, exitCode, UserError } from "../contracts/errors.ts";
import type { AgentEvent, TurnOutcome } from "../contracts/event.ts";
import type { PermissionMode } from "../contracts/permission.ts";
import { killAllGroups } from "../platform/process-group.ts";
import { expectSandbox } from "../platform/sandbox/expect-sandbox.ts";
import { readStandardInput } from "../platform/standard-input.ts";
import { describeOutcome, exitCodeOf } from "../ui/describe-outcome.ts";
import { dialects } from "../ui/dialects/index.ts";
import { printJsonLines } from "../ui/json-lines.ts";
import { paint } from "../ui/output.ts";
import { printEvents } from "../ui/print.ts";
import { findExtensions } from "./extensions.ts";
import { appOptions, type ModeContext } from "./mode-context.ts";
import type { Prompt } from "./prompt-source.ts";
import type { StructuredAnswer } from "./structured-answer.ts";

/** After a signal everything must be over within a second. */
const shutdownMs = 900;

export async function runOneShot(context: ModeContext): Promise<ExitCode> {
  const { parsed, output } = context;
  const { run } = parsed;
  refuseUntrustedHooks(context);
  if (run.inputFormat !== "text" && run.outputFormat !== "stream-json")
    throw new UserError(exitCode.usage, "--input-format stream-json needs --output-format stream-json.");
  const prompt = run.inputFormat === "text" ? await onlyPrompt(run) : undefined;
  const shape = run.jsonSchema === undefined ? undefined : await shapeOf(run.jsonSchema);
  const extensions = await findExtensions(context, "absent");
  const shared = appOptions(context);
  const app = createApp({
    ...shared,
    settings: shape ? withAddition(shared.settings, shape.instruction) : shared.settings,
    extensions,
    permissionMode: context.resolved.loaded.settings.permissionMode ?? (await defaultMode(context)),
    wantsPrices: run.outputFormat !== "text",
    onNotice: (text) => output.err(`${paint(output, "dim", text)}\n`),
  });
  const stop = new AbortController();
  const signals = watchSignals(stop, context.exit);
  const answer = shape?.create(app.agent);
  const send = (text: Prompt, signal: AbortSignal) => (answer ?? app.agent).send(text, signal);
  const commands = extensions.flatMap((extension) => extension.commands ?? []);
  const meaning = (given: Prompt) => meaningOf(given, commands);
  try {
    const only = prompt === undefined ? undefined : await meaning(prompt);
    const tell = createTeller(context, { app, answer });
    const last =
      only === undefined
        ? await answerEveryLine(context, { app, commands, send, tell, meaning, stop: stop.signal })
        : { outcome: await tell(only, send(only, stop.signal)), isSound: true };
    if (last.outcome.type === "interrupted") return signals.exit;
    const code = exitCodeOf(last.outcome);
    return code === exitCode.done && !last.isSound ? exitCode.usage : code;
  } finally {
    killAllGroups();
    await app.close();
    await Promise.all(extensions.map((extension) => extension.close?.()));
  }
}

async function onlyPrompt(run: RunOptions): Promise<string> {
  const prompt = run.prompt ?? (await readStandardInput());
  if (prompt.trim() !== "") return prompt;
  throw new UserError(exitCode.usage, 'The prompt is empty. Say what to do: corecoder -p "…".');
}

/** `/name …` stands for what a skill or a command of the person's says; any other text for itself. */
async function meaningOf(given: Prompt, commands: readonly SlashCommand[]): Promise<Prompt> {
  if (typeof given !== "string" || !given.startsWith("/") || commands.length === 0) return given;
  const { promptOfCommand } = await import("./prompt-of-command.ts");
  return promptOfCommand([{ type: "text", text: given }], { commands });
}

/** Loaded only for those who want an answer of a given shape. */
async function shapeOf(given: string) {
  const { createStructuredAnswer, readAnswerSchema, shapeInstruction } = await import("./structured-answer.ts");
  const schema = readAnswerSchema(given);
  return {
    instruction: shapeInstruction(schema),
    create: (agent: App["agent"]) => createStructuredAnswer(agent, schema),
  };
}

function withAddition(settings: Settings, addition: string): Settings {
  const { appendSystemPrompt } = settings;
  return {
    ...settings,
    appendSystemPrompt: appendSystemPrompt === undefined ? addition : `${appendSystemPrompt}\n\n${addition}`,
  };
}

type App = ReturnType<typeof createApp>;

/** Tells one prompt's events in the format that was asked for, and how it ended. */
type Tell = (prompt: Prompt, events: AsyncIterable<AgentEvent>) => Promise<TurnOutcome>;

type Told = { readonly app: App; readonly answer: StructuredAnswer | undefined };

function createTeller({ parsed: { run }, cwd, output }: ModeContext, { app, answer }: Told): Tell {
  const session = {
    sessionId: app.id,
    model: app.model(),
    cwd,
    tools: app.tools.map((tool) => tool.name),
    permissionMode: app.permissions.mode,
    endpoint: app.provider().endpoint,
  };
  const every = run.outputFormat === "stream-json";
  const dialect = dialects[run.dialect]({ session, partial: run.includePartialMessages });
  if (every) for (const line of dialect.begin()) output.out(`${JSON.stringify(line)}\n`);
  async function tellText(events: AsyncIterable<AgentEvent>): Promise<TurnOutcome> {
    if (answer === undefined) return printEvents(events, output);
    const outcome = await printEvents(withoutText(events), output);
    if (outcome.type === "done") output.out(`${JSON.stringify(answer.value())}\n`);
    return outcome;
  }
  return async (prompt, events) => {
    const outcome =
      run.outputFormat === "text"
        ? await tellText(events)
        : await printJsonLines({
            events,
            prompt: wordsOf(prompt),
            dialect,
            output,
            every,
            finalText: () => app.agent.lastText,
            ...(answer ? { structured: answer.value } : {}),
          });
    const problem = describeOutcome(outcome, session);
    if (problem) output.err(`${paint(output, "red", problem)}\n`);
    return outcome;
  };
}

const wordsOf = (prompt: Prompt): string =>
  typeof prompt === "string" ? prompt : prompt.map((part) => (part.type === "text" ? part.text : "")).join("");

/** What is said on the way to an answer of a given shape is no answer. */
async function* withoutText(events: AsyncIterable<AgentEvent>): AsyncGenerator<AgentEvent> {
  for await (const event of events) if (event.type !== "text.delta") yield event;
}

type Answering = Omit<Parameters<typeof import("./answer-lines.ts").answerLines>[0], "write" | "complain">;

async function answerEveryLine({ output }: ModeContext, answering: Answering) {
  const { answerLines } = await import("./answer-lines.ts");
  return answerLines({
    ...answering,
    write: (line) => output.out(`${JSON.stringify(line)}\n`),
    complain: (text) => output.err(`${paint(output, "red", text)}\n`),
  });
}

/** A hook that would not run may be the one that was to stop something: where nobody can be asked, going on without it is not for us to decide. */
function refuseUntrustedHooks({ resolved }: ModeContext): void {
  const { trust, settings } = resolved.loaded;
  const hooks = trust.wants.find(({ key }) => key === "hooks");
  if (hooks === undefined || trust.state === "trusted" || settings.untrustedHooks === "ignore") return;
  throw new UserError(
    exitCode.config,
    `The hooks in ${hooks.origin.file} were not run: you have not trusted them as they are now, and nobody can be asked here. \`corecoder trust\` shows and trusts them; --untrusted-hooks ignore goes on without them.`,
  );
}

/** Without anybody to ask: commands in a sandbox, where there is one; edits inside the folder are what -p is for. */
async function defaultMode({ resolved }: ModeContext): Promise<PermissionMode> {
  const { settings, stateFolder } = resolved.loaded;
  return settings.sandbox !== "off" && (await expectSandbox(stateFolder)) ? "auto" : "acceptEdits";
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
