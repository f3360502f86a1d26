import { ToolError } from "../contracts/errors.ts";

/** A pattern taken apart: the folder that its plain beginning names, and what is matched below it. */
export type GlobPattern = {
  /** As written, without wildcards; "" when the pattern starts with one. */
  readonly folder: string;
  readonly matches: (path: string) => boolean;
  /** For a pattern without folders: does the name alone match, in whatever folder? */
  readonly matchesName: ((path: string) => boolean) | undefined;
};

const wildcard = /[*?[\]{}\\]|[!+@]\(/;

/** A route such as `app/(shop)/[id]` is no pattern to those who write it: groups and brackets also stand for themselves. */
function escapeGroups(pattern: string): string {
  return pattern.replace(/(^|[^!+@*?\\])\(([^()]*)\)/g, "$1\\($2\\)");
}

/** Many stars in a row make the matcher try every split of every path. */
function refuseCostly(pattern: string): void {
  const segments = pattern.split("/");
  const starred = segments.some((segment) => (segment.match(/\*+/g)?.length ?? 0) > 5);
  const deep = segments.filter((segment) => segment.includes("**")).length > 5;
  if (starred || deep || pattern.length > 1_000)
    throw new ToolError(`The pattern ${pattern.slice(0, 200)} has too many wildcards. Use fewer stars.`);
}

export async function parseGlob(given: string): Promise<GlobPattern> {
  const { default: picomatch } = await import("picomatch");
  const segments = given.replace(/^(\.\/+)+/, "").split(/\/+/);
  const firstWild = segments.findIndex((segment) => wildcard.test(segment));
  const cut = firstWild < 0 ? segments.length - 1 : firstWild;
  const folder = segments.slice(0, cut).join("/");
  const rest = segments.slice(cut).join("/");
  if (rest === "")
    throw new ToolError(`The pattern ${given} names no files. Add what to look for, such as ${given}**/*.`);
  if (segments.slice(cut).includes(".."))
    throw new ToolError(`The pattern ${given} has .. after a wildcard. Give the folder with path instead.`);
  refuseCostly(rest);
  const options = { dot: true, nonegate: true };
  const pattern = escapeGroups(rest);
  const literal = pattern.replace(/(?<!\\)[[\]]/g, "\\$&");
  const matcher = picomatch(literal === pattern ? pattern : [pattern, literal], options);
  const byName = picomatch(pattern, { ...options, basename: true });
  return {
    folder: given.startsWith("/") && folder === "" ? "/" : folder,
    matches: (path) => matcher(path),
    matchesName: given.includes("/") ? undefined : (path) => byName(path),
  };
}
