import { constants } from "node:os";
import { join } from "node:path";
import { messageOf, ToolError } from "../contracts/errors.ts";
import { type Infer, number, object, optional, string } from "../contracts/schema.ts";
import { type AnyTool, defineTool, type ToolContext, type ToolOutput } from "../contracts/tool.ts";
import type { Workspace } from "../contracts/workspace.ts";
import { BoundedOutput } from "../platform/bounded-output.ts";
import { findShell, nearestFolder, runShell, type Shell, type ShellResult } from "../platform/shell.ts";
import { withoutPrelude } from "../platform/shell-state.ts";
import { createLiveOutput } from "./live-output.ts";
import { rememberShell, shellEnvironment } from "./shell-environment.ts";

export type BashOptions = {
  /** Does the command only read? Such commands run side by side, and what they do to their shell is not kept. */
  readonly parallelSafe: (command: string) => boolean | Promise<boolean>;
  /** The variables every command starts with, free of keys. */
  readonly environment: () => Readonly<Record<string, string>>;
};

const defaultTimeoutS = 120;

const input = object({
  command: string(),
  timeout: optional(number(`seconds, default ${defaultTimeoutS}`, { min: 1, max: 600 })),
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
    concurrency: async ({ command }) => ((await options.parallelSafe(command)) ? "parallel-read" : "alone"),
    describe: ({ command }) => ({ label: "$", title: command, command }),
    async run({ command, timeout }, context) {
      const base = options.environment();
      shell ??= findShell(base.PATH);
      const state = (await options.parallelSafe(command)) ? "ignored" : "read-back";
      return run({ command, timeoutS: timeout ?? defaultTimeoutS, base, shell, state }, context);
    },
  });
}

type BashCall = {
  readonly command: string;
  readonly timeoutS: number;
  readonly base: Readonly<Record<string, string>>;
  readonly shell: Shell;
  readonly state: "ignored" | "read-back";
};

async function run(call: BashCall, context: ToolContext): Promise<ToolOutput> {
  const { workspace, signal } = context;
  if (signal.aborted) return { text: "[interrupted]", isError: true };
  const moved = leaveMissingFolder(workspace);
  const env = shellEnvironment(call.base, workspace);
  const output = new BoundedOutput(() => {
    const folder = context.outputFolder();
    return folder && join(folder, `${context.handle.replace(/[^A-Za-z0-9]/g, "")}-output`);
  }, context.keepFile);
  const live = createLiveOutput((text) => context.progress(text));
  const result = await runShell({
    ...call,
    cwd: workspace.cwd,
    env,
    timeoutMs: call.timeoutS * 1_000,
    signal,
    onOutput: (bytes) => live.push(output.push(bytes)),
  })
    .catch((error: unknown) => {
      throw new ToolError(whyNotStarted(error, call, workspace.cwd), { cause: error });
    })
    .finally(live.stop);
  if (result.state) rememberShell(result.state, env, workspace);
  const printed = withoutPrelude(output.end()).replace(/\n+$/, "");
  const plainShell =
    call.shell.kind === "sh" ? "[bash is not installed: run by /bin/sh; cd and exports are not kept]" : "";
  const failed = result.ending !== "exited" || result.code !== 0;
  const notes = [...backgroundNotes(result), endNote(result, call.timeoutS)];
  const text = [moved, plainShell, printed, ...notes].filter((line) => line !== "").join("\n");
  return { text: text === "" ? "(no output)" : text, isError: failed };
}

/** A folder may be deleted behind our back: the nearest one above takes its place. */
function leaveMissingFolder(workspace: Workspace): string {
  const folder = nearestFolder(workspace.cwd);
  if (folder === workspace.cwd) return "";
  const note = `[the folder ${workspace.cwd} no longer exists; now in ${folder}]`;
  workspace.cwd = folder;
  return note;
}

function backgroundNotes({ background, output }: ShellResult): string[] {
  if (background.length > 0) {
    const processes = background.length === 1 ? "1 background process" : `${background.length} background processes`;
    return [`(${processes} still running: ${background.join(", ")})`];
  }
  return output === "held"
    ? ["(a process that left the command's group still holds its output; what it prints is not seen)"]
    : [];
}

function signalName(code: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return found ? ` (${found[0]})` : "";
}

function endNote({ ending, code, signal }: ShellResult, timeoutS: number): string {
  if (ending === "interrupted") return "[interrupted]";
  if (ending === "timed-out") return `[timed out after ${timeoutS} s; the command and what it started were ended]`;
  if (signal !== null) return `[killed by signal ${signal}]`;
  return code === 0 ? "" : `[exit code ${code}${signalName(code ?? 0)}]`;
}

function whyNotStarted(error: unknown, { command, shell }: BashCall, cwd: string): string {
  const { code } = error as NodeJS.ErrnoException;
  if (command.includes("\0")) return "The command contains a NUL character. Write it as \\0 inside printf or $'…'.";
  switch (code) {
    case "E2BIG":
      return `The command is too long for the system (${Buffer.byteLength(command)} bytes). Put its text into a file with write_file and run that.`;
    case "ENOENT":
      return `The shell ${shell.path} cannot be started: it is not installed, or the folder ${cwd} has just been deleted.`;
    case "EACCES":
      return `The shell cannot be started in ${cwd}: permission denied. Use a folder that you may enter.`;
    case "EAGAIN":
    case "ENOMEM":
    case "EMFILE":
    case "ENFILE":
      return `The system has no room for another process (${code}). Wait for running commands to end, or end background processes, then try again.`;
    default:
      return `The command could not be started: ${messageOf(error)}`;
  }
}
