import { ToolError } from "../contracts/errors.ts";
import { withTimeLimit } from "../platform/time-limit.ts";

/** A pattern taken apart: the folder that its plain beginning names, and what is matched below it. */
export type GlobPattern = {
  /** As written, without wildcards; "" when the pattern starts with one. */
  readonly folder: string;
  readonly select: (paths: readonly string[]) => readonly string[];
  /** For a pattern without folders: those whose name alone matches, in whatever folder. */
  readonly selectByName: ((paths: readonly string[]) => readonly string[]) | undefined;
};

const wildcard = /[*?[\]{}\\]|[!+@]\(/;

/** A route such as `app/(shop)/[id]` is no pattern to those who write it: groups and brackets also stand for themselves. */
function escapeGroups(pattern: string): string {
  return pattern.replace(/(^|[^!+@*?\\])\(([^()]*)\)/g, "$1\\($2\\)");
}

const matchingLimitMs = 2_000;

/** Many stars make the matcher try every split of every path: then the pattern is refused instead of waited for. */
export function selectWith(pattern: string, matches: (path: string) => boolean) {
  return (paths: readonly string[]): readonly string[] => {
    const found = withTimeLimit(matchingLimitMs, () => paths.filter((path) => matches(path)));
    if (found === undefined)
      throw new ToolError(`The pattern ${pattern} takes too long to match. Use fewer wildcards.`);
    return found;
  };
}

export async function parseGlob(given: string): Promise<GlobPattern> {
  const { default: picomatch } = await import("picomatch");
  const segments = given.replace(/^(\.\/+)+/, "").split(/\/+/);
  const firstWild = segments.findIndex((segment) => wildcard.test(segment));
  const cut = firstWild < 0 ? segments.length - 1 : firstWild;
  const folder = segments.slice(0, cut).join("/");
  const rest = segments.slice(cut).join("/");
  if (given.length > 4_000) throw new ToolError("The pattern is longer than 4,000 characters. Use a shorter one.");
  if (rest === "")
    throw new ToolError(`The pattern ${given} names no files. Add what to look for, such as ${given}**/*.`);
  if (segments.slice(cut).includes(".."))
    throw new ToolError(`The pattern ${given} has .. after a wildcard. Give the folder with path instead.`);
  const options = { dot: true, nonegate: true };
  const pattern = escapeGroups(rest);
  const literal = pattern.replace(/(?<!\\)[[\]]/g, "\\$&");
  const matcher = picomatch(literal === pattern ? pattern : [pattern, literal], options);
  const byName = picomatch(pattern, { ...options, basename: true });
  return {
    folder: given.startsWith("/") && folder === "" ? "/" : folder,
    select: selectWith(given, matcher),
    selectByName: given.includes("/") ? undefined : selectWith(given, byName),
  };
}
