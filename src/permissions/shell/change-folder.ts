import { resolve } from "node:path";
import type { Call } from "./judge.ts";
import type { Places } from "./places.ts";
import { assign, type Flow, inFolders, type ShellState, steady } from "./shell-state.ts";
import { isStatic, unknownValue } from "./value.ts";

/** Builtins after which the shell is another one, for the commands that follow. */
const changers = new Set([
  ...["cd", "pushd", "popd", "export", "declare", "typeset", "readonly", "local", "unset", "alias", "unalias", "set"],
  ...[
    "shopt",
    "source",
    ".",
    "eval",
    "exec",
    "trap",
    "umask",
    "read",
    "mapfile",
    "readarray",
    "enable",
    "ulimit",
    "hash",
  ],
]);

export function changesShell(call: Call): boolean {
  return changers.has(withoutPrefix(call).program);
}

/** Where the shell stands after a call that worked, and after one that failed. */
export function flowAfter(given: Call, places: Places): Flow {
  const call = withoutPrefix(given);
  const { program, state } = call;
  if (program === "cd" || program === "pushd") return { ok: inFolders(state, foldersAfter(call, places)), fail: state };
  if (program === "popd") return { ok: inFolders(state, undefined), fail: state };
  if (program !== "read") return steady(state);
  const names = call.args.filter(({ text }) => /^[a-z_]\w*$/i.test(text)).map(({ text }) => text);
  return steady(names.reduce<ShellState>((before, name) => assign(before, name, unknownValue), state));
}

/** `command cd x` and `builtin cd x` are `cd x`. */
function withoutPrefix(call: Call): Call {
  if (call.program !== "command" && call.program !== "builtin") return call;
  const [program, ...args] = call.args.slice(call.args.findIndex(({ text }) => !text.startsWith("-")));
  return program ? withoutPrefix({ ...call, program: program.text, args }) : call;
}

/** A shell goes up from where it came through a link, the kernel from where the link leads: both count. */
function foldersAfter({ args, state }: Call, places: Places): readonly string[] | undefined {
  const [target, ...more] = args.filter(({ text }) => !/^-[LPe@]+$/.test(text));
  if (target === undefined) return [places.home];
  if (more.length > 0 || !isStatic(target) || target.text === "-" || target.text === "") return undefined;
  const lexical = target.text.startsWith("/")
    ? [resolve(target.text)]
    : state.folders?.map((folder) => resolve(folder, target.text));
  if (lexical === undefined || !target.text.includes("..")) return lexical;
  const real = places.locate(target, state, "followed")?.map(({ path }) => path);
  return real && [...new Set([...lexical, ...real])];
}
