import { constants, fstatSync, ftruncateSync, mkdtempSync, openSync, readSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseDeclarations } from "./shell-declarations.ts";

/** What a shell leaves behind for the next one. */
export type ShellState = {
  readonly cwd: string;
  readonly previousCwd: string | undefined;
  /** Every exported variable with a value. */
  readonly exported: ReadonlyMap<string, string>;
};

/** Out of the way of numbers that scripts use themselves; the spawned shell has the state file open under it. */
export const stateFd = 197;

const writeState = `{ builtin pwd; builtin printf "\\0%s\\0" "\${OLDPWD-}"; builtin declare -px; } 2>/dev/null >&${stateFd}`;

/**
 * Put before a command, on its first line, so that line numbers in messages stay true. The shell writes its state itself when it
 * ends, whatever the last command returned; a command that is killed, or sets its own EXIT trap, leaves the state as it was.
 */
export const statePrelude = `trap '${writeState}' EXIT; `;

/** What a command prints is its own: a syntax error in the first line quotes all of it, and `set -v` shows the trap. */
export function withoutPrelude(output: string): string {
  return output.replace(statePrelude, "").replace(`${writeState}\n`, "");
}

/** A nameless file: no process can hold it open against us as a pipe, and nothing is left on disk. */
export type StateFile = { readonly fd: number; take(): ShellState | undefined; release(): void };

const idle: number[] = [];
/** More than a system takes as the environment of a program. */
const stateLimitBytes = 8 * 1024 * 1024;

function openNamelessFile(): number {
  const folder = mkdtempSync(join(tmpdir(), "corecoder-"));
  try {
    // Appending: the offset is shared with the shell, so it would not go back when the file is emptied.
    const flags = constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | constants.O_APPEND;
    return openSync(join(folder, "state"), flags, 0o600);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Undefined when there is no room for temporary files. */
export function openStateFile(): StateFile | undefined {
  let fd: number;
  try {
    fd = idle.pop() ?? openNamelessFile();
    ftruncateSync(fd, 0);
  } catch {
    return undefined;
  }
  return {
    fd,
    take() {
      const { size } = fstatSync(fd);
      // Anybody who has the file open may write to it.
      if (size > stateLimitBytes) return undefined;
      const bytes = Buffer.alloc(size);
      const length = readSync(fd, bytes, 0, bytes.length, 0);
      return parseState(bytes.toString("utf8", 0, length));
    },
    release: () => void idle.push(fd),
  };
}

function parseState(text: string): ShellState | undefined {
  const [pwd, previous, declarations] = text.split("\0", 3);
  if (!pwd?.startsWith("/") || previous === undefined || declarations === undefined) return undefined;
  return { cwd: pwd.replace(/\n$/, ""), previousCwd: previous || undefined, exported: parseDeclarations(declarations) };
}
