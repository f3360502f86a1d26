import type { Workspace } from "../contracts/workspace.ts";
import { markVariable } from "../platform/process-group-mark.ts";
import type { ShellState } from "../platform/shell-state.ts";

/** Nothing may wait for a person: no pager, no editor, no password prompt. */
const quiet = { TERM: "dumb", PAGER: "cat", GIT_PAGER: "cat", GIT_TERMINAL_PROMPT: "0" };
const editors = ["GIT_EDITOR", "EDITOR", "VISUAL"];

/** Among what is kept: the names of the variables that were set inside a sandbox, and that count only there. */
const insideNames = "CORECODER_INSIDE";

/** The shell's own bookkeeping, and what would run code in, or change the options of, every later shell. */
const notKept = new Set([
  ...[insideNames, markVariable, "_", "PWD", "OLDPWD", "SHLVL"],
  ...["BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS"],
]);

/** Where a command runs: what one inside a sandbox exports must not decide what runs outside (PATH, LD_PRELOAD, GIT_SSH_COMMAND). */
export type Where = "inside" | "outside";

type Environment = Readonly<Record<string, string>>;

function startingEnvironment(base: Environment): Record<string, string> {
  const env: Record<string, string> = { ...base, ...quiet };
  for (const name of editors) env[name] ??= "true";
  return env;
}

/** What a command starts with: the base, then what earlier commands exported or unset. */
export function shellEnvironment(base: Environment, workspace: Workspace, where: Where): Record<string, string> {
  const env = startingEnvironment(base);
  const left = where === "inside" ? new Set<string>() : setInside(workspace);
  for (const [name, value] of workspace.exported) {
    if (name === insideNames || left.has(name)) continue;
    if (value === undefined) delete env[name];
    else env[name] = value;
  }
  env.PWD = workspace.cwd;
  if (workspace.previousCwd === undefined) delete env.OLDPWD;
  else env.OLDPWD = workspace.previousCwd;
  return env;
}

function setInside({ exported }: Workspace): Set<string> {
  return new Set((exported.get(insideNames) ?? "").split(" ").filter((name) => name !== ""));
}

export type FinishedShell = { readonly state: ShellState; readonly startedWith: Environment; readonly where: Where };

/** Keeps where the shell went and what it exported or unset, compared with what it was started with. */
export function rememberShell({ state, startedWith, where }: FinishedShell, workspace: Workspace): void {
  workspace.cwd = state.cwd;
  workspace.previousCwd = state.previousCwd;
  const inside = setInside(workspace);
  const keep = (name: string, value: string | undefined) => {
    workspace.exported.set(name, value);
    if (where === "inside") inside.add(name);
    else inside.delete(name);
  };
  for (const [name, value] of state.exported) {
    if (startedWith[name] !== value && !notKept.has(name)) keep(name, value);
  }
  for (const name of Object.keys(startedWith)) {
    // bash does not list variables whose names it could not have made itself.
    const listed = /^[A-Za-z_]\w*$/.test(name) && !notKept.has(name);
    if (listed && !state.exported.has(name)) keep(name, undefined);
  }
  if (inside.size > 0) workspace.exported.set(insideNames, [...inside].join(" "));
  else workspace.exported.delete(insideNames);
}
