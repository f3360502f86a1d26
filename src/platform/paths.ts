import { lstatSync, readlinkSync, realpathSync, type Stats } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** `~`, `~/x` and relative paths become absolute. Purely lexical: nothing is looked up on disk. */
export function expandPath(given: string, cwd: string): string {
  if (given === "~") return homedir();
  if (given.startsWith("~/")) return join(homedir(), given.slice(2));
  return isAbsolute(given) ? resolve(given) : resolve(cwd, given);
}

/** An empty name, `.` or `..`: only after these are gone does the text alone tell. */
const unsettled = /\/\.{0,2}(?:\/|$)/;

/** Compares by path components: `/app-secret` is not inside `/app`. A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
  if (path.startsWith("/") && folder.startsWith("/") && !unsettled.test(path) && !unsettled.test(folder)) {
    return path.startsWith(folder) && (path.length === folder.length || path[folder.length] === "/");
  }
  const rest = relative(folder, path);
  return rest === "" || (rest !== ".." && !rest.startsWith(`..${sep}`) && !isAbsolute(rest));
}

/**
 * Where a write to `given` would really land: links are followed component by component as the kernel would (also a dangling
 * last one, and `..` after a link), and what does not exist yet is appended as it is. Throws an ENOTDIR or ELOOP error like open(2).
 */
export function realTarget(given: string, cwd: string): string {
  const absolute =
    given === "~" || given.startsWith("~/") ? expandPath(given, cwd) : isAbsolute(given) ? given : `${cwd}/${given}`;
  return realTargetFrom(parse(absolute).root || "/", absolute);
}

const orUndefined = { throwIfNoEntry: false } as const;

/** What stands at a path, links not followed. */
export type Look = (path: string) => Stats | undefined;

const lookAt: Look = (path) => lstatSync(path, orUndefined);

/** Looks at each path once: for one decision, which is about one moment. */
export function lookOnce(): Look {
  const seen = new Map<string, Stats | undefined>();
  return (path) => {
    if (!seen.has(path)) seen.set(path, lookAt(path));
    return seen.get(path);
  };
}

/** `realTarget` of a relative path, from a folder that is known to be real. */
export function realTargetFrom(folder: string, given: string, look: Look = lookAt): string {
  let linksLeft = 40;
  const pending = namesOf(given);
  let real = folder;
  let missing = false;
  while (pending.length > 0) {
    const name = pending.pop() as string;
    if (name === "..") {
      real = dirname(real);
      missing = false;
      continue;
    }
    const next = real.endsWith(sep) ? real + name : `${real}/${name}`;
    const stat = missing ? undefined : look(next);
    if (stat === undefined) {
      missing = true;
      real = next;
    } else if (stat.isSymbolicLink()) {
      if (linksLeft-- === 0) throw Object.assign(new Error(`ELOOP: too many links, '${given}'`), { code: "ELOOP" });
      const target = readlinkSync(next);
      pending.push(...namesOf(target));
      if (isAbsolute(target)) real = "/";
    } else {
      if (!stat.isDirectory() && pending.length > 0)
        throw Object.assign(new Error(`ENOTDIR: not a directory, '${next}'`), { code: "ENOTDIR" });
      real = next;
    }
  }
  return real;
}

/** The components of a path, last first. */
function namesOf(path: string): string[] {
  return path
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .reverse();
}

/** The real path of something that exists, or the path itself. */
export function realOrSame(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Relative inside the folder, `~/…` inside the home folder, absolute elsewhere. */
export function displayPath(absolute: string, folder: string): string {
  if (isInside(absolute, folder)) return relative(folder, absolute) || ".";
  const home = homedir();
  return isInside(absolute, home) ? join("~", relative(home, absolute)) : absolute;
}
