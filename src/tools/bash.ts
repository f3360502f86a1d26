import { join } from "node:path";
import { ToolError } from "../contracts/errors.ts";
import { boolean, type Infer, number, object, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { BoundedOutput } from "../platform/bounded-output.ts";
import { createJobOutput } from "../platform/jobs/job-output.ts";
import { type JobTable, jobLimit } from "../platform/jobs/job-table.ts";
import type { Denial } from "../platform/sandbox/denials.ts";
import {
  findShell,
  nearestFolder,
  type RunningShell,
  type Shell,
  startShell,
  withinLimits,
} from "../platform/shell.ts";
import { type ShellState, withoutPrelude } from "../platform/shell-state.ts";
import { endNotes, whyNotStarted } from "./bash-words.ts";
import { type ConfinedCommand, confineCommand, type SandboxOptions } from "./confined-command.ts";
import { createLiveOutput } from "./live-output.ts";
import { rememberShell, shellEnvironment } from "./shell-environment.ts";

export type BashOptions = {
  /** Does the command only read? Such commands run side by side, and what they do to their shell is not kept. */
  readonly parallelSafe: (command: string) => boolean | Promise<boolean>;
  /** The variables every command starts with, free of keys. */
  readonly environment: () => Readonly<Record<string, string>>;
  readonly jobs: JobTable;
  /** What becomes of a command over its time limit; left out, it is ended. */
  readonly overLimit?: "end" | "background";
  /** For the commands that may only run confined. */
  readonly sandbox?: SandboxOptions;
};

const defaultTimeoutS = 120;

const input = object({
  command: string(),
  timeout: optional(number(`seconds, default ${defaultTimeoutS}`, { min: 1, max: 600 })),
  run_in_background: optional(boolean("returns a job id at once")),
  description: optional(string()),
});

export function createBash(options: BashOptions): AnyTool {
  let shell: Shell | undefined;
  return defineTool<Infer<typeof input>>({
    name: "bash",
    description:
      "Run a bash command. cd and exported variables carry over to the next call. " +
      "No stdin. Long output is cut in the middle and saved to a file.",
    input,
    effect: "execute",
    concurrency: async ({ command, run_in_background }) =>
      !run_in_background && (await options.parallelSafe(command)) ? "parallel-read" : "alone",
    describe: ({ command, run_in_background }) => ({
      label: "$",
      title: run_in_background ? `${command} (in the background)` : command,
      command,
    }),
    async run({ command, timeout, run_in_background }, context) {
      const base = options.environment();
      shell ??= findShell(base.PATH);
      if (context.signal.aborted) return { text: "[interrupted]", isError: true };
      const state = run_in_background || (await options.parallelSafe(command)) ? "ignored" : "read-back";
      const call = { command, timeoutS: timeout ?? defaultTimeoutS, base, shell, state, options } as const;
      return run_in_background ? runInBackground(call, context) : run(call, context);
    },
  });
}

type BashCall = {
  readonly command: string;
  readonly timeoutS: number;
  readonly base: Readonly<Record<string, string>>;
  readonly shell: Shell;
  readonly state: "ignored" | "read-back";
  readonly options: BashOptions;
};

type Start = { readonly confined: ConfinedCommand | undefined; readonly onOutput: (bytes: Buffer) => void };

type Started = { readonly running: RunningShell; readonly env: Readonly<Record<string, string>> };

async function start(call: BashCall, { workspace }: ToolContext, { confined, onOutput }: Start): Promise<Started> {
  const { command, shell, state } = call;
  const { cwd } = workspace;
  const whole = shellEnvironment(call.base, workspace, confined ? "inside" : "outside");
  const env = confined?.environment(whole) ?? whole;
  const inside = confined ? { wrap: confined.wrap, prelude: confined.prelude } : {};
  const running = await startShell({ command, shell, state, cwd, env, onOutput, ...inside }).catch((error: unknown) => {
    throw new ToolError(whyNotStarted(error, { command, shell, cwd }), { cause: error });
  });
  confined?.watch(running);
  return { running, env };
}

/** What was allowed only inside a sandbox never runs outside. */
async function confinedFor(
  { command, shell, options }: BashCall,
  context: ToolContext,
): Promise<ConfinedCommand | undefined> {
  if (!context.inSandbox) return undefined;
  // the way to hosts that are allowed is laid by bash
  const { hosts: _, ...closed } = options.sandbox ?? {};
  const sandbox = shell.kind === "bash" ? options.sandbox : options.sandbox && (closed as SandboxOptions);
  const confined = sandbox && (await confineCommand(command, context, sandbox));
  if (confined === undefined) throw new ToolError("The command may only run in a sandbox, and there is none here.");
  return confined;
}

async function run(call: BashCall, context: ToolContext): Promise<ToolOutput> {
  const { workspace, signal } = context;
  const moved = leaveMissingFolder(workspace);
  const confined = await confinedFor(call, context);
  const output = new BoundedOutput(outputPath(context, `${nameOf(context)}-output`), context.keepFile);
  const live = createLiveOutput((text) => context.progress(text));
  let take = (bytes: Buffer) => live.push(output.push(bytes));
  const { running, env } = await start(call, context, { confined, onOutput: (bytes) => take(bytes) });
  const overLimit = call.options.overLimit === "background" && call.options.jobs.hasRoom() ? "release" : "end";
  const limits = { timeoutMs: call.timeoutS * 1_000, signal, overLimit } as const;
  const result = await withinLimits(running, limits).finally(live.stop);
  const remember = (state: ShellState) =>
    rememberShell({ state, startedWith: env, where: confined ? "inside" : "outside" }, workspace);
  const released = result === "released" ? keepAsJob(call, context, running) : undefined;
  if (released) take = released.push;
  else if (result !== "released" && result.state) remember(result.state);
  const whole = withoutPrelude(output.end()).replace(confined?.prelude ?? "", "");
  const plainShell =
    call.shell.kind === "sh" ? "[bash is not installed: run by /bin/sh; cd and exports are not kept]" : "";
  const isError = result !== "released" && (result.ending !== "exited" || result.code !== 0);
  const fate = confined && result !== "released" ? confined.close(whole, isError) : undefined;
  const notes = result === "released" ? [released?.note ?? ""] : endNotes(result, whole, call.timeoutS);
  const lines = [moved, plainShell, whole.replace(/\n+$/, ""), ...notes, ...(fate?.notes ?? [])];
  const text = lines.filter((line) => line !== "").join("\n") || "(no output)";
  const denials = fate?.denials ?? [];
  const exit = result === "released" ? {} : { display: { type: "exit", code: result.code } as const };
  const answer = { text, isError, ...exit };
  return denials.length > 0 ? afterDenial(answer, denials, { call, context }) : answer;
}

type Retry = { readonly call: BashCall; readonly context: ToolContext };

/** What failed because of the sandbox may be run again outside, if the person says so. */
async function afterDenial(
  output: ToolOutput,
  denials: readonly Denial[],
  { call, context }: Retry,
): Promise<ToolOutput> {
  const reasons = denials.map(({ text }) => text).join("; ");
  const told = `${output.text}\n[sandbox: ${reasons}]`;
  if (!output.isError || context.approve === undefined || context.signal.aborted) return { ...output, text: told };
  const refusal = await context.approve(`it would run outside the sandbox, which stopped it (${reasons})`);
  if (refusal !== undefined)
    return { ...output, text: `${told}\n[not run again outside: ${refusal.replace(` (${reasons})`, "")}]` };
  const again = await run(call, { ...context, inSandbox: false });
  return {
    ...again,
    text: `[the sandbox stopped it (${reasons}); run again outside, as the user allowed:]\n${again.text}`,
  };
}

/** A command over its limit goes on; what it prints from now on is the job's. */
function keepAsJob({ command, timeoutS, options }: BashCall, context: ToolContext, running: RunningShell) {
  const id = `job${nameOf(context)}`;
  const output = createJobOutput(outputPath(context, id));
  options.jobs.add({ id, command }, running, output);
  const note = `[still running after ${timeoutS} s: it goes on in the background as ${id}; see it with the job tool]`;
  return { push: output.push, note };
}

async function runInBackground(call: BashCall, context: ToolContext): Promise<ToolOutput> {
  const { command, options } = call;
  if (!options.jobs.hasRoom())
    throw new ToolError(`${jobLimit} jobs are running already. Wait for one or end one with the job tool first.`);
  const { workspace } = context;
  const moved = leaveMissingFolder(workspace);
  const id = `job${nameOf(context)}`;
  const output = createJobOutput(outputPath(context, id));
  const confined = await confinedFor(call, context);
  const { running } = await start(call, context, { confined, onOutput: output.push });
  options.jobs.add({ id, command }, running, output);
  const text = `${id} started in the background. You are told when it ends; the job tool shows its output, waits for it or ends it.`;
  return { text: moved === "" ? text : `${moved}\n${text}` };
}

/** The number of the call. */
function nameOf({ handle }: ToolContext): string {
  return handle.replace(/[^A-Za-z0-9]/g, "");
}

function outputPath({ outputFolder }: ToolContext, name: string): () => string | undefined {
  return () => {
    const folder = outputFolder();
    return folder && join(folder, name);
  };
}

/** A folder may be deleted behind our back: the nearest one above takes its place. */
function leaveMissingFolder(workspace: Workspace): string {
  const folder = nearestFolder(workspace.cwd);
  if (folder === workspace.cwd) return "";
  const note = `[the folder ${workspace.cwd} no longer exists; now in ${folder}]`;
  workspace.cwd = folder;
  return note;
}
