import { constants } from "node:os";
import { messageOf } from "../contracts/errors.ts";
import type { Shell, ShellResult } from "../platform/shell.ts";
import { asksForInput, lastLine } from "../platform/shell-waiting.ts";

/** What the model reads about a command that ended, besides what it printed. */
export function endNotes(result: ShellResult, printed: string, timeoutS: number): readonly string[] {
  return [...backgroundNotes(result), questionNote(result, printed), endNote(result, timeoutS)];
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

const answerAhead =
  "a flag that asks nothing (-y, --yes, --batch, --no-input), or the answer sent ahead (printf 'y\\n' | …)";

/** Most programs that find stdin empty give up by themselves, and do not say why. */
function questionNote({ ending }: ShellResult, printed: string): string {
  const asked = asksForInput(printed) || /[:?>\])] $/.test(lastLine(printed));
  return ending === "exited" && asked ? `[it asked for input, and stdin is empty: use ${answerAhead}]` : "";
}

function signalName(code: number): string {
  const found = Object.entries(constants.signals).find(([, number]) => number === code - 128);
  return found ? ` (${found[0]})` : "";
}

function endNote({ ending, code, signal }: ShellResult, timeoutS: number): string {
  if (ending === "interrupted" || ending === "stopped") return "[interrupted]";
  if (ending === "waiting")
    return `[ended: it waits for input, and nobody can type here. Use ${answerAhead}; for files, the file tools instead of an editor]`;
  if (ending === "timed-out") return `[timed out after ${timeoutS} s; the command and what it started were ended]`;
  if (signal !== null) return `[killed by signal ${signal}]`;
  return code === 0 ? "" : `[exit code ${code}${signalName(code ?? 0)}]`;
}

export type FailedStart = { readonly command: string; readonly shell: Shell; readonly cwd: string };

export function whyNotStarted(error: unknown, { command, shell, cwd }: FailedStart): string {
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
