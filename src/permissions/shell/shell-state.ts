import { isStatic, isWholeNumber, maximumExpanded, unknownNumber, unknownValue, type Value } from "./value.ts";

/** What is known about the shell at one point of a command. Immutable: a subshell simply keeps its own. */
export type ShellState = {
  /** Every folder the shell may be in; undefined when that is not known. */
  readonly folders: readonly string[] | undefined;
  /** Variables set by the command itself. */
  readonly variables: ReadonlyMap<string, Value>;
  /** What changes here ends with a subshell, a pipeline or a substitution. */
  readonly isSubshell: boolean;
};

/** Where the shell stands when the last command worked, and when it failed. */
export type Flow = { readonly ok: ShellState; readonly fail: ShellState };

const maximumFolders = 8;
const maximumVariables = 64;

export function startIn(folder: string): ShellState {
  return { folders: [folder], variables: new Map(), isSubshell: false };
}

export function subshell(state: ShellState): ShellState {
  return state.isSubshell ? state : { ...state, isSubshell: true };
}

export function steady(state: ShellState): Flow {
  return { ok: state, fail: state };
}

export function after(flow: Flow): ShellState {
  return flow.ok === flow.fail ? flow.ok : merge(flow.ok, flow.fail);
}

/** Variables beyond the limit stay unknown. */
export function assign(state: ShellState, name: string, value: Value): ShellState {
  if (state.variables.size >= maximumVariables && !state.variables.has(name)) return state;
  const kept = value.text.length > maximumExpanded ? unknownValue : value;
  return { ...state, variables: new Map(state.variables).set(name, kept) };
}

export function inFolders(state: ShellState, folders: readonly string[] | undefined): ShellState {
  return { ...state, folders: folders && folders.length <= maximumFolders ? folders : undefined };
}

/** Either of two states; the first itself when the second adds nothing to it. */
export function merge(a: ShellState, b: ShellState): ShellState {
  if (a === b) return a;
  const folders = mergeFolders(a.folders, b.folders);
  const variables = mergeVariables(a.variables, b.variables);
  return folders === a.folders && variables === a.variables ? a : inFolders({ ...a, variables }, folders);
}

function mergeFolders(a: ShellState["folders"], b: ShellState["folders"]): ShellState["folders"] {
  if (a === undefined || b === undefined) return undefined;
  const added = b.filter((folder) => !a.includes(folder));
  return added.length === 0 ? a : [...a, ...added];
}

function mergeVariables(a: ShellState["variables"], b: ShellState["variables"]): ShellState["variables"] {
  if (a === b) return a;
  let merged: Map<string, Value> | undefined;
  for (const name of new Set([...a.keys(), ...b.keys()])) {
    const before = a.get(name);
    const either = eitherOf(before, b.get(name));
    if (either === before) continue;
    merged ??= new Map(a);
    merged.set(name, either);
  }
  return merged ?? a;
}

function eitherOf(a: Value | undefined, b: Value | undefined): Value {
  if (a === undefined || b === undefined) return unknownValue;
  if (a === b || a === unknownValue) return a;
  if (isStatic(a) && isStatic(b) && a.text === b.text) return a;
  if (isWholeNumber(a) && isWholeNumber(b)) return unknownNumber;
  return unknownValue;
}
