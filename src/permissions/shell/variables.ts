import { isStatic, type Value } from "./value.ts";

/** Variables that change how text looks and nothing else. */
const harmlessToSet =
  /^(LC_[A-Z]+|LANG|LANGUAGE|TZ|CI|NO_COLOR|FORCE_COLOR|CLICOLOR|CLICOLOR_FORCE|COLUMNS|LINES|TERM)$/;

/** Harmless with just this value. */
const harmlessPairs: Readonly<Record<string, readonly string[]>> = {
  PAGER: ["cat", ""],
  GIT_PAGER: ["cat", ""],
  GIT_TERMINAL_PROMPT: ["0"],
  GIT_OPTIONAL_LOCKS: ["0"],
};

/** By convention nobody exports such names, so setting one reaches no other program; these are the exceptions. */
const ownName = /^_*[a-z][a-z0-9_]*$/;
const exportedLowercase = /_proxy$|^(npm|pip|cargo|ld|git)_/;

/** Variables of the environment that hold no secrets. */
const harmlessToShow = new Set([
  ...["HOME", "PWD", "OLDPWD", "USER", "LOGNAME", "UID", "EUID", "PPID", "PATH", "SHELL", "SHLVL", "TERM", "COLUMNS"],
  ...["LINES", "LANG", "LC_ALL", "TZ", "HOSTNAME", "HOSTTYPE", "OSTYPE", "MACHTYPE", "RANDOM", "SECONDS", "LINENO"],
  ...["EPOCHSECONDS", "BASH", "BASH_VERSION", "BASHPID", "TMPDIR", "EDITOR", "VISUAL", "PAGER", "CI", "NODE_ENV"],
  ...["VIRTUAL_ENV", "GOPATH", "GOROOT", "JAVA_HOME", "CARGO_HOME", "NVM_DIR", "XDG_CONFIG_HOME", "XDG_CACHE_HOME"],
  ...["CORECODER_HOME", "DISPLAY", "IFS", "REPLY", "PIPESTATUS", "FUNCNAME"],
]);

/** May this variable be set before a program, or for the rest of the command? */
export function isHarmlessToSet(name: string, value: Value): boolean {
  if (harmlessToSet.test(name)) return true;
  const pairs = Object.hasOwn(harmlessPairs, name) ? harmlessPairs[name] : undefined;
  return isStatic(value) && (pairs?.includes(value.text) ?? false);
}

/** A variable of the command's own, which no program it starts will see. */
export function isOwnVariable(name: string): boolean {
  return ownName.test(name) && !exportedLowercase.test(name);
}

export function isHarmlessToShow(name: string): boolean {
  return harmlessToShow.has(name) || isOwnVariable(name) || /^([0-9]+|[?#$!@*_-])$/.test(name);
}
