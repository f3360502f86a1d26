import type { Workspace } from "../contracts/workspace.ts";
import { markVariable } from "../platform/process-group-mark.ts";
import type { ShellState } from "../platform/shell-state.ts";

/** Nothing may wait for a person: no pager, no editor, no password prompt. */
const quiet = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
const editors = ["GIT_EDITOR", "EDITOR", "VISUAL"];

/** The shell's own bookkeeping, and what would run code in, or change the options of, every later shell. */
const notKept = new Set([markVariable, "_", "PWD", "OLDPWD", "SHLVL", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS"]);

type Environment = Readonly<Record<string, string>>;

function startingEnvironment(base: Environment): Record<string, string> {
  const env: Record<string, string> = { ...base, ...quiet };
  for (const name of editors) env[name] ??= "true";
  return env;
}

/** What a command starts with: the base, then what earlier commands exported or unset. */
export function shellEnvironment(base: Environment, workspace: Workspace): Record<string, string> {
  const env = startingEnvironment(base);
  for (const [name, value] of workspace.exported) {
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  env.PWD = workspace.cwd;
  if (workspace.previousCwd === undefined) delete env.OLDPWD;
  else env.OLDPWD = workspace.previousCwd;
  return env;
}

/** Keeps where the shell went and what it exported or unset, compared with what it was started with. */
export function rememberShell(state: ShellState, startedWith: Environment, workspace: Workspace): void {
  workspace.cwd = state.cwd;
  workspace.previousCwd = state.previousCwd;
  for (const [name, value] of state.exported) {
    if (startedWith[name] !== value && !notKept.has(name)) workspace.exported.set(name, value);
  }
  for (const name of Object.keys(startedWith)) {
    // bash does not list variables whose names it could not have made itself.
    const listed = /^[A-Za-z_]\w*$/.test(name) && !notKept.has(name);
    if (listed && !state.exported.has(name)) workspace.exported.set(name, undefined);
  }
}
