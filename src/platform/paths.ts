import { lstatSync, readlinkSync, realpathSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, isAbsolute, join, parse, relative, resolve, sep } from "node:path";

/** `~`, `~/x` and relative paths become absolute. Purely lexical: nothing is looked up on disk. */
export function expandPath(given: string, cwd: string): string {
  if (given === "~") return homedir();
  if (given.startsWith("~/")) return join(homedir(), given.slice(2));
  return isAbsolute(given) ? resolve(given) : resolve(cwd, given);
}

/** Compares by path components: `/app-secret` is not inside `/app`. A folder is inside itself. */
export function isInside(path: string, folder: string): boolean {
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
  let linksLeft = 40;
  const pending = absolute
    .split("/")
    .filter((name) => name !== "" && name !== ".")
    .reverse();
  let real: string = parse(absolute).root || "/";
  let missing = false;
  while (pending.length > 0) {
    const name = pending.pop() as string;
    if (name === "..") {
      real = dirname(real);
      missing = false;
      continue;
    }
    const next = join(real, name);
    const stat = missing ? undefined : lstatSync(next, { throwIfNoEntry: false });
    if (stat === undefined) {
      missing = true;
      real = next;
    } else if (stat.isSymbolicLink()) {
      if (linksLeft-- === 0) throw Object.assign(new Error(`ELOOP: too many links, '${given}'`), { code: "ELOOP" });
      const target = readlinkSync(next);
      pending.push(
        ...target
          .split("/")
          .filter((part) => part !== "" && part !== ".")
          .reverse(),
      );
      if (isAbsolute(target)) real = "/";
    } else {
      if (!stat.isDirectory() && pending.length > 0)
        throw Object.assign(new Error(`ENOTDIR: not a directory, '${next}'`), { code: "ENOTDIR" });
      real = next;
    }
  }
  return real;
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
